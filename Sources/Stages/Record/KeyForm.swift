package import Pipeline

/// The type that a key gives its value: none, or as `date(KEY)` one of these (data-model 6).
/// The order is the precedence on a full tie (data-model 13.1): the smaller wins. States have the
/// raw values.
@frozen
package enum KeyForm: UInt8, CaseIterable, Sendable {
  case plain, date, url

  /// The text before the name in a key of this form; a parenthesis follows the name then.
  var opening: StaticString {
    switch self {
    case .plain: ""
    case .date: "date("
    case .url: "url("
    }
  }

  /// The type of a text under such a key.
  fileprivate var type: ValueType {
    switch self {
    case .plain: .string
    case .date: .date
    case .url: .url
    }
  }

  /// The format of the type in JSON Schema.
  package var format: String? {
    switch self {
    case .plain: nil
    case .date: "date-time"
    case .url: "uri"
    }
  }

  /// The rule for the value; nil = a time.
  var rule: TextRule? { self == .url ? .url : nil }
  var isInV1: Bool { self != .url }

  /// The forms whose keys have a parenthesis.
  package static let typed = [date, url]
  static let count = allCases.count

  /// The word before the parenthesis.
  var name: String { String("\(opening)".dropLast()) }

  /// The form of a key as in outputs.
  package init(of key: String) {
    self = Self.typed.first { key.hasPrefix("\($0.opening)") } ?? .plain
  }

  /// The key with this name.
  package func key(_ name: String) -> String { self == .plain ? name : "\(opening)\(name))" }
}

/// The kind of an attribute key: its form if it is valid (data-model 6). Stored in the `form` of
/// the key's tape entry, which has four bits.
package enum KeyKind: UInt8, BitwiseCopyable {
  // The raw values of ``KeyForm``.
  case plain, date, url
  case bad = 12
  /// Begins with `$`.
  case reserved
  /// `$label` and `$tags` at the root of an event's attributes.
  case label, tags

  /// The form of a valid key.
  package var form: KeyForm? { KeyForm(rawValue: rawValue) }
  var isValid: Bool { form != nil }

  /// The kind of the key `text`, which is of this kind elsewhere, at the root of an event.
  func atEventRoot(_ text: ByteView) -> KeyKind {
    text == "$label" ? .label : text == "$tags" ? .tags : self
  }

  init(_ form: KeyForm) { self = KeyKind(rawValue: form.rawValue) ?? .bad }
}

/// The type of an attribute's value, by its name in tables and comparisons.
package enum ValueType: String, CaseIterable, Sendable {
  case string, integer, double, boolean, date, url, array

  /// The type of a value under a key of the kind `key`; nil when no attribute has it.
  package init?(_ key: KeyKind, _ value: TapeKind) {
    switch value {
    case .string: self = key.form?.type ?? .string
    case .array: self = .array
    case .true, .false: self = .boolean
    case .double: self = .double
    case .integer: self = .integer
    default: return nil
    }
  }
}

extension TapeEntry {
  /// The kind of the key; set by ``KeyName/classify(_:in:)``.
  package var keyKind: KeyKind {
    get {
      guard let kind = KeyKind(rawValue: form) else {
        preconditionFailure("only a classified key has a kind")
      }
      return kind
    }
    set { form = newValue.rawValue }
  }

  package var isValidKey: Bool { KeyForm(rawValue: form) != nil }

  package var keyForm: KeyForm { KeyForm(rawValue: form) ?? .plain }
}
