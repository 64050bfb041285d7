import Pipeline

/// The form a record is written in (data-model 3, docs/reference/dialects.md): the index of its
/// row, in one byte.
///
/// Nothing after the reader depends on it, except the count per dialect. Numbers follow from the
/// order in which dialects are detected, so none may reach an output: outputs have the ``name``.
@frozen
package struct Dialect: BitwiseCopyable, Hashable, Sendable {
  /// What is known of a dialect without reading its lines.
  struct Row: Sendable {
    /// As it stands in reports, rejects, states and options.
    let name: StaticString
    /// Root fields of which every line of the dialect has one that is there, unless its `name` is
    /// longer than any event name. It is not asked about lines without, so that they cost nothing.
    var identifyingFields: [RootField]
    /// Bytes of its longest line, where `--max-line` sets no other limit.
    var longestLine = Rules.defaultMaxLine
    /// Whether it is known to be written with commas behind the last member or item, which are then
    /// taken away if nothing else is read (dialects 4).
    var hasTrailingCommas = false
  }

  /// A row for each dialect, in the order in which they are detected (dialects 1): of several that
  /// a line could be of, the first counts. `DialectRegistry` has their readers in the same order.
  static let rows: [Row] = [
    Row(name: "v2", identifyingFields: [.identifiers]),
    Row(name: "action", identifyingFields: [.action]),
    Row(
      name: "bolts",
      identifyingFields: [
        .userInfo, .userInfoSnake, .extras, .notification, .action, .eventName,
      ]),
    Row(name: "pulse", identifyingFields: [.eventType], hasTrailingCommas: true),
    Row(name: "sdk", identifyingFields: [.params, .receiptTime, .serverDate, .date]),
    // One event may tell whole objects of a database.
    Row(name: "realm", identifyingFields: [.activity, .objectID], longestLine: 64 << 20),
    Row(name: "v1", identifyingFields: [.update, .name, .events]),
  ]

  /// The index of the row.
  package let number: UInt8

  package init(number: UInt8) { self.number = number }

  /// The canonical form, which is detected first.
  package static var v2: Dialect { Dialect(number: 0) }
  /// The forms of the server's first API.
  package static let v1 = Dialect(number: UInt8(rows.count - 1))

  /// The built-in dialect of that name, or nil.
  package init?(named name: String) {
    guard let dialect = Dialect.allCases.first(where: { $0.name == name }) else { return nil }
    self = dialect
  }

  /// What is known of it.
  var row: Row { isMapped ? Dialect.mappedRow : Dialect.rows[Int(number)] }

  /// The name in reports, rejects, states and options.
  package var name: String { isMapped ? mappedName : Dialect.names[Int(number)] }

  private static let names = rows.map { "\($0.name)" }

  /// Bytes of the longest line that any dialect has, where `--max-line` sets no other limit.
  static let longestLine = rows.map(\.longestLine).max() ?? Rules.defaultMaxLine

  /// The fields that lines of each dialect are identified by, in words.
  static let identifyingFields = rows.map { row in
    "\(row.name) by \(row.identifyingFields.map { "\($0.text)" }.joined(separator: ", "))"
  }.joined(separator: "; ")

  private static let identifyingSets = rows.map { RootField.set($0.identifyingFields) }

  /// The numbers, as bits, of the dialects that a line with these root fields may be of.
  static func candidates(_ fields: UInt64) -> UInt32 {
    var candidates: UInt32 = 0
    for number in identifyingSets.indices where fields & identifyingSets[number] != 0 {
      candidates |= 1 << UInt32(number)
    }
    return candidates
  }
}

extension Dialect: CaseIterable {
  /// Every built-in dialect, in the order in which they are detected.
  package static let allCases = rows.indices.map { Dialect(number: UInt8($0)) }
}

/// What of a record stands where, and so which rules hold for it: all that the stages after the
/// reader need to know of a dialect.
package enum RecordForm: UInt8, BitwiseCopyable, Sendable {
  /// Parts stand in the line as v1 has them; the limits of v1 (data-model 7), and the migration.
  case v1
  /// Parts stand in the line as v2 has them; the limits of v2.
  case v2
  /// The reader has drafted the parts as v2 has them, behind the line; the limits of v2.
  case drafted
}

// MARK: - Dialects of mappings

extension Dialect {
  /// The most dialects that mappings may describe, of this run and of the outputs that it reads.
  package static let mostMapped = 64
  /// Bytes of the longest name of such a dialect.
  static let longestMappedName = 32
  private static let mappedRow = Row(name: "", identifyingFields: [])
  /// Their names, by number behind those of the built-in ones. Names of this process, as a state
  /// may name a dialect whose mapping the run does not have.
  private static let mappedNames = Locked<[String]>([])

  /// Whether a mapping describes it.
  package var isMapped: Bool { Int(number) >= Dialect.rows.count }

  /// Every built-in dialect, then those of mappings that were met so far.
  package static var known: [Dialect] {
    let mapped = mappedNames.withLock { $0.count }
    return (0..<rows.count + mapped).map { Dialect(number: UInt8($0)) }
  }

  private var mappedName: String {
    Dialect.mappedNames.withLock { $0[Int(number) - Dialect.rows.count] }
  }

  /// The dialect that mappings call `name`: the same one whenever it is asked for. Nil for a name
  /// that no mapping may give, and when there are too many names. Takes a lock: ask per file, not
  /// per line.
  package init?(mapped name: String) {
    guard Dialect.isMappedName(name) else { return nil }
    let index = Dialect.mappedNames.withLock { names in
      if let known = names.firstIndex(of: name) { return known }
      guard names.count < Dialect.mostMapped else { return -1 }
      names.append(name)
      return names.count - 1
    }
    if index < 0 { return nil }
    self.init(number: UInt8(Dialect.rows.count + index))
  }

  /// The dialect of that name, built in or described by a mapping; nil for what is no such name.
  package init?(recorded name: String) {
    if let dialect = Dialect(named: name) ?? Dialect(mapped: name) {
      self = dialect
    } else {
      return nil
    }
  }

  /// Whether a mapping may call its dialect `name`: small letters, digits, `_` and `-`, a letter
  /// first, and not the name of a built-in one.
  static func isMappedName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard let first = bytes.first, bytes.count <= longestMappedName, name != "auto",
      Dialect(named: name) == nil, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first
    else { return false }
    return bytes.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || Characters.isDigit(byte)
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
  }
}
