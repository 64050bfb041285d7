import Pipeline
import Stages

/// A tracking plan: the events, and the attributes of each (docs/guides/tracking.md). A JSON
/// document, in which every event is a JSON Schema of its attributes in canonical v2.
package struct TrackingPlan: Equatable, Sendable {
  static let version = 1
  static let schema = "https://json-schema.org/draft/2020-12/schema"
  /// Longest document, in bytes.
  static let longest = 64 << 20

  struct Event: Equatable, Sendable {
    var description = ""
    var owner = ""
    /// By the key as in canonical records, `date(KEY)` included.
    var properties: [String: Property] = [:]
    var required: Set<String> = []
    /// Whether it may have attributes that the plan does not name.
    var isOpen = false
  }

  struct Property: Equatable, Sendable {
    var description = ""
    var owner = ""
    var types = ValueTypes.all
    /// The valid types of the items of an array.
    var items = ValueTypes.all
    /// The only allowed values; nil for any.
    var allowed: [AllowedValue]?
    var least: PlanNumber?
    var greatest: PlanNumber?
    /// Milliseconds since 1970.
    var earliest: Int?
    var latest: Int?
  }

  var description = ""
  /// By the canonical name.
  var events: [String: Event] = [:]
}

/// One of the allowed values of an attribute.
enum AllowedValue: DocumentScalar, Equatable, Sendable {
  case text(String)
  case number(PlanNumber)
  case bool(Bool)

  static let expected = "a text, a number, true or false"

  init?(_ value: JSONValue) {
    if let text = value.text {
      self = .text(text)
    } else if let bool = value.bool {
      self = .bool(bool)
    } else if let number = PlanNumber(value) {
      self = .number(number)
    } else {
      return nil
    }
  }

  var text: String { if case .text(let text) = self { text } else { jsonText } }

  func appendJSON(to buffer: inout ByteBuffer) {
    switch self {
    case .text(let text): text.appendJSON(to: &buffer)
    case .number(let number): number.appendJSON(to: &buffer)
    case .bool(let isTrue): isTrue.appendJSON(to: &buffer)
    }
  }
}

/// Types of values with their JSON Schema names.
struct ValueTypes: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let array = ValueTypes(rawValue: 1)
  static let boolean = ValueTypes(rawValue: 2)
  static let integer = ValueTypes(rawValue: 4)
  static let number = ValueTypes(rawValue: 8)
  static let object = ValueTypes(rawValue: 16)
  static let string = ValueTypes(rawValue: 32)

  static let named: [(name: String, type: ValueTypes)] = [
    ("array", .array), ("boolean", .boolean), ("integer", .integer), ("number", .number),
    ("object", .object), ("string", .string),
  ]
  static let all = ValueTypes(named.map(\.type))

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(of value: TapeEntry) {
    self =
      switch value.kind {
      case .string, .date: .string
      case .integer: .integer
      case .double: .number
      case .true, .false: .boolean
      case .array: .array
      case .object: .object
      case .key, .null: []
      }
  }

  var names: [String] { Self.named.filter { contains($0.type) }.map(\.name) }

  /// Whether a value is of one of the types; every integer is a number, and 2.0 an integer.
  func take(_ value: TapeEntry, of tape: Tape) -> Bool {
    let type = ValueTypes(of: value)
    if contains(type) { return true }
    switch value.kind {
    case .integer: return contains(.number)
    case .double:
      guard contains(.integer), let number = PlanNumber(value, of: tape) else { return false }
      return number.isWhole
    default: return false
    }
  }
}

/// A number that bounds values: exact if it is an integer, else the nearest double.
enum PlanNumber: Sendable {
  case int(Int)
  case double(Double)

  /// The number in a JSON text; nil when it is not one, or not finite.
  init?(_ text: String) {
    if let int = Int(text) {
      self = .int(int)
    } else if let double = Double(text), double.isFinite {
      // Of the two zeros, which are equal, one.
      self = .double(double == 0 ? 0 : double)
    } else {
      return nil
    }
  }

  /// The number at an entry; nil for any other value.
  init?(_ value: TapeEntry, of tape: Tape) {
    guard value.kind == .integer || value.kind == .double else { return nil }
    self.init(tape.bytes(value).text)
  }

  var isWhole: Bool {
    switch self {
    case .int: true
    case .double(let number): number == number.rounded()
    }
  }
}

extension PlanNumber: Comparable {
  static func < (a: PlanNumber, b: PlanNumber) -> Bool {
    switch (a, b) {
    case (.int(let a), .int(let b)): a < b
    case (.double(let a), .double(let b)): a < b
    case (.int(let a), .double(let b)): order(a, b) < 0
    case (.double(let a), .int(let b)): order(b, a) > 0
    }
  }

  static func == (a: PlanNumber, b: PlanNumber) -> Bool { !(a < b) && !(b < a) }

  /// -1, 0 or 1 as the integer is less than, equal to or greater than the double, unrounded.
  private static func order(_ int: Int, _ double: Double) -> Int {
    if double >= 0x1p63 { return -1 }
    if double < -0x1p63 { return 1 }
    let floor = Int(double.rounded(.down))
    if int != floor { return int < floor ? -1 : 1 }
    return double > double.rounded(.down) ? -1 : 0
  }
}

extension PlanNumber: DocumentScalar {
  static let expected = "a number"

  init?(_ value: JSONValue) {
    guard value.kind == .integer || value.kind == .double else { return nil }
    self.init(value.source)
    // Equal numbers of two plans have one text.
    if case .double(let double) = self, let int = Int(exactly: double) { self = .int(int) }
  }

  func appendJSON(to buffer: inout ByteBuffer) {
    switch self {
    case .int(let int): int.appendJSON(to: &buffer)
    case .double(let double): double.appendJSON(to: &buffer)
    }
  }
}
