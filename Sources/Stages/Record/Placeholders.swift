package import Pipeline

package enum IDKind {
  case person, installation, event
}

/// Texts that programs write when they have no id (data-model 5, `--nobody`). If they counted as
/// ids, they would join strangers. They are compared in lower case, without white space at both
/// ends. A class, because every stage has a copy of the rules, which is to stay small.
package final class Placeholders: Sendable, Equatable {
  /// Most words that a file may add, and the longest of them in bytes.
  package static let mostAdded = 10_000
  package static let longestAdded = 4 * Limits.customID
  /// The recorded form of ``fewest``. No added word is equal to it: it is built in.
  private static let fewestText = "none"

  /// Words that are placeholders under all rules, but only as custom ids.
  private static let personWords = [
    "undefined", "null", "nil", "(null)", "[object object]", "true", "false", "nan", "infinity",
    "-infinity",
  ]
  private static let otherWords = [
    "none", "n/a", "(not set)", "not_authenticated", "anonymous", "guest", "distinct_id", "0", "-1",
    "optional(nil)",
  ]

  /// The built-in words and forms.
  package static let standard = Placeholders(added: [])
  /// Only ten words, as custom ids (`--nobody none`).
  package static let fewest = Placeholders(isFewest: true, added: [])

  let isFewest: Bool
  /// The added words in the compared form, sorted by bytes, without those that are built in.
  private let added: [String]
  /// All words in the compared form, sorted by bytes.
  private let words: [[UInt8]]
  /// By first and by last byte of a text: the lengths of possible placeholders as bits, the last
  /// one for all that are longer. Most ids differ from all placeholders in one of the three.
  private let firsts: [256 of UInt64]
  private let lasts: [256 of UInt64]

  package convenience init(added: [String]) { self.init(isFewest: false, added: added) }

  private init(isFewest: Bool, added: [String]) {
    let builtIn = isFewest ? Self.personWords : Self.personWords + Self.otherWords
    var extra: [String] = []
    if !added.isEmpty {
      extra = Set(added.map(Self.compared)).subtracting(builtIn + [""])
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
    (self.isFewest, self.added) = (isFewest, extra)
    words = (builtIn + extra).map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    var firsts = [256 of UInt64](repeating: 0)
    var lasts = [256 of UInt64](repeating: 0)
    func add(_ first: UInt8, _ last: UInt8, _ lengths: UInt64) {
      firsts[Int(first)] |= lengths
      lasts[Int(last)] |= lengths
      if Characters.isLetter(first) { firsts[Int(first & ~0x20)] |= lengths }
      if Characters.isLetter(last) { lasts[Int(last & ~0x20)] |= lengths }
    }
    for word in words { add(word[0], word[word.count - 1], Self.bit(of: word.count)) }
    if !isFewest {
      for digit in "0f".utf8 { add(digit, digit, Self.bit(of: UUIDText.length)) }
      for opening in "${".utf8 { add(opening, UInt8(ascii: "}"), ~0) }
    }
    (self.firsts, self.lasts) = (firsts, lasts)
  }

  private static func compared(_ word: String) -> String {
    let bytes = ByteBuffer(text: word)
    var lower = ByteBuffer()
    Characters.appendLowercased(Characters.trimmed(bytes.view), to: &lower)
    return lower.view.text
  }

  private static func bit(of length: Int) -> UInt64 { 1 &<< UInt64(min(length, 63)) }

  package static func recorded(_ text: String) -> Placeholders {
    text == fewestText
      ? .fewest : Placeholders(added: text.split(separator: "\n").map(String.init))
  }

  /// What documents record: `none`, or the added words, one per line; empty for the standard ones.
  package var text: String { isFewest ? Self.fewestText : added.joined(separator: "\n") }

  package static func == (a: Placeholders, b: Placeholders) -> Bool {
    a === b || (a.isFewest, a.added) == (b.isFewest, b.added)
  }

  // MARK: - Lookup

  /// Whether a value is a placeholder instead of an id. An integer is a text, but not as an
  /// installation. Complexity: O(1) for most texts.
  @inline(__always)
  func contain(_ entry: TapeEntry, as kind: IDKind, of tape: Tape) -> Bool {
    guard entry.kind == .string || entry.kind == .integer && kind != .installation else {
      return false
    }
    return contain(tape.bytes(entry), as: kind)
  }

  /// The same for the text of an id.
  @inline(__always)
  package func contain(_ text: ByteView, as kind: IDKind) -> Bool {
    guard text.count > 0 else { return false }
    let (first, last) = (text[0], text[text.count - 1])
    // Without white space at its ends, and not in another case.
    if Self.isPlain(first), Self.isPlain(last),
      firsts[Int(first)] & lasts[Int(last)] & Self.bit(of: text.count) == 0
    {
      return false
    }
    return (kind == .person || !isFewest) && isListed(text)
  }

  /// Whether a byte is a visible ASCII character.
  private static func isPlain(_ byte: UInt8) -> Bool { byte &- 0x21 < 0x7F - 0x21 }

  @inline(never)
  private func isListed(_ text: ByteView) -> Bool {
    let text = Characters.trimmed(text)
    if text.isEmpty { return false }
    if !isFewest, Self.isForm(text) { return true }
    if added.isEmpty || (0..<text.count).allSatisfy({ text[$0] < 0x80 }) { return isWord(text) }
    var lower = ByteBuffer(capacity: text.count)
    Characters.appendLowercased(text, to: &lower)
    return isWord(lower.view)
  }

  /// Whether `text` is a UUID of zeros or of `f` only, or `${…}` or `{{…}}`.
  private static func isForm(_ text: ByteView) -> Bool {
    switch Characters.lowercased(text[0]) {
    case let digit where digit == UInt8(ascii: "0") || digit == UInt8(ascii: "f"):
      UUIDText.shape(text).isUUID
        && (0..<text.count).allSatisfy {
          Characters.lowercased(text[$0]) == digit || text[$0] == UInt8(ascii: "-")
        }
    case UInt8(ascii: "$"):
      text.count > 2 && text[1] == UInt8(ascii: "{") && text[text.count - 1] == UInt8(ascii: "}")
    case UInt8(ascii: "{"):
      text.count > 3 && text[1] == UInt8(ascii: "{") && text[text.count - 2] == UInt8(ascii: "}")
        && text[text.count - 1] == UInt8(ascii: "}")
    default: false
    }
  }

  /// Whether `text`, whose ASCII letters may have either case, is a word. Complexity: O(log words).
  private func isWord(_ text: ByteView) -> Bool {
    let index = words.indices.binarySearch { Self.compare(words[$0], text) < 0 }
    return index < words.count && Self.compare(words[index], text) == 0
  }

  /// Negative if `word` precedes `text` by bytes, positive if it follows, else 0.
  private static func compare(_ word: [UInt8], _ text: ByteView) -> Int {
    for index in 0..<min(word.count, text.count) {
      let difference = Int(word[index]) - Int(Characters.lowercased(text[index]))
      if difference != 0 { return difference }
    }
    return word.count - text.count
  }
}
