import Pipeline

/// A JSON value, parsed by short code that is obviously correct: the reference for the scanner, and
/// the form in which tests compare JSON.
///
/// Numbers are their source text; nothing is rounded.
package indirect enum NaiveJSON: Sendable {
  package struct Member: Sendable {
    package var name: String
    package var value: NaiveJSON

    package init(name: String, value: NaiveJSON) { (self.name, self.value) = (name, value) }
  }

  case object([Member])
  case array([NaiveJSON])
  case string(String)
  case number(String)
  case bool(Bool)
  case null

  /// Why and where a text is not a JSON value.
  package struct Fault: Error, Equatable {
    /// A container opens below the deepest level allowed; else the text breaks the grammar.
    package let isTooDeep: Bool
    /// The offset of the first unexpected byte, or of the backslash of a bad escape.
    package let offset: Int
  }

  /// Parses `bytes`, which must be one value with nothing but white space around it.
  package init(parsing bytes: [UInt8], maxDepth: Int = 64) throws(Fault) {
    var parser = NaiveParser(bytes: bytes, maxDepth: maxDepth)
    self = try parser.document()
  }

  package init(parsing text: String) throws(Fault) { try self.init(parsing: Array(text.utf8)) }

  /// The value of the last field with this name; nil if this is not an object that has it.
  package subscript(name: String) -> NaiveJSON? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// The item at `index`; nil if this is not an array that has it.
  package subscript(index: Int) -> NaiveJSON? {
    guard case .array(let items) = self, items.indices.contains(index) else { return nil }
    return items[index]
  }
}

extension NaiveJSON {
  package var text: String? { if case .string(let text) = self { text } else { nil } }

  package var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }

  package var real: Double? { if case .number(let text) = self { Double(text) } else { nil } }

  package var items: [NaiveJSON] { if case .array(let items) = self { items } else { [] } }

  package var names: [String] {
    if case .object(let members) = self { members.map(\.name) } else { [] }
  }
}

extension NaiveJSON: Equatable {
  /// Equality of values. The order of fields does not matter, except among fields of one name.
  /// Strings are equal when their bytes are, numbers when their texts are.
  package static func == (a: NaiveJSON, b: NaiveJSON) -> Bool {
    switch (a, b) {
    case (.object(let a), .object(let b)):
      guard a.count == b.count else { return false }
      return zip(sorted(a), sorted(b)).allSatisfy {
        $0.name.utf8.elementsEqual($1.name.utf8) && $0.value == $1.value
      }
    case (.array(let a), .array(let b)): return a == b
    case (.string(let a), .string(let b)): return a.utf8.elementsEqual(b.utf8)
    case (.number(let a), .number(let b)): return a == b
    case (.bool(let a), .bool(let b)): return a == b
    case (.null, .null): return true
    default: return false
    }
  }

  private static func sorted(_ members: [Member]) -> [Member] {
    members.enumerated().sorted { a, b in
      if a.element.name.utf8.elementsEqual(b.element.name.utf8) { return a.offset < b.offset }
      return a.element.name.utf8.lexicographicallyPrecedes(b.element.name.utf8)
    }.map(\.element)
  }
}

struct NaiveParser {
  let bytes: [UInt8]
  let maxDepth: Int
  var position = 0

  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  func fault(at offset: Int? = nil, isTooDeep: Bool = false) -> NaiveJSON.Fault {
    NaiveJSON.Fault(isTooDeep: isTooDeep, offset: offset ?? position)
  }

  mutating func document() throws(NaiveJSON.Fault) -> NaiveJSON {
    let value = try value(depth: 1)
    skipSpace()
    guard next == nil else { throw fault() }
    return value
  }

  mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func require(_ character: Unicode.Scalar) throws(NaiveJSON.Fault) {
    guard take(character) else { throw fault() }
  }

  mutating func value(depth: Int) throws(NaiveJSON.Fault) -> NaiveJSON {
    skipSpace()
    switch next.map(Unicode.Scalar.init) {
    case "{": return try object(depth: depth)
    case "[": return try array(depth: depth)
    case "\"": return .string(try string())
    case "t": return try literal("true", .bool(true))
    case "f": return try literal("false", .bool(false))
    case "n": return try literal("null", .null)
    default: return .number(try number())
    }
  }

  mutating func object(depth: Int) throws(NaiveJSON.Fault) -> NaiveJSON {
    guard depth <= maxDepth else { throw fault(isTooDeep: true) }
    try require("{")
    var members: [NaiveJSON.Member] = []
    skipSpace()
    if take("}") { return .object([]) }
    while true {
      skipSpace()
      let name = try string()
      skipSpace()
      try require(":")
      members.append(.init(name: name, value: try value(depth: depth + 1)))
      skipSpace()
      if take("}") { return .object(members) }
      try require(",")
    }
  }

  mutating func array(depth: Int) throws(NaiveJSON.Fault) -> NaiveJSON {
    guard depth <= maxDepth else { throw fault(isTooDeep: true) }
    try require("[")
    var items: [NaiveJSON] = []
    skipSpace()
    if take("]") { return .array([]) }
    while true {
      items.append(try value(depth: depth + 1))
      skipSpace()
      if take("]") { return .array(items) }
      try require(",")
    }
  }

  mutating func literal(
    _ text: String, _ value: NaiveJSON
  ) throws(NaiveJSON.Fault) -> NaiveJSON {
    for scalar in text.unicodeScalars { try require(scalar) }
    return value
  }

  mutating func number() throws(NaiveJSON.Fault) -> String {
    let start = position
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  mutating func digits() throws(NaiveJSON.Fault) {
    guard let first = next, (0x30...0x39).contains(first) else { throw fault() }
    while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
  }

  mutating func string() throws(NaiveJSON.Fault) -> String {
    try require("\"")
    var text: [UInt8] = []
    while let byte = next {
      if take("\"") { return String(decoding: text, as: UTF8.self) }
      if byte < 0x20 { throw fault() }
      if byte == UInt8(ascii: "\\") {
        text += String(try escape()).utf8
      } else {
        text.append(byte)
        position += 1
      }
    }
    throw fault()
  }

  mutating func escape() throws(NaiveJSON.Fault) -> Character {
    let start = position
    let letters: [UInt8: Character] = [
      0x22: "\"", 0x5C: "\\", 0x2F: "/", 0x62: "\u{8}", 0x66: "\u{C}", 0x6E: "\n", 0x72: "\r",
      0x74: "\t",
    ]
    if let unit = unit() {
      if let scalar = Unicode.Scalar(unit) { return Character(scalar) }
      guard UTF16.isLeadSurrogate(unit), let low = self.unit(), UTF16.isTrailSurrogate(low) else {
        throw fault(at: start)
      }
      let pair = String(decoding: [unit, low], as: UTF16.self)
      return Character(pair)
    }
    try require("\\")
    guard let letter = next, let character = letters[letter] else { throw fault(at: start) }
    position += 1
    return character
  }

  /// The code unit of a `\uXXXX`, if one comes next.
  mutating func unit() -> UInt16? {
    guard position + 6 <= bytes.count, bytes[position] == 0x5C, bytes[position + 1] == 0x75 else {
      return nil
    }
    let digits = bytes[position + 2..<position + 6].map(Unicode.Scalar.init)
    guard digits.allSatisfy({ $0.properties.isASCIIHexDigit }) else { return nil }
    position += 6
    return UInt16(String(String.UnicodeScalarView(digits)), radix: 16)
  }
}

extension NaiveJSON {
  package var source: String {
    switch self {
    case .object(let members):
      let fields = members.map { "\(NaiveJSON.string($0.name).source):\($0.value.source)" }
      return "{\(fields.joined(separator: ","))}"
    case .array(let items): return "[\(items.map(\.source).joined(separator: ","))]"
    case .string(let text): return text.jsonText
    case .number(let text): return text
    case .bool(let bool): return "\(bool)"
    case .null: return "null"
    }
  }
}
