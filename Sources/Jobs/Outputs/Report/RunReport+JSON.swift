import Pipeline

/// `report.json`.
extension RunReport {
  /// The text of `report.json`.
  var json: ByteBuffer {
    var report = reported(reportedInputs)
    report.run = self
    return report.text
  }

  /// Those that were read and those that were skipped, in the order of their paths.
  private var reportedInputs: [ReportInput] {
    let firstOf = Dictionary(repeated.map { ($0.path, $0.first) }) { first, _ in first }
    let overlapped = Dictionary(selection.overlapping.map { ($0.path, $0.first) }) { a, _ in a }
    let read = ingest.outcomes.enumerated().map { index, outcome in
      let path = outcome.file.path
      let input = ReportInput(
        content: .read(outcome), sameAs: firstOf[path],
        beginsWith: overlapped[path], ledger: ingest.ledgers[index],
        dialects: ingest.tally.dialects.named(ofInput: index))
      return (path, input)
    }
    let skipped = selection.alreadyRead.map {
      ($0.path, ReportInput(content: .skipped($0), ledger: Ledger()))
    }
    if skipped.isEmpty { return read.map(\.1) }
    return (read + skipped).sorted(byBytesOf: \.0).map(\.1)
  }

  /// Writes what was published, and what was erased, as fields of the open object.
  func writeSnapshot(to json: inout JSONWriter) {
    guard let snapshot else { return }
    json.member("profiles", snapshot.profiles)
    json.member("event_names", snapshot.eventNames)
    json.member("array_overflow", snapshot.arrayOverflow)
    json.member("erased_straddling", snapshot.erasedStraddling)
    if let requests {
      ErasureRequests.write(requests.outcomes(snapshot, ingest.tally.suppressed), to: &json)
    }
    snapshot.hot.write("hot_ids", to: &json)
  }
}
