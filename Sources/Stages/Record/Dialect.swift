import Pipeline

/// The form of a record (data-model 3, docs/reference/dialects.md): the index of its row, in one
/// byte. It depends on the order of detection, so outputs have the ``name``.
@frozen
package struct Dialect: BitwiseCopyable, Hashable, Sendable {
  struct Row: Sendable {
    let name: StaticString
    /// Every line of the dialect has at least one of these root fields, unless its `name` is longer
    /// than any event name. Lines without any are not checked, so they cost nothing.
    var identifyingFields: [RootField]
    /// Bytes of its longest line, unless `--max-line` sets another limit.
    var longestLine = Rules.defaultMaxLine
    /// Whether trailing commas are removed when nothing else can be read (dialects 4).
    var hasTrailingCommas = false
  }

  /// A row for each dialect, in the order of detection (dialects 1): the first that matches counts.
  /// `DialectRegistry` has their readers in the same order.
  static let rows: [Row] = [
    Row(name: "v2", identifyingFields: [.identifiers]),
    Row(name: "action", identifyingFields: [.action]),
    Row(
      name: "bolts",
      identifyingFields: [.userInfo, .userInfoSnake, .extras, .notification, .action, .eventName]),
    Row(name: "pulse", identifyingFields: [.eventType], hasTrailingCommas: true),
    Row(name: "sdk", identifyingFields: [.params, .receiptTime, .serverDate, .date]),
    // One event may contain whole objects of a database.
    Row(name: "realm", identifyingFields: [.activity, .objectID], longestLine: 64 << 20),
    Row(name: "v1", identifyingFields: [.update, .name, .events]),
  ]

  package let number: UInt8

  package init(number: UInt8) { self.number = number }

  /// The canonical form, which is detected first.
  package static var v2: Dialect { Dialect(number: 0) }
  /// The forms of the server's first API, which are detected last.
  package static let v1 = Dialect(number: UInt8(rows.count - 1))

  package init?(named name: String) {
    guard let dialect = Dialect.allCases.first(where: { $0.name == name }) else { return nil }
    self = dialect
  }

  var row: Row { isMapped ? Dialect.mappedRow : Dialect.rows[Int(number)] }

  package var name: String {
    guard isMapped else { return Dialect.names[Int(number)] }
    return Dialect.mappedNames.withLock { $0[Int(number) - Dialect.rows.count] }
  }

  private static let names = rows.map { "\($0.name)" }

  /// Bytes of the longest line of any dialect, unless `--max-line` sets another limit.
  static let longestLine = rows.map(\.longestLine).max() ?? Rules.defaultMaxLine

  static let identifyingFields = rows.map { row in
    "\(row.name) by \(row.identifyingFields.map { "\($0.text)" }.joined(separator: ", "))"
  }.joined(separator: "; ")

  private static let identifyingSets = rows.map { RootField.set($0.identifyingFields) }

  /// A bit mask of the dialects that a line with these root fields may have.
  static func candidates(_ fields: FieldSet) -> UInt32 {
    var candidates: UInt32 = 0
    for number in identifyingSets.indices where fields & identifyingSets[number] != 0 {
      candidates |= 1 << UInt32(number)
    }
    return candidates
  }
}

extension Dialect: CaseIterable {
  package static let allCases = rows.indices.map { Dialect(number: UInt8($0)) }
}

/// The layout of a record, and so the rules that apply to it after the reader.
package enum RecordForm: UInt8, BitwiseCopyable, Sendable {
  /// The parts are in the line as in v1, with the limits of v1 (data-model 7), and are migrated.
  case v1
  /// The parts are in the line as in v2, or the reader has drafted them in that form.
  case v2, drafted
}

// MARK: - Dialects of mappings

extension Dialect {
  /// The most dialects of mappings, of this run and of the outputs that it reads.
  package static let mostMapped = 64
  /// Bytes of the longest name of such a dialect.
  static let longestMappedName = 32
  private static let mappedRow = Row(name: "", identifyingFields: [])
  /// Their names, by number after the built-in ones. Kept per process, as a state may name a
  /// dialect whose mapping the run does not have.
  private static let mappedNames = Locked<[String]>([])

  package var isMapped: Bool { Int(number) >= Dialect.rows.count }

  /// Every built-in dialect, then those of mappings registered so far.
  package static var known: [Dialect] {
    let mapped = mappedNames.withLock { $0.count }
    return (0..<rows.count + mapped).map { Dialect(number: UInt8($0)) }
  }

  /// The dialect that mappings call `name`; equal names give equal dialects. Nil for an invalid
  /// name, and when there are too many names. Takes a lock: call it per file, not per line.
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

  /// The dialect with that name, built in or described by a mapping; nil for an invalid name.
  package init?(recorded name: String) {
    guard let dialect = Dialect(named: name) ?? Dialect(mapped: name) else { return nil }
    self = dialect
  }

  /// Whether `name` is valid for the dialect of a mapping: lower-case letters, digits, `_` and `-`,
  /// a letter first, and not the name of a built-in one.
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
