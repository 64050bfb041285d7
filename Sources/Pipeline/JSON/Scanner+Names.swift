/// The names of fields, which are guessed first (``NextNamePredictor``).
extension Scanner {
  /// Scans the field name whose opening quote is at `position`, and the colon. `context` is that
  /// before the name, and becomes that after it. The key's `next` is right for a value of one
  /// entry; ``close`` corrects it for a container.
  @inline(__always) func scanKey(
    _ position: inout Int, _ next: inout Int, _ context: inout Int, _ hasSpaces: inout Bool,
    _ decoded: inout ByteBuffer, _ names: InternTable
  ) throws(ScanFault) {
    let text = position &+ 1
    if text &+ 2 <= lastVector {
      let first = names.guesses.pairs[context].first
      if isName(first, at: text) {
        append(first, text, &position, &next, &context)
        return
      }
      let second = names.guesses.pairs[context].second
      if isName(second, at: text) {
        append(second, text, &position, &next, &context)
        return
      }
    }
    let entry: TapeEntry
    (entry, position) = try scanOtherKey(text, context, next: next &+ 2, &decoded, names)
    append(entry, &next)
    context = NextNamePredictor.context(after: entry.number)
    guard token(&position, &hasSpaces) == JSONByte.colon else {
      throw invalid("a colon", at: position)
    }
    position &+= 1
  }

  /// Whether the guessed name, a quote and a colon are at `text`; those bytes can be read.
  @inline(__always) private func isName(_ guess: NextNamePredictor.Guess, at text: Int) -> Bool {
    let end = source.word(at: text &+ Int(guess.length), as: UInt16.self)
    return guess.begins(source.word(at: text), source.word(at: text &+ 8))
      && end == JSONByte.quoteAndColon
  }

  @inline(__always) private func append(
    _ guess: NextNamePredictor.Guess, _ text: Int, _ position: inout Int, _ next: inout Int,
    _ context: inout Int
  ) {
    let length = Int(guess.length)
    append(
      TapeEntry(start: text, length: length, next: next &+ 2, kind: .key, number: guess.number),
      &next)
    context = NextNamePredictor.context(after: guess.number)
    position = text &+ length &+ 2
  }

  /// Scans an unexpected name at `text`; returns its entry and the position after its quote.
  @inline(never) private func scanOtherKey(
    _ text: Int, _ context: Int, next: Int, _ decoded: inout ByteBuffer, _ names: InternTable
  ) throws(ScanFault) -> (TapeEntry, position: Int) {
    let end = plainEnd(text)
    guard source[end] == JSONByte.quote else {
      let (entry, quote) = try decode(.key, from: text, stop: end, next: next, &decoded)
      return (entry, quote &+ 1)
    }
    let name = source.view(from: text, to: end)
    let number =
      text <= lastVector
      ? names.number(of: name, source.word(at: text), source.word(at: text &+ 8), learntAt: context)
      : names.number(of: name)
    return (
      TapeEntry(start: text, length: name.count, next: next, kind: .key, number: number), end &+ 1
    )
  }
}
