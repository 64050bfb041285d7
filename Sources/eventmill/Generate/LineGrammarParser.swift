import Pipeline
import Stages

/// Parses the table of a ``LineGrammar``. Tables are part of the program: a mistake in one traps.
struct LineGrammarParser {
  private(set) var rules: [LineGrammar.Rule] = []
  private(set) var ruleNames: [String: Int] = [:]
  private(set) var faults: [FaultyLine.Row] = []
  private let holes: [String: LineGrammar.Hole]
  private var variables: [String] = []

  /// Parses a table; lines that begin with # are comments.
  init(_ table: [UInt8], _ holes: [String: LineGrammar.Hole]) {
    self.holes = holes
    var bodies: [String] = []
    var rows: [String] = []
    for line in Self.lines(of: String(decoding: table, as: UTF8.self)) {
      let name = Self.word(line)
      let body = line.dropFirst(name.count)
      if line.hasPrefix(" ") {
        bodies[bodies.count - 1] += "\n" + line
      } else if body.hasPrefix(": ") || body == ":" {
        precondition(holes[name] == nil, "a value is named \(name)")
        // The rules of the dialect come first, and take precedence.
        ruleNames[name] = ruleNames[name] ?? bodies.count
        bodies.append(String(body.dropFirst()))
      } else {
        rows.append(line)
      }
    }
    rules = Array(repeating: [], count: bodies.count)
    for (index, body) in bodies.enumerated() { rules[index] = rule(body[...]) }
    for row in rows { faults.append(fault(row, bodies)) }
  }

  /// The lines with content, those that continue in the next one joined to it.
  private static func lines(of table: String) -> [String] {
    table.split(separator: "\\\n").enumerated()
      .map { $0.offset == 0 ? $0.element : trimmed($0.element) }.joined()
      .split(separator: "\n").filter { !trimmed($0).isEmpty && !$0.hasPrefix("#") }
      .map(String.init)
  }

  /// The alternatives of a rule, or of a hole that is one.
  private mutating func rule(_ body: Substring) -> LineGrammar.Rule {
    var texts: [(weight: Int?, pieces: [LineGrammar.Piece])] = []
    for line in body.split(separator: "\n") where !Self.trimmed(line).isEmpty {
      for text in Self.alternatives(Self.trimmed(line)) {
        let weight = Self.weight(text)
        texts.append((weight?.perMille, pieces(weight?.behind ?? text)))
      }
    }
    precondition(!texts.isEmpty, "a rule has no text")
    let weights = texts.compactMap(\.weight)
    let rest = 1000 - weights.reduce(0, +)
    if weights.count == texts.count, rest > 0 { texts.append((nil, [])) }
    var bound = 0
    return texts.map { text in
      bound += weights.isEmpty ? 1 : text.weight ?? rest
      return (bound, text.pieces)
    }
  }

  /// The number of a new rule without a name.
  mutating func unnamed(_ body: Substring) -> Int {
    let rule = rule(body)
    rules.append(rule)
    return rules.count - 1
  }

  /// The weight of a text that begins with `30% `, and the rest of the text.
  private static func weight(_ text: Substring) -> (perMille: Int, behind: Substring)? {
    guard let sign = text.firstIndex(of: "%"), let percent = Double(text[..<sign]) else {
      return nil
    }
    return (Int((percent * 10).rounded()), text[sign...].dropFirst(2))
  }

  private mutating func fault(_ row: String, _ bodies: [String]) -> FaultyLine.Row {
    let fields = row.split(separator: " ", maxSplits: 2)
    guard fields.count == 3, let code = ReasonCode(String(fields[0])),
      let rule = ruleNames[String(fields[1])], bodies[rule].contains("<fault>")
    else { preconditionFailure("no row of faults: \(row)") }
    let text = bodies[rule].replacing("<fault>", with: Self.trimmed(fields[2]))
    rules.append([(1, pieces(Self.trimmed(text[...])))])
    return (code, String(fields[1]), rules.count - 1)
  }

  private mutating func pieces(_ text: Substring) -> [LineGrammar.Piece] {
    var pieces: [LineGrammar.Piece] = []
    var rest = text
    while !rest.isEmpty {
      let literal = Array(rest.prefix { $0 != "<" }.utf8)
      if !literal.isEmpty { pieces.append { _, _, text in text.append(contentsOf: literal) } }
      rest = rest.drop { $0 != "<" }
      var depth = 0
      let end = rest.firstIndex { character in
        depth += character == "<" ? 1 : character == ">" ? -1 : 0
        return depth == 0
      }
      guard let end else { break }
      pieces.append(hole(rest[..<end].dropFirst()))
      rest = rest[end...].dropFirst()
    }
    return pieces
  }

  private mutating func hole(_ content: Substring) -> LineGrammar.Piece {
    let word = Self.word(content)
    if word.isEmpty, Self.weight(content) != nil { return appending(unnamed(content)) }
    let rule = ruleNames[word]
    let mark = content.dropFirst(word.count).prefix(1)
    let behind = Self.trimmed(content.dropFirst(word.count + 1))
    switch (mark, rule) {
    case _ where word.isEmpty: break
    case ("", let rule?): return appending(rule)
    case ("?", _):
      let (condition, rule) = (condition(word), unnamed(behind))
      return { $0.append(rule, number: condition(&$1) != 0 ? 0 : 1, &$1, to: &$2) }
    case ("=", _):
      let (variable, number) = (variable(word), number(behind))
      return { _, draft, _ in draft.variables[variable] = number(&draft) }
    case (",", let rule?):
      let most = Self.constant(behind)
      return { $0.append(rule, most: most, &$1, to: &$2) }
    case ("*", let rule?):
      let count = number(behind)
      return { grammar, draft, text in
        for index in 0..<count(&draft) {
          if index > 0 { text.append(UInt8(ascii: ",")) }
          grammar.append(rule, &draft, to: &text)
        }
      }
    case (".", let rule?):
      let chosen = number(behind)
      return { $0.append(rule, number: chosen(&$1), &$1, to: &$2) }
    default: if let hole = holes[word + mark] { return hole(&self, behind) }
    }
    let number = number(content)
    return { $2.append(decimal: number(&$1)) }
  }

  private func appending(_ rule: Int) -> LineGrammar.Piece { { $0.append(rule, &$1, to: &$2) } }

  /// 0 where the condition is false.
  private mutating func condition(_ word: String) -> LineGrammar.Number {
    switch word {
    case "user": return { $0.identity != .installation ? 1 : 0 }
    case "device": return { $0.identity != .custom ? 1 : 0 }
    case "both": return { $0.identity == .both ? 1 : 0 }
    default: return atom(word)
    }
  }

  mutating func number(_ text: Substring) -> LineGrammar.Number {
    var terms: [LineGrammar.Number] = []
    for part in text.replacing("-", with: "+-").split(separator: "+") {
      let sign = part.first == "-" ? -1 : 1
      var factors = part.drop { $0 == "-" }.split(separator: "*").map { atom(String($0)) }
      let last = factors.removeLast()
      let first = factors.first ?? atom("1")
      terms.append { sign * first(&$0) * last(&$0) }
    }
    return { [terms] draft in
      var sum = 0
      for term in terms { sum += term(&draft) }
      return sum
    }
  }

  private mutating func atom(_ text: String) -> LineGrammar.Number {
    if let number = Int(text) { return { _ in number } }
    if text.first == "?", let bound = Int(text.dropFirst()) { return { $0.random.below(bound) } }
    if text.last == "%", let percent = Int(text.dropLast()) {
      return { $0.random.below(1000) < percent * 10 ? 1 : 0 }
    }
    switch text {
    case "ms": return { $0.time }
    case "s": return { $0.time / 1000 }
    case "n": return { $0.event }
    default:
      let variable = variable(text)
      return { $0.variables[variable] }
    }
  }

  /// The number of a variable of a line.
  private mutating func variable(_ name: String) -> Int {
    if let known = variables.firstIndex(of: name) { return known }
    precondition(variables.count < Draft.mostVariables, "too many names: \(name)")
    variables.append(name)
    return variables.count - 1
  }

  static func constant(_ text: Substring) -> Int {
    guard let number = Int(text) else { preconditionFailure("no number: \(text)") }
    return number
  }

  /// The name at the beginning: a letter, followed by letters, digits and `_`.
  private static func word(_ text: some StringProtocol) -> String {
    let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return name.first?.isLetter == true ? String(name) : ""
  }

  private static func trimmed(_ text: Substring) -> Substring { text.drop { $0 == " " } }

  /// The texts between bars that are not inside a hole.
  private static func alternatives(_ line: Substring) -> [Substring] {
    var depth = 0
    return line.split(omittingEmptySubsequences: false) { character in
      depth += character == "<" ? 1 : character == ">" ? -1 : 0
      return character == "|" && depth == 0
    }
  }
}
