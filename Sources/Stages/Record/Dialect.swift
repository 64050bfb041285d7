import Pipeline

/// The form of a record (data-model 3, docs/reference/dialects.md): the index of its row, in one
/// byte. It depends on the order of detection, so outputs have the ``name``.
@frozen
package struct Dialect: BitwiseCopyable, Hashable, Sendable {
  struct Row: Sendable {
    let name: StaticString
    /// A line of the dialect has one of these; in the order in which they are looked for.
    let evidence: [DialectEvidence]
    /// A later dialect: a line that it matches as well is ambiguous.
    var rival: String?
    /// Bytes of its longest line, unless `--max-line` sets another limit.
    var longestLine = Rules.defaultMaxLine
    /// Whether trailing commas are removed when nothing else can be read (dialects 4).
    var hasTrailingCommas = false
  }

  /// A row for each dialect, in the order of detection (dialects 1): the first that matches counts.
  /// `DialectRegistry` has their readers in the same order.
  static let rows: [Row] = [
    Row(name: "v2", evidence: [[.identifiers]]),
    Row(name: "action", evidence: [DialectEvidence(.action, if: .isAction)]),
    Row(
      name: "bolts",
      evidence: [RootField.userInfo, .userInfoSnake, .extras].map {
        DialectEvidence($0, if: .hasEventName)
      } + [.name, .notification, .action].map { DialectEvidence($0, if: .isNotification) } + [
        DialectEvidence(
          .eventName, others: RootField.envelope | RootField.set(.eventArguments, .sender))
      ], rival: "pulse"),
    Row(
      name: "pulse",
      evidence: [
        [.eventType, .data], [.eventType, .subSIDs], [.eventType, .isBackground],
        DialectEvidence(.eventType, others: RootField.envelope),
      ], hasTrailingCommas: true),
    Row(
      name: "sdk",
      evidence: [
        [.name, .params], [.name, .receiptTime], [.name, .serverDate],
        DialectEvidence(.name, .date, without: .time),
      ]),
    // One event may contain whole objects of a database.
    Row(
      name: "realm",
      evidence: [[.activity], [.objectID, .timestamp, .event], [.objectID, .timestamp, .data]],
      longestLine: 64 << 20),
    Row(name: "v1", evidence: [[.update], [.name], [.events]]),
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

  /// The evidence of all dialects, in the order in which it is looked for.
  static let evidence = allCases.flatMap { dialect in
    dialect.row.evidence.map { (dialect, $0) }
  }

  /// The root fields by which each dialect is known.
  static let identifyingFields = rows.map { row in
    let marks = row.evidence.compactMap(\.mark).map { "\($0.text)" }
    let names = marks.indices.filter { !marks[..<$0].contains(marks[$0]) }.map { marks[$0] }
    return "\(row.name) by \(names.joined(separator: ", "))"
  }.joined(separator: "; ")
}

/// Root fields that identify a line's dialect: all of them are present and not null.
struct DialectEvidence: BitwiseCopyable, Sendable, ExpressibleByArrayLiteral {
  /// What is required of the value of the first field.
  enum Test: UInt8 { case nothing, isAction, hasEventName, isNotification }

  let fields: FieldSet
  let test: Test
  /// Fields that the line must not have.
  let absent: FieldSet
  /// The only other fields that it may have, unless an option sets the dialect of all lines.
  let others: FieldSet

  init(
    _ fields: RootField..., if test: Test = .nothing, without absent: RootField? = nil,
    others: FieldSet = .max
  ) {
    (self.fields, self.test, self.others) = (RootField.set(fields), test, others)
    self.absent = absent?.bit ?? 0
  }

  init(arrayLiteral fields: RootField...) {
    (self.fields, test, absent, others) = (RootField.set(fields), .nothing, 0, .max)
  }

  /// The names of the fields.
  var names: [String] { RootField.all(in: fields).map { "\($0.text)" } }

  /// The field by which the dialect is known: the first one that neither v1 nor v2 has; none for
  /// one of these that means something else.
  fileprivate var mark: RootField? {
    RootField.all(in: fields & RootField.foreign).first
      ?? (test == .nothing ? RootField.all(in: fields).first : nil)
  }
}

extension Dialect: CaseIterable {
  package static let allCases = rows.indices.map { Dialect(number: UInt8($0)) }
}

extension Dialect {
  /// The layout of its records.
  var form: RecordForm { self == .v2 ? .v2 : self == .v1 ? .v1 : .drafted }
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
  private static let mappedRow = Row(name: "", evidence: [])
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
