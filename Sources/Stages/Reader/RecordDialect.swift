import Pipeline

/// A form of records: how its lines are detected and read. Adding one is a folder, a row of
/// ``Dialect`` and a line in the ``DialectRegistry``; see docs/reference/dialects.md. It has no
/// state.
package protocol RecordDialect: SendableMetatype {
  /// The layout of its records; usually that of canonical records that the reader drafts.
  static var form: RecordForm { get }

  /// Dialects that must not match the same line: then it is ambiguous.
  static var rivals: [any RecordDialect.Type] { get }

  /// The names of the root fields that identify the line, with spaces between them, or nil. Called
  /// after the dialects before it.
  static func evidence(in line: LineFields) -> StaticString?

  /// Reads the line, whose fields are in `reader.root`, into the batch: events and operations
  /// there, owner and time in `record`. Undefined fields are counted as unknown.
  static func read(_ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch)
}

extension RecordDialect {
  static var form: RecordForm { .drafted }
  static var rivals: [any RecordDialect.Type] { [] }
}

/// The root fields of a line, for the detection of its dialect. A class, so that passing costs
/// nothing.
package final class LineFields {
  let root: RootFields
  let batch: RecordBatch
  let tape: Tape
  private let fixed: Dialect?

  package init(root: RootFields, batch: RecordBatch, fixed: Dialect? = nil) {
    self.root = root
    self.batch = batch
    tape = batch.tape
    self.fixed = fixed
  }

  /// Whether the value at `node` is an object that has the field.
  func has(_ field: RootField, in node: Node) -> Bool {
    var has = false
    tape.forEachMember(of: node.index) { key in
      if batch.field(of: tape[key]) == field { has = tape[key + 1].kind != .null }
    }
    return has
  }

  /// Whether `--dialect` sets this dialect for all lines.
  func isFixed(to dialect: any RecordDialect.Type) -> Bool {
    fixed.map { !$0.isMapped && DialectRegistry.all[Int($0.number)] == dialect } ?? false
  }

  func has(_ field: RootField) -> Bool { root.has(field) }
}

/// The readers of all dialects. With the rows of ``Dialect`` this is the only list of them.
package enum DialectRegistry {
  /// In the order of the rows: a dialect's number is its index in both.
  package static let all: [any RecordDialect.Type] = [
    V2Dialect.self,
    ActionDialect.self,
    BoltsDialect.self,
    PulseDialect.self,
    SDKDialect.self,
    RealmDialect.self,
    V1Dialect.self,
  ]
}

/// The result of detecting the dialect of a line (dialects 1).
package enum Detection {
  /// The dialect with this index in the list.
  case found(Int)
  /// Two rival dialects match the line: their indices in the list.
  case ambiguous(Int, Int)
  case unknown

  /// A `name` of so many bytes is no event name; it may be that of a notification
  /// (``BoltsDialect``).
  static var notificationName: Int { Characters.longestName + 3 }

  /// Of `dialects` in `asked` the first that matches wins, unless a rival matches, too.
  init(_ line: LineFields, among dialects: [any RecordDialect.Type], asked: UInt32 = .max) {
    var rest = asked
    while rest != 0 {
      let number = rest.trailingZeroBitCount
      guard number < dialects.count else { break }
      rest &= rest - 1
      guard dialects[number].evidence(in: line) != nil else { continue }
      for rival in dialects[number].rivals where rival.evidence(in: line) != nil {
        self = .ambiguous(number, dialects.firstIndex { $0 == rival } ?? number)
        return
      }
      self = .found(number)
      return
    }
    self = .unknown
  }

  /// Detects the dialect of a line among all dialects.
  package static func of(_ line: LineFields) -> Detection {
    let asked = hasLongName(line.root, line.tape) ? .max : Dialect.candidates(line.root.present)
    return Detection(line, among: DialectRegistry.all, asked: asked)
  }

  /// Whether only v2 and v1 can match the line, each by one of its identifying fields.
  @inline(__always)
  static func isUsual(_ root: RootFields, _ tape: Tape) -> Bool {
    root.present & RootField.foreign == 0 && !hasLongName(root, tape)
  }

  /// Whether a line has a `name` that may be that of a notification.
  private static func hasLongName(_ root: RootFields, _ tape: Tape) -> Bool {
    root.has(.name) && tape[root[.name]].length >= notificationName
  }
}
