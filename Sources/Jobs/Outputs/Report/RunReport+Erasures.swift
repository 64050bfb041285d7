package import Pipeline
package import Stages

/// The outcome of a request for erasure.
package struct ErasureOutcome: Sendable {
  package let request: ErasureRequests.Request
  /// The figures of what was erased from the state.
  package let parts: ErasedParts
  let suppressed: SuppressedTally
  package var suppressedEvents: Int { suppressed.events }
  package var suppressedOperations: Int { suppressed.operations }
  /// Whether there was any data of the key.
  package let isKnown: Bool
  /// What later nights suppress up to, in milliseconds since 1970; nil with `forever`.
  package let end: Int?
  /// The installations that went with the person, and until when.
  package let devices: [(id: String, end: Int)]
}

extension ErasureRequests {
  /// The outcome of each request. Of several requests for one key the first gets all of it.
  func outcomes(
    _ snapshot: PublishedSnapshot, _ suppressed: SuppressedTally.Table = [:]
  ) -> [ErasureOutcome] {
    let first = erasures.marks
    var devices: [Int: [(id: String, end: Int)]] = [:]
    for (key, device) in snapshot.tally.devices {
      let end = snapshot.marks.marks[key]?.deviceTime ?? .min
      for request in device.requests { devices[request, default: []].append((device.id, end)) }
    }
    return requests.enumerated().map { index, request in
      let number = first[request.key]?.request
      let isFirst = number == index + 1
      let kept = isFirst ? suppressed[request.key] : nil
      let parts = isFirst ? snapshot.tally.erased[index + 1] : nil
      let mark = snapshot.marks.marks[request.key]
      return ErasureOutcome(
        request: request, parts: parts ?? ErasedParts(), suppressed: kept ?? SuppressedTally(),
        isKnown: number.map { snapshot.tally.erased[$0] != nil } ?? false
          || suppressed[request.key] != nil,
        end: mark.flatMap { $0.isForever ? nil : $0.time },
        devices: isFirst
          ? (devices[index + 1] ?? []).sorted(byBytesOf: \.id) : [])
    }
  }

  /// Writes the field `erasures`, by their lines in the file: the report names no erased person.
  static func write(_ outcomes: [ErasureOutcome], to json: inout JSONWriter) {
    json.objects("erasures", of: outcomes) { outcome, json in
      outcome.writeRequest(to: &json)
      outcome.writeCounts(to: &json)
    }
  }
}

extension ErasureOutcome {
  /// Writes the request, but not its id.
  package func writeRequest(to json: inout JSONWriter) {
    json.member("line", request.line)
    json.member("of", request.section == .custom ? "custom_id" : "installation_id")
    if request.mark.isForever { json.member("forever", true) }
    if !request.mark.isMomentary { json.member("time", Timestamp.text(request.mark.time)) }
    if request.mark.keepsInstallations { json.member("installations", "keep") }
  }

  package func writeCounts(to json: inout JSONWriter) {
    json.member("known", isKnown)
    if let end { json.member("mark", Timestamp.text(end)) }
    parts.writeFields(to: &json)
    json.member("suppressed_events", suppressed.events)
    json.member("suppressed_operations", suppressed.operations)
  }
}
