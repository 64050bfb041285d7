import Pipeline

/// Events as the Profiles API has them.
extension LogGenerator {
  private static let attributeKinds = 11

  func appendEventsV2(_ draft: inout Draft, to text: inout ByteBuffer) {
    // A few events belong to nobody.
    if draft.random.chance(1) {
      text.append("{\"identifiers\":{}")
    } else {
      text.append("{\"identifiers\":{")
      appendIDs(draft, to: &text)
      text.append(UInt8(ascii: "}"))
    }
    text.append(",\"events\":[")
    let last = draft.random.chance(15) ? 1 + draft.random.below(2) : 0
    for event in 0...last {
      if event > 0 { text.append(UInt8(ascii: ",")) }
      appendEventV2(event, &draft, to: &text)
    }
    text.append("]}")
  }

  private func appendEventV2(_ event: Int, _ draft: inout Draft, to text: inout ByteBuffer) {
    text.append(UInt8(ascii: "{"))
    appendEventID(eventID(draft.line, event), to: &text)
    text.append("\"name\":\"")
    text.append(Vocabulary.eventNames[vocabulary.eventName(&draft.random)])
    text.append("\",\"time\":")
    LogClock.append(draft.time + event * (1 + draft.random.below(900)), to: &text)
    text.append(",\"attributes\":{")
    var separator: StaticString = ""
    if draft.random.chance(30) {
      appendPair("\"$label\":\"", draft.random.one(of: Vocabulary.labels), to: &text)
      separator = ","
    }
    if draft.random.chance(25) {
      text.append(separator)
      text.append("\"$tags\":")
      appendWords(Vocabulary.tags, &draft.random, to: &text)
      separator = ","
    }
    let first = draft.random.below(LogGenerator.attributeKinds)
    for index in 0...draft.random.below(5) {
      text.append(separator)
      appendAttributeV2((first + index) % LogGenerator.attributeKinds, &draft, to: &text)
      separator = ","
    }
    text.append("}}")
  }

  private func appendAttributeV2(_ kind: Int, _ draft: inout Draft, to text: inout ByteBuffer) {
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
      LogClock.append(draft.time - 1000 * draft.random.below(2_000_000), to: &text)
    case 6:
      text.append("\"url(page)\":\"https://shop.example.com/")
      text.append(draft.random.one(of: Vocabulary.screens))
      text.append(UInt8(ascii: "/"))
      text.append(decimal: draft.random.below(100_000))
      text.append(UInt8(ascii: "\""))
    case 7: appendPair("\"product\":\"", draft.random.one(of: Vocabulary.products), to: &text)
    case 8:
      text.append("\"colours\":")
      appendWords(["red", "blue", "green", "black", "white"], &draft.random, to: &text)
    case 9: appendBasket(&draft, to: &text)
    default:
      text.append("\"item_id\":")
      text.append(decimal: 100_000 + draft.random.below(900_000))
    }
  }

  /// Appends what stands in objects: a delivery, or now and then the items of a basket.
  private func appendBasket(_ draft: inout Draft, to text: inout ByteBuffer) {
    guard draft.random.chance(50) else {
      appendPair("\"delivery\":{\"city\":\"", draft.random.one(of: Vocabulary.cities), to: &text)
      text.append(",\"express\":false}")
      return
    }
    text.append("\"items\":[")
    for item in 0...draft.random.below(3) {
      if item > 0 { text.append(UInt8(ascii: ",")) }
      appendPair("{\"name\":\"", draft.random.one(of: Vocabulary.products), to: &text)
      text.append(",\"price\":")
      appendAmount(&draft.random, to: &text)
      text.append(UInt8(ascii: "}"))
    }
    text.append(UInt8(ascii: "]"))
  }
}
