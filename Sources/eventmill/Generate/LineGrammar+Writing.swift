import Pipeline

/// Writes lines. Nothing is allocated unless `text` grows.
extension LineGrammar {
  /// Appends an alternative of a rule, chosen at random if there are several.
  func append(_ rule: Int, _ draft: inout Draft, to text: inout ByteBuffer) {
    let (range, total) = (rules[rule].alternatives, rules[rule].total)
    var chosen = range.lowerBound
    if range.count > 1 {
      let draw = draft.random.below(total)
      if total == range.count {
        chosen += draw
      } else {
        while alternatives[chosen].bound <= draw { chosen += 1 }
      }
    }
    append(alternatives[chosen].steps, &draft, to: &text)
  }

  /// Appends a text, with its holes filled.
  func append(_ range: Range<Int>, _ draft: inout Draft, to text: inout ByteBuffer) {
    for index in range { append(steps[index], &draft, to: &text) }
  }

  private func append(_ step: Step, _ draft: inout Draft, to text: inout ByteBuffer) {
    switch step {
    case .literal(let bytes): text.append(contentsOf: bytes)
    case .value(let value): append(value, &draft, to: &text)
    case .rule(let rule): append(rule, &draft, to: &text)
    case .alternative(let rule, let expression):
      append(rule, number: value(expression, &draft), &draft, to: &text)
    case .different(let rule, let most):
      let count = rules[rule].alternatives.count
      let first = draft.random.below(count)
      for index in 0...draft.random.below(most) {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        append(rule, number: (first + index) % count, &draft, to: &text)
      }
    case .repeated(let rule, let expression):
      for index in 0..<value(expression, &draft) {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        append(rule, &draft, to: &text)
      }
    case .test(let condition, let rule):
      append(rule, number: isTrue(condition, draft) ? 0 : 1, &draft, to: &text)
    case .escaped(let rule):
      let start = text.count
      append(rule, &draft, to: &text)
      LineGrammar.escape(from: start, in: &text)
    case .number(let expression): text.append(decimal: value(expression, &draft))
    case .time(let expression):
      Timestamp.append(milliseconds: value(expression, &draft), to: &text)
    case .local(let expression): LogClock.appendLocal(value(expression, &draft), to: &text)
    case .set(let variable, let expression):
      draft.variables[variable] = value(expression, &draft)
    case .digits(let count, let isUpper):
      text.append(hex: draft.random.next(), digits: count, isUpper: isUpper)
    case .letters(let count): for _ in 0..<count { text.append(UInt8(ascii: "x")) }
    case .nested(let depth):
      for _ in 0..<depth { text.append("{\"d\":") }
      text.append(UInt8(ascii: "0"))
      for _ in 0..<depth { text.append(UInt8(ascii: "}")) }
    }
  }

  /// Appends the alternative with this number; nothing if there is none.
  private func append(
    _ rule: Int, number: Int, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    let range = rules[rule].alternatives
    guard number < range.count else { return }
    append(alternatives[range.lowerBound + number].steps, &draft, to: &text)
  }

  private func append(_ value: Value, _ draft: inout Draft, to text: inout ByteBuffer) {
    let id = draft.eventID
    switch value {
    case .user: draft.person.appendCustomID(to: &text)
    case .device: draft.person.appendInstallationID(to: &text)
    case .event: text.append(hex: id)
    case .uuid: text.append(uuid: id, LogRandom.mix(id), isUpper: false)
    case .capitalUUID: text.append(uuid: id, LogRandom.mix(id), isUpper: true)
    case .objectID:
      text.append(hex: UInt64(max(draft.time, 0) / 1000), digits: 8)
      text.append(hex: id)
    case .time: Timestamp.append(milliseconds: draft.time, to: &text)
    case .price:
      let cents = draft.random.below(40_000)
      text.append(decimal: cents / 100)
      text.append(UInt8(ascii: "."))
      text.append(UInt8(ascii: "0") + UInt8(cents / 10 % 10))
      text.append(UInt8(ascii: "0") + UInt8(cents % 10))
    case .name, .capitalName:
      let start = text.count
      let name = nameWeights[Int(draft.random.next() >> 32) & (LineGrammar.weights - 1)]
      append(eventNames, number: Int(name), &draft, to: &text)
      if value == .capitalName { LineGrammar.capitalize(from: start, in: &text) }
    case .next: draft.event += 1
    case .notUTF8: text.append(0xFF)
    }
  }

  private func isTrue(_ condition: Condition, _ draft: Draft) -> Bool {
    switch condition {
    case .user: draft.identity != .installation
    case .device: draft.identity != .custom
    case .both: draft.identity == .both
    case .variable(let variable): draft.variables[variable] != 0
    }
  }

  private func value(_ expression: Expression, _ draft: inout Draft) -> Int {
    var sum = 0
    for index in expression {
      let term = terms[index]
      let product = value(term.first, &draft) * value(term.second, &draft)
      sum += term.isNegative ? -product : product
    }
    return sum
  }

  private func value(_ atom: Atom, _ draft: inout Draft) -> Int {
    switch atom {
    case .constant(let number): number
    case .below(let bound): draft.random.below(bound)
    case .chance(let perMille): draft.random.below(1000) < perMille ? 1 : 0
    case .milliseconds: draft.time
    case .seconds: draft.time / 1000
    case .event: draft.event
    case .variable(let variable): draft.variables[variable]
    }
  }

  /// Converts lower-case letters from `start` on to upper case.
  private static func capitalize(from start: Int, in text: inout ByteBuffer) {
    for index in start..<text.count {
      let isSmall = text[index] >= UInt8(ascii: "a") && text[index] <= UInt8(ascii: "z")
      if isSmall { text[index] -= 32 }
    }
  }

  /// Inserts a backslash before quotes and backslashes from `start` on.
  private static func escape(from start: Int, in text: inout ByteBuffer) {
    let isEscaped = { (byte: UInt8) in byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }
    var source = text.count
    for index in start..<source where isEscaped(text[index]) { text.append(0) }
    // Backwards, so that nothing is overwritten before it was moved.
    var target = text.count
    while source < target {
      (source, target) = (source - 1, target - 1)
      text[target] = text[source]
      if isEscaped(text[source]) {
        target -= 1
        text[target] = UInt8(ascii: "\\")
      }
    }
  }
}
