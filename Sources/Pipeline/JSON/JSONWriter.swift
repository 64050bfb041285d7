/// A value that ``JSONWriter`` can write as one token.
package protocol JSONScalar {
  func appendJSON(to buffer: inout ByteBuffer)
}

extension JSONScalar {
  package var jsonText: String {
    var text = ByteBuffer()
    appendJSON(to: &text)
    return text.view.text
  }
}

extension Int: JSONScalar {
  package func appendJSON(to buffer: inout ByteBuffer) { buffer.append(decimal: self) }
}

extension Double: JSONScalar {
  /// The shortest text that reads back as the same double; `null` when it is not finite.
  package func appendJSON(to buffer: inout ByteBuffer) {
    buffer.append(text: isFinite ? description : "null")
  }
}

extension Bool: JSONScalar {
  package func appendJSON(to buffer: inout ByteBuffer) { buffer.append(self ? "true" : "false") }
}

extension String: JSONScalar {
  package func appendJSON(to buffer: inout ByteBuffer) { buffer.appendJSONString(self) }
}

extension StaticString: JSONScalar {
  package func appendJSON(to buffer: inout ByteBuffer) { buffer.appendJSONString(ByteView(self)) }
}

extension ByteView: JSONScalar {
  package func appendJSON(to buffer: inout ByteBuffer) { buffer.appendJSONString(self) }
}

extension Optional: JSONScalar where Wrapped: JSONScalar {
  package func appendJSON(to buffer: inout ByteBuffer) {
    if let self { self.appendJSON(to: &buffer) } else { buffer.append("null") }
  }
}

/// JSON text that is written unchanged; the caller guarantees that it is one value.
package struct JSONText: JSONScalar {
  private let text: ByteView

  package init(_ text: ByteView) { self.text = text }
  package func appendJSON(to buffer: inout ByteBuffer) { buffer.append(text) }
}

/// Writes JSON: objects and arrays are closures, so they are always closed and commas are set.
///
/// ```swift
/// let text = JSONWriter.document(.pretty) { json in
///   json.member("count", 3)
///   json.array("names", of: ["ad_seen"])
/// }
/// ```
/// Values may follow each other, each ended by ``endLine()``: NDJSON. A field in an array, or an
/// item in an object, traps. Keys are not checked for repetition.
package struct JSONWriter: ~Copyable {
  /// Pretty is a line for every field and item, indented by two spaces per level.
  package enum Layout: Sendable { case compact, pretty }

  package typealias Body<E: Error> = (inout JSONWriter) throws(E) -> Void

  private enum Container { case none, object, array }

  private let layout: Layout
  private var buffer: ByteBuffer
  private var container = Container.none
  private var isEmpty = true
  private var hasKey = false
  private var depth = 0

  package init(_ layout: Layout = .compact, to buffer: consuming ByteBuffer = ByteBuffer()) {
    self.layout = layout
    self.buffer = buffer
  }

  package static func document<E: Error>(
    _ layout: Layout = .compact, _ members: Body<E>
  ) throws(E) -> ByteBuffer {
    var json = JSONWriter(layout)
    try json.object(members)
    json.endLine()
    return json.finish()
  }

  package static func line(to text: inout ByteBuffer, _ members: (inout JSONWriter) -> Void) {
    var json = JSONWriter(to: text)
    json.object(members)
    json.endLine()
    text = json.finish()
  }

  package var bytes: ByteView { buffer.view }

  package consuming func finish() -> ByteBuffer {
    precondition(depth == 0, "a JSON text ends when all its objects and arrays have")
    return buffer
  }

  package mutating func endLine() {
    precondition(depth == 0 && !isEmpty, "a line ends after a whole JSON value")
    buffer.append(JSONByte.lineFeed)
    isEmpty = true
  }

  // MARK: Scalars

  /// Writes a key of the open object; the next value is that of the field.
  package mutating func key(_ key: some JSONScalar) {
    precondition(container == .object && !hasKey, "only an object has fields")
    separate()
    key.appendJSON(to: &buffer)
    buffer.append(JSONByte.colon)
    if layout == .pretty { buffer.append(JSONByte.space) }
    hasKey = true
  }

  package mutating func member(_ key: some JSONScalar, _ value: some JSONScalar) {
    self.key(key)
    item(value)
  }

  /// `value` appends the text of the field's value.
  package mutating func member(_ key: some JSONScalar, _ value: (inout ByteBuffer) -> Void) {
    self.key(key)
    beginItem()
    value(&buffer)
  }

  /// Writes the next item of the open array, the value of the key, or a top-level value.
  package mutating func item(_ value: some JSONScalar) {
    beginItem()
    value.appendJSON(to: &buffer)
  }

  // MARK: Objects and arrays: items, and as fields `key` of the open object

  package mutating func object<E>(_ members: Body<E>) throws(E) { try nest(.object, members) }
  package mutating func array<E>(_ items: Body<E>) throws(E) { try nest(.array, items) }

  package mutating func object<E>(_ key: some JSONScalar, _ members: Body<E>) throws(E) {
    self.key(key)
    try nest(.object, members)
  }

  package mutating func array<E>(_ key: some JSONScalar, _ items: Body<E>) throws(E) {
    self.key(key)
    try nest(.array, items)
  }

  package mutating func object(_ key: some JSONScalar, of members: some Sequence<NamedCount>) {
    object(key) { json in for item in members { json.member(item.name, item.count) } }
  }

  package mutating func array(_ key: some JSONScalar, of values: some Sequence<some JSONScalar>) {
    array(key) { json in for value in values { json.item(value) } }
  }

  /// An array of objects, whose fields `members` writes.
  package mutating func objects<Elements: Sequence, E: Error>(
    _ key: some JSONScalar, of elements: Elements,
    _ members: (_ element: Elements.Element, inout JSONWriter) throws(E) -> Void
  ) throws(E) {
    try array(key) { json throws(E) in
      for element in elements { try json.object { json throws(E) in try members(element, &json) } }
    }
  }

  // MARK: Layout

  private mutating func beginItem() {
    if hasKey {
      hasKey = false
      return
    }
    precondition(container != .object, "an object's field has a key")
    precondition(container == .array || isEmpty, "a line feed separates JSON values")
    separate()
  }

  /// Writes the comma after the previous value, and a line break in the pretty layout.
  private mutating func separate() {
    if !isEmpty { buffer.append(JSONByte.comma) }
    isEmpty = false
    if container != .none { breakLine() }
  }

  private mutating func breakLine() {
    guard layout == .pretty else { return }
    buffer.append(JSONByte.lineFeed)
    for _ in 0..<depth { buffer.append("  ") }
  }

  private mutating func nest<E>(_ inner: Container, _ body: Body<E>) throws(E) {
    beginItem()
    let outer = container
    buffer.append(inner == .object ? JSONByte.openBrace : JSONByte.openBracket)
    container = inner
    isEmpty = true
    depth += 1
    defer {
      depth -= 1
      if !isEmpty { breakLine() }
      buffer.append(inner == .object ? JSONByte.closeBrace : JSONByte.closeBracket)
      container = outer
      isEmpty = false
    }
    try body(&self)
  }
}
