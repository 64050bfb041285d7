import Pipeline
import Stages

/// Erased data in documents between processes.
extension ErasedParts {
  /// Writes installations by request as the field `name` of the open object, if there are any.
  static func write(
    _ installations: LeftInstallations, _ name: StaticString, to json: inout JSONWriter
  ) {
    guard !installations.isEmpty else { return }
    json.objects(name, of: installations.sorted(by: { $0.key < $1.key })) { element, json in
      let (request, ids) = element
      json.member("request", request)
      json.array("installations", of: ids.sortedByBytes)
    }
  }

  /// Reads what ``write(_:_:to:)`` wrote.
  static func readInstallations(_ value: JSONValue?) throws(FactsDamage) -> LeftInstallations {
    var installations: LeftInstallations = [:]
    for item in value?.items ?? [] {
      guard let request = item["request"]?.int, 1...Erasures.maximumCount ~= request else {
        throw FactsDamage("a linked installation has no request")
      }
      for id in item["installations"]?.items ?? [] {
        guard let id = id.text else {
          throw FactsDamage("a linked installation is not a text")
        }
        installations[request, default: []].insert(id)
      }
    }
    return installations
  }

  /// Writes what was erased for each request as the field `erased` of the open object, if there is
  /// any.
  static func write(_ erased: [Int: ErasedParts], to json: inout JSONWriter) {
    guard !erased.isEmpty else { return }
    json.objects("erased", of: erased.sorted(by: { $0.key < $1.key })) { element, json in
      let (request, parts) = element
      json.member("request", request)
      parts.writeCounts(to: &json)
      if parts.newest != .min { json.member("newest", parts.newest) }
    }
  }

  /// Reads what ``write(_:to:)`` wrote.
  static func read(
    _ value: JSONValue?, _ counts: inout CountReader
  ) throws(FactsDamage) -> [Int: ErasedParts] {
    var erased: [Int: ErasedParts] = [:]
    for item in value?.items ?? [] {
      guard let request = item["request"]?.int, 1...Erasures.maximumCount ~= request else {
        throw FactsDamage("erased data has no request")
      }
      var parts: ErasedParts = try counts.readAll(item, "of erased data")
      if let newest = item["newest"] {
        guard let time = newest.int, Rules.earliestTime..<Rules.endOfTime ~= time else {
          throw FactsDamage("erased data has no time")
        }
        parts.newest = time
      }
      erased[request, default: ErasedParts()].add(parts)
    }
    return erased
  }
}
