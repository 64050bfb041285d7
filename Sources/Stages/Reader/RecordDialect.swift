import Pipeline

/// A form that records are written in: how a line of it is told from others, and how it is read.
///
/// Adding one is a folder, a row of ``Dialect`` and a line in the ``DialectRegistry``; see
/// docs/reference/dialects.md. A dialect holds nothing: what it needs while it reads belongs to the
/// ``DialectReader``. Its functions run on every lane, for one line at a time.
package protocol RecordDialect: SendableMetatype {
  /// Which rules hold for its records; usually those of canonical records that the reader drafts.
  static var form: RecordForm { get }

  /// The dialects that a line must not be of as well: then it is ambiguous.
  static var rivals: [any RecordDialect.Type] { get }

  /// The fields that make the line one of this dialect, or nil when it is none. The dialects before
  /// it have been asked already. It is asked about lines with one of its identifying fields.
  static func evidence(in line: LineFields) -> Evidence?

  /// Reads the line, whose members `reader.root` holds, into the batch: events and operations
  /// there, who and when in `record`. What a form does not know it counts as unknown.
  static func read(
    _ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch)
}

extension RecordDialect {
  static var form: RecordForm { .drafted }
  static var rivals: [any RecordDialect.Type] { [] }
}

/// The root fields that decided what dialect a line is of: one text, as every line is asked and
/// texts are returned in registers.
package struct Evidence: Equatable {
  /// Their names, with spaces between them.
  private let names: StaticString

  init(_ names: StaticString) { self.names = names }

  /// The names of the fields.
  package var fields: [String] { "\(names)".split(separator: " ").map(String.init) }

  package static func == (a: Evidence, b: Evidence) -> Bool { a.fields == b.fields }
}

/// The root fields of a line, for the detection of its dialect. A field that is null is absent; of
/// repeated ones the last counts (data-model 2). A class, so that handing it on costs nothing.
package final class LineFields {
  let root: RootFields
  let batch: RecordBatch
  let tape: Tape
  /// The only dialect that is read, or nil.
  private let fixed: Dialect?
  /// The last argument and result of ``Dialect/candidates(_:)``: lines of one source have few sets
  /// of fields.
  private var last: (fields: UInt64, candidates: UInt32) = (0, 0)

  package init(root: RootFields, batch: RecordBatch, fixed: Dialect? = nil) {
    self.root = root
    self.batch = batch
    tape = batch.tape
    self.fixed = fixed
  }

  /// The numbers, as bits, of the dialects that have one of the line's fields.
  var candidates: UInt32 {
    if last.fields != root.present {
      last = (root.present, Dialect.candidates(root.present))
    }
    return last.candidates
  }

  /// Whether the value at `node` is an object that has the field.
  func has(_ field: RootField, in node: Node) -> Bool {
    var has = false
    tape.forEachMember(of: node.index) { key in
      if batch.field(of: tape[key]) == field { has = tape[key + 1].kind != .null }
    }
    return has
  }

  /// Whether `--dialect` says that all lines are of this dialect.
  func isFixed(to dialect: any RecordDialect.Type) -> Bool {
    fixed.map { !$0.isMapped && DialectRegistry.all[Int($0.number)] == dialect } ?? false
  }

  /// Whether the field is there.
  func has(_ field: RootField) -> Bool { root.has(field) }

  /// Whether one of the fields with these bits is there.
  func hasAny(_ bits: UInt64) -> Bool { root.hasAny(bits) }

  /// The tape index of the value of a field, or nil when it is absent.
  func node(_ field: RootField) -> Int? { root.has(field) ? root[field].index : nil }

  /// Whether a field is there that is not one of ``RootField``. Complexity: O(unknown fields).
  func has(_ name: ByteView) -> Bool { node(name) != nil }

  /// The tape index of its value, or nil when it is absent. Complexity: O(unknown fields).
  func node(_ name: ByteView) -> Int? {
    for position in root.unknownKeys.indices.reversed() {
      let key = root.unknownKeys[position].index
      if tape.bytes(at: key) == name { return tape[key + 1].kind == .null ? nil : key + 1 }
    }
    return nil
  }
}
