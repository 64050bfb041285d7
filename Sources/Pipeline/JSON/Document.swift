/// A JSON object that is described once, by rows: writing, checked reading, adding and comparing
/// follow from them. Unknown fields of a document that is read are ignored.
///
/// ```swift
/// struct Tool: Document {
///   var version = "", restarts = 0
///   static let fields: [Field<Tool>] = [
///     .value("version", \.version), .count("restarts", \.restarts, omitsZero: true),
///   ]
/// }                                     // {"version":"1.0.0"}
/// ```
package protocol Document: WrittenObject, DocumentValue {
  /// Each field has the value that it has when it is omitted.
  init()

  /// Greatest sum of its counts.
  static var mostCounted: Int { get }

  /// Checks what no single row can: orders, sums.
  func check() throws(DocumentDamage)

  /// Adds another document: by default its counts.
  mutating func add(_ other: Self)
}

/// A value that can be written into a document, as one JSON value.
package protocol WrittenValue: SendableMetatype {
  /// Which of its texts come from lines of logs.
  static var origin: Origin { get }

  func write(to json: inout JSONWriter)
}

/// An object that is described by rows, in the order in which they are written.
package protocol WrittenObject: WrittenValue {
  static var fields: [Field<Self>] { get }
}

/// A value in a document.
package protocol DocumentValue: WrittenValue {
  /// What it should be, as in "a count".
  static var expected: String { get }

  static func read(
    _ value: JSONValue, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> Self
}

package struct DocumentDamage: Error, Equatable {
  /// The names of the fields on the way to the value, the innermost first.
  private var path: [String] = []
  /// As in "is not a count".
  private let fault: String

  package init(_ fault: String) { self.fault = fault }

  package static func isNot(_ expected: String) -> DocumentDamage {
    DocumentDamage("is not \(expected)")
  }

  package func inside(_ name: String) -> DocumentDamage {
    var damage = self
    damage.path.append(name)
    return damage
  }

  /// As in "inputs.ledger.lines.total is not a count".
  package var why: String {
    "\(path.isEmpty ? "it" : path.reversed().joined(separator: ".")) \(fault)"
  }
}

/// The state of reading a document of another process: each count must be credible, and the sum of
/// all, so that no sum of some overflows.
package struct DocumentReading {
  /// Greatest count: far more bytes than the logs of any night have.
  package static let mostOfOne = 1 << 48
  /// Greatest sum of the counts of all documents that are added up.
  package static let most = 1 << 52

  private let most: Int

  package private(set) var counted = 0

  package init(most: Int = DocumentReading.most) { self.most = most }

  package mutating func take(_ count: Int) throws(DocumentDamage) {
    guard count.magnitude <= Self.mostOfOne, counted + abs(count) <= most else {
      throw DocumentDamage("exceeds what logs can hold")
    }
    counted += abs(count)
  }
}

extension WrittenValue {
  package static var origin: Origin { .program }

  package func write(_ key: StaticString, to json: inout JSONWriter) {
    json.key(key)
    write(to: &json)
  }
}

extension WrittenObject {
  package static var origin: Origin { .fields(Field.origins(of: fields)) }

  package func write(to json: inout JSONWriter) { json.object { writeFields(to: &$0) } }

  package func writeFields(to json: inout JSONWriter) {
    for field in Self.fields { field.write(self, &json) }
  }

  package func text(_ layout: JSONWriter.Layout = .compact) -> ByteBuffer {
    JSONWriter.document(layout) { writeFields(to: &$0) }
  }
}

extension Document {
  package static var expected: String { "an object" }

  package func check() throws(DocumentDamage) {}

  package static func read(
    _ value: JSONValue, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> Self {
    guard value.kind == .object else { throw .isNot(expected) }
    var document = Self()
    try document.readFields(of: value, &reading)
    return document
  }

  package mutating func readFields(
    of object: JSONValue, _ reading: inout DocumentReading
  ) throws(DocumentDamage) {
    for field in Self.fields { try field.read(&self, object, &reading) }
    try check()
  }

  package static var mostCounted: Int { DocumentReading.most }

  /// Reads a document whose counts add up to at most `most`.
  package init(_ value: JSONValue, most: Int = Self.mostCounted) throws(DocumentDamage) {
    var reading = DocumentReading(most: most)
    self = try Self.read(value, &reading)
  }

  package init?(orNil value: JSONValue?) {
    guard let value, let document = try? Self(value) else { return nil }
    self = document
  }

  package mutating func add(_ other: Self) { addCounts(of: other) }

  /// The same, for an addition that also joins other values.
  package mutating func addCounts(of other: Self) {
    for field in Self.fields { field.add(&self, other) }
  }
}
