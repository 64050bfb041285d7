/// Divides a text into words and the characters between them (data-model 13.7).
///
/// A word is a run of letters, digits, marks and `_`, as Unicode classifies them. A letter of a
/// script that is written without spaces is a word of its own. Any other character, an invisible
/// mark, and a byte that is not UTF-8 are between words.
package struct Words: Sequence, IteratorProtocol {
  package struct Part: Equatable {
    package let range: Range<Int>
    package let isWord: Bool
  }

  private enum Kind {
    /// Part of a word with its neighbours.
    case inner
    case whole
    case between
  }

  private let text: ByteView
  private var position = 0

  package init(_ text: ByteView) { self.text = text }

  package mutating func next() -> Part? {
    guard position < text.count else { return nil }
    let start = position
    let (kind, end) = Self.kind(in: text, at: start)
    position = end
    guard kind == .inner else { return Part(range: start..<end, isWord: kind == .whole) }
    while position < text.count {
      let (kind, end) = Self.kind(in: text, at: position)
      if kind != .inner { break }
      position = end
    }
    return Part(range: start..<position, isWord: true)
  }

  /// Whether a word may begin or end at `index`, between two characters.
  package static func isBoundary(_ text: ByteView, _ index: Int) -> Bool {
    index == text.count || kind(in: text, at: index).kind != .inner
      || !endsWithin(text[0..<index])
  }

  /// Whether a letter after the text would continue its last word.
  package static func endsWithin(_ text: ByteView) -> Bool {
    guard let last = Scalars.last(of: text, before: text.count) else { return false }
    return kind(in: text, at: last.start).kind == .inner
  }

  /// And the index after it.
  private static func kind(in text: ByteView, at position: Int) -> (kind: Kind, end: Int) {
    let byte = text[position]
    if byte < 0x80 {
      let isInner =
        Characters.isLetter(byte) || Characters.isDigit(byte) || byte == UInt8(ascii: "_")
      return (isInner ? .inner : .between, position + 1)
    }
    var scalars = Scalars(text, from: position)
    let scalar = scalars.next() ?? "\u{FFFD}"
    return (kind(of: scalar), scalars.position)
  }

  private static func kind(of scalar: Unicode.Scalar) -> Kind {
    let properties = scalar.properties
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .nonspacingMark, .spacingMark, .enclosingMark:
      if properties.isDefaultIgnorableCodePoint { return .between }
      return isWrittenWithoutSpaces(scalar, properties) ? .whole : .inner
    default: return .between
    }
  }

  /// Chinese, Japanese, Korean, whose particles follow a name directly, Thai, Lao, Burmese, Khmer.
  private static func isWrittenWithoutSpaces(
    _ scalar: Unicode.Scalar, _ properties: Unicode.Scalar.Properties
  ) -> Bool {
    switch scalar.value {
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1100...0x11FF, 0x1780...0x17FF, 0x3040...0x318F,
      0x31F0...0x31FF, 0xAC00...0xD7FF, 0xFF66...0xFFDC:
      true
    default: properties.isIdeographic
    }
  }
}
