import Pipeline

/// Looks for people and installations in what were lines of logs (DIALECTS 1.3): raw text of rejects,
/// of any dialect, whole, cut or broken.
///
/// ```
/// a JSON text   every string in it, names of members included, with its escapes undone; numbers of
///               members that hold ids; JSON texts within strings, the same way
/// anything else whatever stands between two quotes, or behind the last one, and every word
/// ```
/// So a line of somebody else is found only where it holds the whole id as a value of its own, and of a
/// broken line, of which nobody can say what it meant, rather too much than too little. For one thread.
final class PersonSearch {
  /// How deep JSON texts within strings are looked into.
  private static let deepest = 3

  private let erasures: Erasures
  private var key = ByteBuffer(capacity: 64)
  /// Per depth.
  private var levels: [Level] = []

  /// A text that is scanned, and what it is scanned into.
  private final class Level {
    var text = ByteBuffer(capacity: 1 << 10)
    let tape = Tape(numbersNames: false)
  }

  /// A search for everybody who has a mark in `erasures`.
  init(_ erasures: Erasures) { self.erasures = erasures }

  /// Whether the text names one of them. Complexity: O(`text.count`).
  func isNamed(in text: ByteView) -> Bool {
    !erasures.isEmpty && (isNamed(inJSON: text, depth: 0) ?? isNamed(inBroken: text))
  }

  /// Whether a text is the id of one of them, a person or an installation.
  func isID(_ text: ByteView) -> Bool {
    for section in [KeySection.custom, .install] {
      key.removeAll()
      Erasures.append(section, text, to: &key)
      if erasures.mark(of: key.view) != nil { return true }
    }
    return false
  }

  // MARK: - JSON

  /// The same for a JSON text; nil when it is none.
  private func isNamed(inJSON text: ByteView, depth: Int) -> Bool? {
    guard UTF8Check.isValid(text) else { return nil }
    if depth == levels.count { levels.append(Level()) }
    let (level, tape) = (levels[depth], levels[depth].tape)
    // The scanner wants a line end behind the line.
    level.text.removeAll()
    level.text.append(text)
    level.text.append(UInt8(ascii: "\n"))
    tape.bind(to: level.text.view)
    guard case .value = Scanner.scan(line: 0..<text.count, into: tape) else { return nil }
    for index in 0..<tape.count {
      switch tape[index].kind {
      case .key:
        if isID(tape.bytes(at: index)) { return true }
      case .string:
        if isNamed(by: tape.bytes(at: index), depth: depth) { return true }
      case .integer:
        if index > 0, tape[index - 1].kind == .key, Self.holdsID(tape.bytes(at: index - 1)),
          isID(tape.bytes(at: index))
        {
          return true
        }
      default: break
      }
    }
    return false
  }

  /// Whether a string is an id, or a JSON text with one in it.
  private func isNamed(by string: ByteView, depth: Int) -> Bool {
    if isID(string) { return true }
    guard depth + 1 < Self.deepest, string.count > 1,
      string[0] == UInt8(ascii: "{") || string[0] == UInt8(ascii: "[")
    else { return false }
    return isNamed(inJSON: string, depth: depth + 1) ?? false
  }

  /// Whether members of this name hold ids, of one dialect or another: numbers elsewhere are just
  /// numbers.
  private static func holdsID(_ name: ByteView) -> Bool {
    if name == "cus" || name == "di" || name == "user" { return true }
    guard name.count >= 2 else { return false }
    return name[name.count - 2] | 0x20 == UInt8(ascii: "i")
      && name[name.count - 1] | 0x20 == UInt8(ascii: "d")
  }

  // MARK: - Anything else

  private func isNamed(inBroken text: ByteView) -> Bool {
    isQuoted(in: text) || isWord(in: text)
  }

  /// Whether an id stands between two quotes, whichever of them belong together, or behind the last one.
  private func isQuoted(in text: ByteView) -> Bool {
    var start: Int?
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "\\") {
        index += 2
        continue
      }
      if text[index] == UInt8(ascii: "\"") {
        if let start, isQuoted(text[start..<index]) { return true }
        start = index + 1
      }
      index += 1
    }
    return start.map { isQuoted(text.dropFirst($0)) } ?? false
  }

  /// Whether the source of a JSON string is an id.
  private func isQuoted(_ source: ByteView) -> Bool {
    guard source.firstIndex(of: UInt8(ascii: "\\")) != nil else { return isID(source) }
    var quoted = ByteBuffer(capacity: source.count + 2)
    quoted.append(UInt8(ascii: "\""))
    quoted.append(source)
    quoted.append(UInt8(ascii: "\""))
    return isNamed(inJSON: quoted.view, depth: 0) ?? false
  }

  /// Whether an id stands between two characters that separate words.
  private func isWord(in text: ByteView) -> Bool {
    var start = 0
    for index in 0...text.count where index == text.count || Self.separates(text[index]) {
      if index > start, isID(text[start..<index]) { return true }
      start = index + 1
    }
    return false
  }

  private static func separates(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "\\"),
      UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "="),
      UInt8(ascii: "&"), UInt8(ascii: "?"), UInt8(ascii: "|"), UInt8(ascii: "/"):
      true
    default: false
    }
  }
}
