/// Parses the table of a ``LineGrammar``. Tables are part of the program: a mistake in one traps.
struct LineGrammarParser {
  private(set) var steps: [LineGrammar.Step] = []
  private(set) var terms: [LineGrammar.Term] = []
  private(set) var alternatives: [LineGrammar.Alternative] = []
  private(set) var rules: [LineGrammar.Rule] = []
  private(set) var ruleNames: [String: Int] = [:]
  private(set) var faults: [LineGrammar.Fault] = []
  private let bytes: [UInt8]
  private var bodies: [Range<Int>] = []
  private var rows: [Range<Int>] = []
  private var variables: [String] = []

  /// A parser for a table; lines that begin with # are comments.
  init(_ table: [UInt8]) { bytes = table }

  /// Parses all rules and faults.
  mutating func parse() {
    findRules()
    rules = Array(repeating: LineGrammar.Rule(), count: bodies.count)
    for (index, body) in bodies.enumerated() { rules[index] = rule(body) }
    for row in rows { faults.append(fault(row)) }
  }

  // MARK: - Rules

  private mutating func findRules() {
    for line in split(bytes.indices, at: "\n")
    where !trimmed(line).isEmpty && bytes[line.lowerBound] != UInt8(ascii: "#") {
      let name = word(line)
      let body = line.dropFirst(name.utf8.count + 1)
      if bytes[line.lowerBound] == UInt8(ascii: " ") {
        bodies[bodies.count - 1] = bodies[bodies.count - 1].lowerBound..<line.upperBound
      } else if byte(line, at: name.utf8.count) == UInt8(ascii: ":"),
        body.isEmpty || byte(body, at: 0) == UInt8(ascii: " ")
      {
        precondition(LineGrammar.Value(rawValue: name) == nil, "a value is named \(name)")
        // The rules of the dialect come first, and take precedence.
        ruleNames[name] = ruleNames[name] ?? bodies.count
        bodies.append(body)
      } else {
        rows.append(line)
      }
    }
  }

  /// The alternatives of a rule, or of a hole that is one.
  private mutating func rule(_ body: Range<Int>) -> LineGrammar.Rule {
    var texts: [(weight: Int?, steps: Range<Int>)] = []
    for line in split(body, at: "\n") where !trimmed(line).isEmpty {
      for text in split(trimmed(line), at: "|") {
        let weight = weight(text)
        texts.append((weight?.perMille, self.text(weight?.behind ?? text)))
      }
    }
    precondition(!texts.isEmpty, "a rule has no text")
    let weights = texts.compactMap(\.weight)
    if !weights.isEmpty, weights.count == texts.count, weights.reduce(0, +) < 1000 {
      texts.append((nil, steps.count..<steps.count))
    }
    let isEven = weights.isEmpty
    let rest = 1000 - weights.reduce(0, +)
    let start = alternatives.count
    var bound = 0
    for text in texts {
      bound += isEven ? 1 : text.weight ?? rest
      alternatives.append(LineGrammar.Alternative(steps: text.steps, bound: bound))
    }
    return LineGrammar.Rule(alternatives: start..<alternatives.count, total: bound)
  }

  /// A rule without a name.
  private mutating func unnamed(_ body: Range<Int>) -> Int {
    let rule = rule(body)
    rules.append(rule)
    return rules.count - 1
  }

  /// The weight of a text that begins with `30% `, and the rest of the text.
  private func weight(_ text: Range<Int>) -> (perMille: Int, behind: Range<Int>)? {
    guard let sign = text.first(where: { bytes[$0] == UInt8(ascii: "%") }),
      let percent = Double(string(text.lowerBound..<sign))
    else { return nil }
    return (Int((percent * 10).rounded()), min(sign + 2, text.upperBound)..<text.upperBound)
  }

  /// A row `code frame text`.
  private mutating func fault(_ row: Range<Int>) -> LineGrammar.Fault {
    let fields = string(row).split(separator: " ", maxSplits: 2).map(String.init)
    guard fields.count == 3, let rule = ruleNames[fields[1]] else {
      preconditionFailure("no row of faults: \(string(row))")
    }
    let text = trimmed(row.dropFirst(fields[0].utf8.count))
    let inner = trimmed(text.dropFirst(fields[1].utf8.count))
    let frame = trimmed(bodies[rule])
    let hole = frame.first { string($0..<min($0 + 7, frame.upperBound)) == "<fault>" }
    guard let hole else { preconditionFailure("no frame: \(fields[1])") }
    let parts = [frame.lowerBound..<hole, inner, hole + 7..<frame.upperBound]
    return LineGrammar.Fault(
      code: fields[0], frame: fields[1], steps: add(parts.flatMap { pieces($0) }))
  }

  // MARK: - Texts

  private mutating func text(_ range: Range<Int>) -> Range<Int> { add(pieces(range)) }

  private mutating func add(_ new: [LineGrammar.Step]) -> Range<Int> {
    let start = steps.count
    steps += new
    return start..<steps.count
  }

  private mutating func pieces(_ text: Range<Int>) -> [LineGrammar.Step] {
    var pieces: [LineGrammar.Step] = []
    var position = text.lowerBound
    while position < text.upperBound {
      var end = position
      if isContinued(position) {
        end = trimmed(position + 2..<text.upperBound).lowerBound
      } else if bytes[position] == UInt8(ascii: "<") {
        var depth = 0
        repeat {
          if bytes[end] == UInt8(ascii: "<") { depth += 1 }
          if bytes[end] == UInt8(ascii: ">") { depth -= 1 }
          end += 1
        } while depth > 0
        pieces.append(hole(position + 1..<end - 1))
      } else {
        while end < text.upperBound, bytes[end] != UInt8(ascii: "<"), !isContinued(end) { end += 1 }
        pieces.append(.literal(Array(bytes[position..<end])))
      }
      position = end
    }
    return pieces
  }

  private mutating func hole(_ content: Range<Int>) -> LineGrammar.Step {
    let word = word(content)
    if word.isEmpty {
      return weight(content) != nil ? .rule(unnamed(content)) : .number(expression(content))
    }
    let rule = ruleNames[word]
    let rest = content.dropFirst(word.utf8.count)
    guard let mark = rest.first.map({ bytes[$0] }) else {
      if word == "fault" { return .literal([]) }
      if let rule { return .rule(rule) }
      return LineGrammar.Value(rawValue: word).map { .value($0) } ?? .number(expression(content))
    }
    let behind = trimmed(rest.dropFirst(1))
    switch (mark, rule) {
    case (UInt8(ascii: "?"), _): return .test(condition(word), unnamed(behind))
    case (UInt8(ascii: "="), _): return .set(variable(word), expression(behind))
    case (UInt8(ascii: ","), let rule?): return .different(rule, most: number(behind))
    case (UInt8(ascii: "*"), let rule?): return .repeated(rule, expression(behind))
    case (UInt8(ascii: "."), let rule?): return .alternative(rule, expression(behind))
    default: break
    }
    switch word + string(rest.prefix(1)) {
    case "time:": return .time(expression(behind))
    case "local:": return .local(expression(behind))
    case "escaped:": return .escaped(unnamed(behind))
    case "hex ": return .digits(number(behind), isUpper: false)
    case "HEX ": return .digits(number(behind), isUpper: true)
    case "x ": return .letters(number(behind))
    case "nested ": return .nested(number(behind))
    default: return .number(expression(content))
    }
  }

  private mutating func condition(_ word: String) -> LineGrammar.Condition {
    switch word {
    case "user": .user
    case "device": .device
    case "both": .both
    default: .variable(variable(word))
    }
  }

  // MARK: - Expressions

  private mutating func expression(_ range: Range<Int>) -> LineGrammar.Expression {
    let start = terms.count
    for part in string(range).replacing("-", with: "+-").split(separator: "+") {
      let factors = part.drop { $0 == "-" }.split(separator: "*").map { atom(String($0)) }
      terms.append(
        LineGrammar.Term(
          isNegative: part.first == "-", first: factors[0],
          second: factors.count > 1 ? factors[1] : .constant(1)))
    }
    return start..<terms.count
  }

  private mutating func atom(_ text: String) -> LineGrammar.Atom {
    if let number = Int(text) { return .constant(number) }
    if text.first == "?", let bound = Int(text.dropFirst()) { return .below(bound) }
    if text.last == "%", let percent = Int(text.dropLast()) { return .chance(percent * 10) }
    switch text {
    case "ms": return .milliseconds
    case "s": return .seconds
    case "n": return .event
    default: return .variable(variable(text))
    }
  }

  /// The number of a variable of a line.
  private mutating func variable(_ name: String) -> Int {
    if let known = variables.firstIndex(of: name) { return known }
    precondition(variables.count < Draft.mostVariables, "too many names: \(name)")
    variables.append(name)
    return variables.count - 1
  }

  // MARK: - Bytes

  private func string(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private func number(_ range: Range<Int>) -> Int {
    guard let number = Int(string(range)) else { preconditionFailure("no number") }
    return number
  }

  private func byte(_ range: Range<Int>, at offset: Int) -> UInt8? {
    offset < range.count ? bytes[range.lowerBound + offset] : nil
  }

  /// The name at the beginning: a letter, followed by letters, digits and `_`.
  private func word(_ range: Range<Int>) -> String {
    let name = string(range).prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return name.first?.isLetter == true ? String(name) : ""
  }

  /// Without the spaces at the beginning.
  private func trimmed(_ range: Range<Int>) -> Range<Int> {
    range.dropFirst(range.prefix { bytes[$0] == UInt8(ascii: " ") }.count)
  }

  /// Whether a continued line ends here.
  private func isContinued(_ position: Int) -> Bool {
    position >= 0 && bytes[position] == UInt8(ascii: "\\")
      && bytes[position + 1] == UInt8(ascii: "\n")
  }

  /// The ranges between separators that are not inside a hole.
  private func split(_ range: Range<Int>, at separator: Unicode.Scalar) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = range.lowerBound
    var depth = 0
    for position in range {
      switch bytes[position] {
      case UInt8(ascii: "<"): depth += 1
      case UInt8(ascii: ">"): depth -= 1
      case UInt8(ascii: separator) where depth == 0 && !isContinued(position - 1):
        parts.append(start..<position)
        start = position + 1
      default: break
      }
    }
    return parts + [start..<range.upperBound]
  }
}
