import Pipeline

/// A form of records: how its lines are detected and read.
///
/// Adding one is a folder, a row of ``Dialect`` and a line in the ``DialectRegistry``; see
/// docs/reference/dialects.md. A dialect has no state: scratch memory belongs to the
/// ``DialectReader``. Its functions run on every lane, for one line at a time.
package protocol RecordDialect: SendableMetatype {
  /// The layout of its records; usually that of canonical records that the reader drafts.
  static var form: RecordForm { get }

  /// Dialects that must not match the same line: then it is ambiguous.
  static var rivals: [any RecordDialect.Type] { get }

  /// The fields that identify the line as one of this dialect, or nil. Called after the dialects
  /// before it, for lines with one of its identifying fields.
  static func evidence(in line: LineFields) -> Evidence?

  /// Reads the line, whose fields are in `reader.root`, into the batch: events and operations
  /// there, owner and time in `record`. Undefined fields are counted as unknown.
  static func read(
    _ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch)
}

extension RecordDialect {
  static var form: RecordForm { .drafted }
  static var rivals: [any RecordDialect.Type] { [] }
}

/// The root fields that decided the dialect of a line: one text, as it is returned for every line
/// in registers.
package struct Evidence: Equatable {
  /// Their names, with spaces between them.
  private let names: StaticString

  init(_ names: StaticString) { self.names = names }

  /// The names of the fields.
  package var fields: [String] { "\(names)".split(separator: " ").map(String.init) }

  package static func == (a: Evidence, b: Evidence) -> Bool { a.fields == b.fields }
}

/// The root fields of a line, for the detection of its dialect. A null field is absent; of repeated
/// ones the last counts (data-model 2). A class, so that passing it costs nothing.
package final class LineFields {
  let root: RootFields
  let batch: RecordBatch
  let tape: Tape
  /// The only dialect that is read, or nil.
  private let fixed: Dialect?
  /// The last argument and result of ``Dialect/candidates(_:)``: lines of one source have few sets
  /// of fields.
  private var last: (fields: FieldSet, candidates: UInt32) = (0, 0)

  package init(root: RootFields, batch: RecordBatch, fixed: Dialect? = nil) {
    self.root = root
    self.batch = batch
    tape = batch.tape
    self.fixed = fixed
  }

  /// A bit mask of the dialects that have one of the line's fields.
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

  /// Whether `--dialect` sets this dialect for all lines.
  func isFixed(to dialect: any RecordDialect.Type) -> Bool {
    fixed.map { !$0.isMapped && DialectRegistry.all[Int($0.number)] == dialect } ?? false
  }

  /// Whether the field is present.
  func has(_ field: RootField) -> Bool { root.has(field) }
}
