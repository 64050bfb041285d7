import Pipeline

/// Values with rules of their own.
extension PlannedReader {
  /// Reads a text with the rule of `place`, which the cursor has passed.
  @inline(never)
  func readText(
    _ range: Range<Int>, _ cursor: TokenCursor, _ place: PlanPlace, into batch: RecordBatch
  ) throws(NotPlain) {
    let tape = batch.tape
    let text = cursor.bytes(range)
    switch place.rule {
    case .eventTime, .time: try note(time: timesRead.parse(text), place)
    case .date:
      if text.count == Timestamp.textLength, let time = Timestamp.parseCanonical(text),
        Rules.plausibleDates.contains(time)
      {
        if place.keeps { _ = keep(range, .string, tape) }
      } else {
        try noteDate(
          Timestamp.parse(text), at: range.lowerBound - 1..<range.upperBound + 1, place, tape)
      }
    case .url:
      guard UTF8Check.isASCII(text), TextRule.url.fault(text) == nil else { throw NotPlain() }
      if place.keeps { _ = keep(range, .string, tape) }
    default:
      // The rules for their forms expect valid UTF-8.
      guard isUsual(text, place.limit) || isText(text, place), UTF8Check.isValid(text) else {
        throw NotPlain()
      }
      let node = keep(range, .string, tape)
      if place.rule == .topic {
        guard TextRule.topic.fault(text) == nil else { throw NotPlain() }
      } else {
        guard let native = batch.operations[batch.operations.count - 1].native,
          native.fault(node.index, in: tape) == nil
        else { throw NotPlain() }
      }
    }
  }

  /// Whether a text without escapes certainly obeys its limit, and is neither empty nor blank.
  @inline(__always)
  func isUsual(_ text: ByteView, _ limit: Int) -> Bool {
    UInt(bitPattern: text.count &- 1) < UInt(bitPattern: limit) && text[0] &- 0x21 < 0x7F - 0x21
  }

  @inline(never)
  func isText(_ text: ByteView, _ place: PlanPlace) -> Bool {
    place.kinds.contains(.text)
      && PlainValue.isText(text, atMost: place.limit, mayEscape: place.mayEscape)
  }

  @inline(__always)
  func note(time: Int?, _ place: PlanPlace) throws(NotPlain) {
    guard let time, accepted.contains(time) else { throw NotPlain() }
    if place.rule == .time { recordTime = time } else { eventTime = time }
    self[place] = Node(0)
  }

  /// Notes a date that is not in the stored form; `source` are its bytes, with quotes.
  func noteDate(
    _ time: Int?, at source: Range<Int>, _ place: PlanPlace, _ tape: Tape
  ) throws(NotPlain) {
    guard let time, Rules.plausibleDates.contains(time) else { throw NotPlain() }
    if place.keeps {
      tape.appendDate(milliseconds: time)
    } else {
      edits.append(
        AttributeEdit(start: source.lowerBound, end: source.upperBound, text: .time(time)))
    }
  }
}
