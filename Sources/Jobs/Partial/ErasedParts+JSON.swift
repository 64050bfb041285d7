import Pipeline
import Stages

/// What was erased, as partials say it to the job that merges them.
extension ErasedParts {
  /// Writes installations by request as the member `name` of the object that is open; nothing when
  /// there are none.
  static func write(
    _ installations: LeftInstallations, _ name: StaticString, to json: inout JSONWriter
  ) {
    guard !installations.isEmpty else { return }
    json.array(name) { json in
      for (request, ids) in installations.sorted(by: { $0.key < $1.key }) {
        json.object { json in
          json.member("request", request)
          json.array("installations") { json in
            for id in ids.sortedByBytes { json.item(id) }
          }
        }
      }
    }
  }

  /// Reads what ``write(_:_:to:)`` has written.
  static func readInstallations(_ value: JSONValue?) throws(FactsDamage) -> LeftInstallations {
    var installations: LeftInstallations = [:]
    for item in value?.items ?? [] {
      guard let request = item["request"]?.int, 1...Erasures.maximumCount ~= request else {
        throw FactsDamage("an installation that was linked is of no request")
      }
      for id in item["installations"]?.items ?? [] {
        guard let id = id.text else {
          throw FactsDamage("an installation that was linked is not a text")
        }
        installations[request, default: []].insert(id)
      }
    }
    return installations
  }

  /// Writes what went for each request as the member `erased` of the object that is open; nothing
  /// when there is none.
  static func write(_ erased: [Int: ErasedParts], to json: inout JSONWriter) {
    guard !erased.isEmpty else { return }
    json.array("erased") { json in
      for (request, parts) in erased.sorted(by: { $0.key < $1.key }) {
        json.object { json in
          json.member("request", request)
          json.member("attributes", parts.attributes)
          json.member("event_names", parts.eventNames)
          json.member("events", parts.events)
          json.member("links", parts.links)
          json.member("installations_left", parts.installationsLeft)
          if parts.newest != .min { json.member("newest", parts.newest) }
        }
      }
    }
  }

  /// Reads what ``write(_:to:)`` has written.
  static func read(
    _ value: JSONValue?, _ counts: inout CountReader
  ) throws(FactsDamage) -> [Int: ErasedParts] {
    var erased: [Int: ErasedParts] = [:]
    for item in value?.items ?? [] {
      guard let request = item["request"]?.int, 1...Erasures.maximumCount ~= request else {
        throw FactsDamage("what was erased is of no request")
      }
      var parts = ErasedParts()
      parts.attributes = try counts.read(item["attributes"], "attributes that were erased")
      parts.eventNames = try counts.read(item["event_names"], "event names that were erased")
      parts.events = try counts.read(item["events"], "events that were erased")
      parts.links = try counts.read(item["links"], "links that were erased")
      parts.installationsLeft = try counts.read(
        item["installations_left"], "installations that were left")
      if let newest = item["newest"] {
        guard let time = newest.int, Rules.earliestTime..<Rules.endOfTime ~= time else {
          throw FactsDamage("what was erased is of no time")
        }
        parts.newest = time
      }
      erased[request, default: ErasedParts()].add(parts)
    }
    return erased
  }
}
