package import Pipeline

/// Where every line, event and operation went (`docs/data-model.md`).
///
/// The two sides of each equation come from different places, so that a mistake shows: `lines` from
/// the one who cuts the input, its parts from what became of each line; `events` and `operations`
/// from the reader, their parts from the validator's outcomes and the shards' duplicates.
/// `accepted` is also compared with the counters per event name.
package struct Ledger: Equatable, Sendable {
  /// Lines read, by the count of the block source.
  package var lines = 0
  package var blank = 0
  package var records = 0
  package var rejectedLines = 0
  /// Events in the records.
  package var events = 0
  package var accepted = 0
  package var rejected = 0
  package var duplicates = 0
  /// Valid events that were withheld because of an erasure or an opt-out.
  package var suppressed = 0
  /// Valid events before `--since`, or at `--until` or later.
  package var outside = 0
  /// Operations in the records, one per key and one per clear.
  package var operations = 0
  /// Valid ones, those that were withheld among them.
  package var applied = 0
  package var refused = 0

  package init() {}

  /// Adds the numbers of another input.
  package mutating func add(_ other: Ledger) {
    for column in Ledger.columns { self[keyPath: column.count] += other[keyPath: column.count] }
  }

  /// The first equation that does not hold, in words, or nil.
  package var mismatch: String? {
    if lines != blank + records + rejectedLines {
      return "\(lines) lines were read, but \(blank) blank, \(records) records and "
        + "\(rejectedLines) rejected lines were counted"
    }
    if events != accepted + rejected + duplicates + suppressed + outside {
      return "\(events) events were read, but \(accepted) accepted, \(rejected) rejected, "
        + "\(duplicates) duplicates, \(suppressed) suppressed ones and \(outside) outside of "
        + "--since and --until were counted"
    }
    if operations != applied + refused {
      return "\(operations) operations were read, but \(applied) applied and \(refused) refused "
        + "ones were counted"
    }
    return nil
  }
}

extension Ledger {
  /// A number of the ledger, and where reports have it.
  struct Column: Sendable {
    let group: StaticString
    let name: StaticString
    let count: any WritableKeyPath<Ledger, Int> & Sendable
    /// Whether it is left out when it is 0: only a run with `--since` or `--until` has it.
    var isOptional = false
  }

  /// All numbers, in the order in which they are written; those of a group stand together.
  static let columns = [
    Column(group: "lines", name: "total", count: \.lines),
    Column(group: "lines", name: "blank", count: \.blank),
    Column(group: "lines", name: "records", count: \.records),
    Column(group: "lines", name: "rejected_lines", count: \.rejectedLines),
    Column(group: "events", name: "total", count: \.events),
    Column(group: "events", name: "accepted", count: \.accepted),
    Column(group: "events", name: "rejected", count: \.rejected),
    Column(group: "events", name: "duplicates", count: \.duplicates),
    Column(group: "events", name: "suppressed", count: \.suppressed),
    Column(group: "events", name: "outside", count: \.outside, isOptional: true),
    Column(group: "operations", name: "total", count: \.operations),
    Column(group: "operations", name: "applied", count: \.applied),
    Column(group: "operations", name: "refused", count: \.refused),
  ]

  /// The groups of ``columns``.
  private static let groups: [StaticString] = ["lines", "events", "operations"]

  /// Writes the ledger as an object.
  package func write(_ key: StaticString, to json: inout JSONWriter) {
    json.object(key) { json in
      for group in Ledger.groups { json.object(group) { json in write(group: group, to: &json) } }
    }
  }

  /// Writes the numbers of a group as fields of the object that is open.
  package func write(group: StaticString, to json: inout JSONWriter) {
    for column in Ledger.columns where ByteView(column.group) == ByteView(group) {
      let count = self[keyPath: column.count]
      if count != 0 || !column.isOptional { json.member(column.name, count) }
    }
  }
}

// MARK: - Reading

extension Ledger {
  /// The greatest number in a ledger that is believed: sums over as many inputs as a report has
  /// room for (``JSONDocument/longest``) fit 64 bits.
  static let greatest = 1 << 39

  /// Reads what ``write(_:to:)`` wrote: `count` returns the number that a value of a column is.
  ///
  /// - Throws: what `count` throws, for the first number that is missing or invalid.
  init<Damage: Error>(
    _ object: JSONValue?, count: (_ value: JSONValue?, _ column: Column) throws(Damage) -> Int
  ) throws(Damage) {
    self.init()
    for column in Ledger.columns {
      let value = object?[column.group]?[column.name]
      if value == nil, column.isOptional { continue }
      self[keyPath: column.count] = try count(value, column)
    }
  }

  /// Reads what ``write(_:to:)`` wrote; nil when a number is missing.
  init?(_ object: JSONValue) {
    do throws(MissingCount) {
      try self.init(
        object,
        count: { value, _ throws(MissingCount) in
          guard let number = value?.int, 0...Ledger.greatest ~= number else { throw MissingCount() }
          return number
        })
    } catch {
      return nil
    }
  }

  /// A ledger lacks a number, or has one that cannot be.
  private struct MissingCount: Error {}
}
