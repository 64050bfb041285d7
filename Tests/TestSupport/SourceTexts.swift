/// The texts in Swift source, each with its alternatives.
package struct SourceTexts {
  /// Alternatives: the elements of a list, or a single text.
  package struct Choice: Sendable {
    /// The line of the first one.
    package let line: Int
    package fileprivate(set) var texts: [String]
  }

  package private(set) var choices: [Choice] = []
  private let code: [UInt8]
  private var position = 0
  private var line = 1
  /// The open brackets, and for a list the choice that its texts belong to.
  private var brackets: [(isList: Bool, choice: Int?)] = []
  /// Whether the text before is continued: `"…" + "…"`.
  private var isContinued = false
  /// The index of the choice that the last text went to.
  private var last: Int?

  /// The texts of `code`: parts that `+` adds are one, and values in them are `…`.
  package init(of code: String) {
    self.code = Array(code.utf8)
    while position < self.code.count { step() }
  }

  private func at(_ text: String) -> Bool { code[position...].starts(with: text.utf8) }

  private mutating func step() {
    if at("//") {
      while position < code.count, !at("\n") { position += 1 }
    } else if at("#/") {
      position += 2
      while position < code.count, !at("/#") { position += 1 }
      position += 2
    } else if let text = literal() {
      add(text)
    } else {
      let character = UnicodeScalar(code[position])
      position += 1
      switch character {
      case "\n": line += 1
      case " ": break
      case "+": isContinued = last != nil
      case "(", "[", "{": brackets.append((character == "[", nil))
      case ")", "]", "}": _ = brackets.popLast()
      default: break
      }
      if !"\n +".unicodeScalars.contains(character) { (isContinued, last) = (false, nil) }
    }
  }

  private mutating func add(_ text: String) {
    if isContinued, let last {
      choices[last].texts[choices[last].texts.count - 1] += text
    } else if let choice = brackets.last?.choice {
      choices[choice].texts.append(text)
      last = choice
    } else {
      last = choices.count
      if brackets.last?.isList == true { brackets[brackets.count - 1].choice = last }
      choices.append(Choice(line: line, texts: [text]))
    }
    isContinued = false
  }

  /// The literal that begins here, if one does.
  private mutating func literal() -> String? {
    let hashes = code[position...].prefix { $0 == UInt8(ascii: "#") }.count
    guard code[position...].dropFirst(hashes).first == UInt8(ascii: "\"") else { return nil }
    position += hashes
    let isLong = at("\"\"\"")
    let end = String(repeating: "\"", count: isLong ? 3 : 1) + String(repeating: "#", count: hashes)
    position += isLong ? 3 : 1
    let escape = "\\" + String(repeating: "#", count: hashes)
    var text: [UInt8] = []
    while position < code.count, !at(end) {
      if at(escape + "(") {
        position += escape.utf8.count + 1
        skipValue()
        text += "…".utf8
      } else if at(escape) {
        position += escape.utf8.count + 1
      } else {
        if at("\n") { line += 1 }
        text.append(code[position])
        position += 1
      }
    }
    position += end.utf8.count
    return String(decoding: text, as: UTF8.self)
  }

  /// Skips a value in a text, up to its end; texts in it count by themselves.
  private mutating func skipValue() {
    let depth = brackets.count
    brackets.append((false, nil))
    let before = (last, isContinued)
    while position < code.count, brackets.count > depth { step() }
    (last, isContinued) = before
  }
}
