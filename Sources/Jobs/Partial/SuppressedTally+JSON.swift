import Pipeline
import Stages

/// Suppressed data in documents between processes.
extension SuppressedTally {
  /// Writes `table` as the field `kept_back` of the open object, sorted by the digests, if it is
  /// not empty.
  static func write(_ table: Table, to json: inout JSONWriter) {
    guard !table.isEmpty else { return }
    json.objects("kept_back", of: table.sorted(by: { $0.key < $1.key })) { element, json in
      let (key, kept) = element
      json.member("key", XXH64.text(key.high) + XXH64.text(key.low))
      json.member("events", kept.events)
      json.member("operations", kept.operations)
      json.member("newest", kept.newest)
    }
  }

  /// Reads what ``write(_:to:)`` wrote.
  static func read(
    _ value: JSONValue?, _ counts: inout CountReader
  ) throws(FactsDamage) -> Table {
    var table: Table = [:]
    for item in value?.items ?? [] {
      guard let key = item["key"]?.text.flatMap(Fingerprint.init(digits:)),
        let newest = item["newest"]?.int, Rules.earliestTime..<Rules.endOfTime ~= newest
      else { throw FactsDamage("suppressed data has no key, or no time") }
      let kept = SuppressedTally(
        events: try counts.read(item["events"], "events that were suppressed"),
        operations: try counts.read(item["operations"], "operations that were suppressed"),
        newest: newest)
      table[key, default: SuppressedTally()].add(kept)
    }
    return table
  }
}

extension Fingerprint {
  /// The digest of a key with these 32 hexadecimal digits; nil for another text.
  init?(digits text: String) {
    guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
      let low = UInt64(text.dropFirst(16), radix: 16)
    else { return nil }
    self.init(low: low, high: high)
  }
}

extension TallyFacts {
  /// Adds another table.
  mutating func add(_ other: SuppressedTally.Table) {
    for (key, kept) in other { suppressed[key, default: SuppressedTally()].add(kept) }
  }
}
