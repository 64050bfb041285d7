import Pipeline

/// Writes HTML from the outside in: elements are closures, so they are always closed, and every
/// text and every value of an attribute is escaped. The only way to write unescaped text is
/// ``constant(_:)``, which accepts only text of the program.
struct HTMLWriter: ~Copyable {
  /// The attributes of an element, in order; those with the value nil are omitted.
  struct Attributes: ExpressibleByDictionaryLiteral {
    fileprivate let all: [(name: StaticString, value: String?)]

    init(dictionaryLiteral all: (StaticString, String?)...) { self.all = all }
  }

  /// Longest text from an input (a path, a name) that is shown whole, in Unicode scalars.
  static let longestText = 240

  private var buffer = ByteBuffer(capacity: 64 << 10)

  /// An empty text.
  init() {}

  /// The text that was written.
  consuming func finish() -> ByteBuffer { buffer }

  /// Writes text of the program unchanged.
  mutating func constant(_ text: StaticString) { buffer.append(ByteView(text)) }

  /// Writes text of the program, which is markup.
  mutating func constant(_ text: [UInt8]) { buffer.append(contentsOf: text) }

  /// Writes the element `name` with the content that `content` writes.
  mutating func element(
    _ name: StaticString, _ attributes: Attributes = [:],
    _ content: (inout HTMLWriter) -> Void
  ) {
    open(name, attributes)
    content(&self)
    buffer.append(ByteView("</"))
    buffer.append(ByteView(name))
    buffer.append(ByteView(">"))
  }

  /// Writes the element `name` with `text` in it.
  mutating func element(_ name: StaticString, _ attributes: Attributes, _ text: String) {
    element(name, attributes) { $0.text(text) }
  }

  /// Writes the element `name`, which has no attributes, with `text` in it.
  mutating func element(_ name: StaticString, _ text: String) { element(name, [:], text) }

  /// Writes the element `name`, which has no content and no end.
  mutating func void(_ name: StaticString, _ attributes: Attributes = [:]) {
    open(name, attributes)
  }

  /// Writes text.
  mutating func text(_ text: String) { Self.escape(text, into: &buffer) }

  /// Writes lines of text.
  mutating func lines(_ text: String) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      self.text(String(line))
      endLine()
    }
  }

  /// Ends a line of the source, for readability.
  mutating func endLine() { buffer.append(UInt8(ascii: "\n")) }

  private mutating func open(_ name: StaticString, _ attributes: Attributes) {
    buffer.append(ByteView("<"))
    buffer.append(ByteView(name))
    for (name, value) in attributes.all {
      guard let value else { continue }
      buffer.append(ByteView(" "))
      buffer.append(ByteView(name))
      buffer.append(ByteView("=\""))
      Self.escape(value, into: &buffer)
      buffer.append(ByteView("\""))
    }
    buffer.append(ByteView(">"))
  }
}

// MARK: - Escaping

extension HTMLWriter {
  /// Appends `text`, escaped for use between tags and between double quotes.
  ///
  /// Invisible characters are made visible, as `\u{202E}`: control characters, which HTML does not
  /// allow, and those that reorder or hide text, which could disguise a path.
  private static func escape(_ text: String, into buffer: inout ByteBuffer) {
    // Most texts are names and numbers, which need no escaping.
    if text.utf8.allSatisfy(isPlain) { return buffer.append(text: text) }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": buffer.append(ByteView("&amp;"))
      case "<": buffer.append(ByteView("&lt;"))
      case ">": buffer.append(ByteView("&gt;"))
      case "\"": buffer.append(ByteView("&quot;"))
      case "'": buffer.append(ByteView("&#39;"))
      default:
        if scalar.isVisible {
          buffer.append(scalar)
        } else {
          buffer.append(text: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}")
        }
      }
    }
  }

  /// Whether a byte is visible ASCII without a special meaning.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
      UInt8(ascii: "'"):
      false
    default: (0x20..<0x7F).contains(byte)
    }
  }

  /// A share from 0 to 1 as a length or a position in a drawing; other values are clamped. With
  /// percentages a drawing fills the available width, and its letters keep their size.
  static func percent(_ share: Double) -> String {
    NumberFormat.thousandths(min(max(share.isFinite ? share : 0, 0), 1) * 100) + "%"
  }

  /// A text from an input, cut in the middle when it is very long: both ends of a path are
  /// informative.
  static func clipped(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard scalars.count > longestText else { return text }
    let half = longestText / 2
    return String(String.UnicodeScalarView(scalars.prefix(half))) + "…"
      + String(String.UnicodeScalarView(scalars.suffix(half)))
  }
}
