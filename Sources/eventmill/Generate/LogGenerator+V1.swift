import Pipeline

/// Events as the Trigger Events API has them, and changes of attributes as the Custom Data API.
extension LogGenerator {
  private static let attributeKinds = 9
  private static let userValueKinds = 6

  func appendEventV1(_ draft: inout Draft, to text: inout ByteBuffer) {
    text.append(UInt8(ascii: "{"))
    appendEventID(eventID(draft.line, 0), to: &text)
    // A few events belong to nobody.
    if !draft.random.chance(1) {
      appendIDs(draft, to: &text)
      text.append(UInt8(ascii: ","))
    }
    text.append("\"name\":\"")
    if draft.random.chance(25) { text.append("E.") }
    text.append(Vocabulary.eventNames[vocabulary.eventName(&draft.random)])
    text.append("\",\"time\":")
    LogClock.appendV1(draft.time, &draft.random, to: &text)
    if draft.random.chance(60) {
      text.append(",\"label\":\"")
      text.append(draft.random.one(of: Vocabulary.labels))
      text.append(UInt8(ascii: "\""))
    }
    if draft.random.chance(50) {
      text.append(",\"tags\":")
      appendWords(Vocabulary.tags, &draft.random, to: &text)
    }
    if draft.random.chance(80) {
      text.append(",\"attributes\":{")
      let first = draft.random.below(LogGenerator.attributeKinds)
      for index in 0...draft.random.below(4) {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        appendAttributeV1((first + index) % LogGenerator.attributeKinds, &draft, to: &text)
      }
      text.append(UInt8(ascii: "}"))
    }
    text.append(UInt8(ascii: "}"))
  }

  private func appendAttributeV1(_ kind: Int, _ draft: inout Draft, to text: inout ByteBuffer) {
    switch kind {
    case 0: text.append(draft.random.chance(40) ? "\"premium\":true" : "\"premium\":false")
    case 1:
      text.append("\"amount\":")
      appendAmount(&draft.random, to: &text)
    case 2:
      text.append("\"quantity\":")
      text.append(decimal: 1 + draft.random.below(9))
    case 3: appendPair("\"source\":\"", draft.random.one(of: Vocabulary.sources), to: &text)
    case 4: appendPair("\"screen\":\"", draft.random.one(of: Vocabulary.screens), to: &text)
    case 5:
      text.append("\"date(published)\":")
      text.append(decimal: draft.time / 1000 - draft.random.below(2_000_000))
    case 6:
      text.append("\"duration\":")
      text.append(decimal: draft.random.below(1800))
    case 7: appendPair("\"Product\":\"", draft.random.one(of: Vocabulary.products), to: &text)
    default:
      text.append("\"item_id\":")
      text.append(decimal: 100_000 + draft.random.below(900_000))
    }
  }

  func appendUpdateV1(_ draft: inout Draft, to text: inout ByteBuffer) {
    text.append(UInt8(ascii: "{"))
    appendIDs(draft, to: &text)
    text.append(",\"time\":")
    LogClock.appendV1(draft.time, &draft.random, to: &text)
    text.append(",\"update\":{\"overwrite\":false,\"values\":{")
    let first = draft.random.below(LogGenerator.userValueKinds)
    for index in 0...draft.random.below(3) {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      appendUserValue((first + index) % LogGenerator.userValueKinds, &draft, to: &text)
    }
    text.append("}}}")
  }

  private func appendUserValue(_ kind: Int, _ draft: inout Draft, to text: inout ByteBuffer) {
    switch kind {
    case 0: appendPair("\"u.city\":\"", draft.random.one(of: Vocabulary.cities), to: &text)
    case 1:
      text.append("\"u.age\":")
      text.append(decimal: 18 + draft.random.below(60))
    case 2: text.append("\"u.old_key\":null")
    case 3:
      text.append("\"ut.interests\":")
      appendWords(Vocabulary.topics, &draft.random, to: &text)
    case 4: appendPair("\"language\":\"", draft.random.one(of: Vocabulary.languages), to: &text)
    default:
      text.append("\"date(u.last_visit)\":")
      text.append(decimal: draft.time / 1000)
    }
  }

  /// Appends a member whose value is a word; `start` ends with the quote before the word.
  func appendPair(_ start: StaticString, _ word: StaticString, to text: inout ByteBuffer) {
    text.append(start)
    text.append(word)
    text.append(UInt8(ascii: "\""))
  }
}
