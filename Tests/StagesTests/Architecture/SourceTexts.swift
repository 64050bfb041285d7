/// The texts in Swift source, each with its alternatives.
struct SourceTexts {
  /// Alternatives: the elements of a list, or a single text.
  struct Choice {
    /// The line of the first one.
    let line: Int
    var texts: [String]
  }

  private(set) var choices: [Choice] = []
  private let code: [Character]
  private var position = 0
  private var line = 1
  /// The open brackets, and for a list the choice that its texts belong to.
  private var brackets: [(opening: Character, choice: Int?)] = []
  /// Whether the text before is continued: `"…" + "…"`.
  private var isContinued = false
  /// The index of the choice that the last text went to.
  private var last: Int?

  /// The texts of `code`: parts that `+` adds are one, and values in them are `…`.
  init(of code: String) {
    self.code = Array(code)
    while position < self.code.count { step() }
  }

  private func at(_ text: String) -> Bool { code[position...].starts(with: text) }

  private mutating func step() {
    if at("//") {
      while position < code.count, code[position] != "\n" { position += 1 }
    } else if at("#/") {
      position += 2
      while position < code.count, !at("/#") { position += 1 }
      position += 2
    } else if let text = literal() {
      add(text)
    } else {
      let character = code[position]
      position += 1
      switch character {
      case "\n": line += 1
      case " ": break
      case "+": isContinued = last != nil
      case "(", "[", "{": brackets.append((character, nil))
      case ")", "]", "}": _ = brackets.popLast()
      default: break
      }
      if !character.isWhitespace && character != "+" { (isContinued, last) = (false, nil) }
    }
  }

  private mutating func add(_ text: String) {
    if isContinued, let last {
      choices[last].texts[choices[last].texts.count - 1] += text
    } else if let list = brackets.last, list.opening == "[" {
      if let choice = list.choice {
        choices[choice].texts.append(text)
      } else {
        brackets[brackets.count - 1].choice = choices.count
        choices.append(Choice(line: line, texts: [text]))
      }
      last = brackets.last?.choice
    } else {
      last = choices.count
      choices.append(Choice(line: line, texts: [text]))
    }
    isContinued = false
  }

  /// The literal that begins here, if one does.
  private mutating func literal() -> String? {
    let hashes = code[position...].prefix { $0 == "#" }.count
    guard code.indices.contains(position + hashes), code[position + hashes] == "\"" else {
      return nil
    }
    position += hashes
    let isLong = at("\"\"\"")
    let end = String(repeating: "\"", count: isLong ? 3 : 1) + String(repeating: "#", count: hashes)
    position += isLong ? 3 : 1
    let escape = "\\" + String(repeating: "#", count: hashes)
    var text = ""
    while position < code.count, !at(end) {
      if at(escape + "(") {
        position += escape.count + 1
        skipValue()
        text += "…"
      } else if at(escape) {
        position += escape.count + 1
      } else {
        if code[position] == "\n" { line += 1 }
        text.append(code[position])
        position += 1
      }
    }
    position += end.count
    return text
  }

  /// Skips a value in a text, up to its end; texts in it count by themselves.
  private mutating func skipValue() {
    let depth = brackets.count
    brackets.append(("(", nil))
    let before = (last, isContinued)
    while position < code.count, brackets.count > depth { step() }
    (last, isContinued) = before
  }
}
