package struct NamedCount: Equatable, Sendable {
  package let name: String
  package let count: Int
  package init(_ name: String, _ count: Int) { (self.name, self.count) = (name, count) }
}

/// A value of one token.
package protocol DocumentScalar: DocumentValue, JSONScalar {
  init?(_ value: JSONValue)
}

extension DocumentScalar {
  fileprivate init?(some value: Self?) {
    guard let value else { return nil }
    self = value
  }

  package func write(to json: inout JSONWriter) { json.item(self) }

  package static func read(
    _ value: JSONValue, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> Self {
    guard let read = Self(value) else { throw .isNot(expected) }
    return read
  }
}

package protocol DocumentWord: DocumentScalar, CaseIterable, RawRepresentable<String> {}

extension DocumentWord {
  package static var expected: String {
    "one of \(allCases.map(\.rawValue).joined(separator: ", "))"
  }

  package init?(_ value: JSONValue) {
    guard let text = value.text else { return nil }
    self.init(rawValue: text)
  }

  package func appendJSON(to buffer: inout ByteBuffer) { rawValue.appendJSON(to: &buffer) }
}

extension String: DocumentScalar {
  package static var expected: String { "a text" }

  package init?(_ value: JSONValue) { self.init(some: value.text) }
}

extension Int: DocumentScalar {
  package static var expected: String { "a whole number" }

  package init?(_ value: JSONValue) { self.init(some: value.int) }
}

extension Double: DocumentScalar {
  package static var expected: String { "a number" }

  package init?(_ value: JSONValue) { self.init(some: value.double) }
}

extension Bool: DocumentScalar {
  package static var expected: String { "true or false" }

  package init?(_ value: JSONValue) { self.init(some: value.bool) }
}

extension UInt64: DocumentScalar {
  package static var expected: String { "a hash" }
  package init?(_ value: JSONValue) {
    guard let text = value.text, let number = UInt64(text, radix: 16), XXH64.text(number) == text
    else { return nil }
    self = number
  }
  package func appendJSON(to buffer: inout ByteBuffer) { XXH64.text(self).appendJSON(to: &buffer) }
}

extension Array: WrittenValue where Element: WrittenValue {
  package static var origin: Origin { .items(Element.origin) }

  package func write(to json: inout JSONWriter) {
    json.array { json in for item in self { item.write(to: &json) } }
  }
}

extension Array: DocumentValue where Element: DocumentValue {
  package static var expected: String { "an array" }

  package static func read(
    _ value: JSONValue, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> [Element] {
    guard value.kind == .array else { throw .isNot(expected) }
    return try value.items.map { item throws(DocumentDamage) in
      try Element.read(item, &reading)
    }
  }
}

extension Set: WrittenValue where Element: WrittenValue & Comparable {
  package func write(to json: inout JSONWriter) { sorted().write(to: &json) }
}

extension Set: DocumentValue where Element: DocumentValue & Comparable {
  package static var expected: String { "an array" }

  package static func read(
    _ value: JSONValue, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> Set { Set(try [Element].read(value, &reading)) }
}

/// An object whose names are data, in order.
package struct Named<Value: WrittenValue>: WrittenValue {
  private let all: [(name: String, value: Value)]

  package init(_ all: [(name: String, value: Value)]) { self.all = all }

  package static var origin: Origin { .named(.program, Value.origin) }

  package func write(to json: inout JSONWriter) { json.object { writeFields(to: &$0) } }

  package func writeFields(to json: inout JSONWriter) {
    for (name, value) in all {
      json.key(name)
      value.write(to: &json)
    }
  }
}

/// Any value, in the layout of the document that it is written to.
extension JSONValue: DocumentValue {
  package static var expected: String { "a value" }

  package func write(to json: inout JSONWriter) {
    switch kind {
    case .object: Named(members).write(to: &json)
    case .array: items.write(to: &json)
    default: json.item(self)
    }
  }

  package static func read(
    _ value: JSONValue, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> JSONValue { value }

  /// A credible count, which is not in the sum of the document's.
  package var count: Int? { int.flatMap { 0...DocumentReading.mostOfOne ~= $0 ? $0 : nil } }

  package func counted(
    in range: PartialRangeFrom<Int>, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> Int {
    guard let count = int, range.contains(count), count.magnitude <= DocumentReading.mostOfOne
    else { throw .isNot("a count") }
    try reading.take(count)
    return count
  }
}
