import Pipeline

/// Logs of built-in actions: mostly events and tags, now and then a group, some actions that say
/// nothing about anybody.
enum ActionLog: DialectLog {
  static let name: StaticString = "action"

  private static let attributeKinds = 6
  /// Most actions of a group here.
  private static let mostInGroup = 4
  private static let ignored: [StaticString] = [
    "[\"batch.deeplink\",{\"l\":\"shop://cart\"}]", "[\"batch.dismiss\"]",
    "[\"batch.clipboard\",{\"t\":\"WELCOME10\"}]", "[\"batch.rating\",{}]",
  ]

  static func append(
    _ draft: inout Draft, of generator: LogGenerator, to text: inout ByteBuffer
  ) {
    text.append(UInt8(ascii: "{"))
    generator.appendIDs(draft, to: &text)
    text.append(UInt8(ascii: ","))
    generator.appendEventID(generator.eventID(draft.line, 0), to: &text)
    text.append("\"time\":")
    LogClock.append(draft.time, to: &text)
    text.append(",\"action\":")
    switch draft.random.below(1000) {
    case 0..<150:
      // Split into two members, as older versions write it.
      text.append("\"batch.user.event\",\"args\":")
      appendEvent(generator, &draft, to: &text)
    case 150..<680: appendPair("[\"batch.user.event\",", generator, &draft, to: &text, appendEvent)
    case 680..<860: appendPair("[\"batch.user.tag\",", generator, &draft, to: &text, appendTag)
    case 860..<930: appendPair("[\"batch.group\",", generator, &draft, to: &text, appendGroup)
    default: text.append(draft.random.one(of: ignored))
    }
    text.append(UInt8(ascii: "}"))
  }

  /// Appends an action whose arguments `append` appends.
  private static func appendPair(
    _ start: StaticString, _ generator: LogGenerator, _ draft: inout Draft,
    to text: inout ByteBuffer,
    _ append: (LogGenerator, inout Draft, inout ByteBuffer) -> Void
  ) {
    text.append(start)
    append(generator, &draft, &text)
    text.append(UInt8(ascii: "]"))
  }

  private static func appendEvent(
    _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    generator.appendPair(
      "{\"e\":\"", Vocabulary.eventNames[generator.vocabulary.eventName(&draft.random)], to: &text)
    if draft.random.chance(50) {
      generator.appendPair(",\"l\":\"", draft.random.one(of: Vocabulary.labels), to: &text)
    }
    if draft.random.chance(40) {
      text.append(",\"t\":")
      generator.appendWords(Vocabulary.tags, &draft.random, to: &text)
    }
    text.append(",\"a\":{")
    let first = draft.random.below(attributeKinds)
    for index in 0...draft.random.below(4) {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      appendAttribute((first + index) % attributeKinds, generator, &draft, to: &text)
    }
    text.append("}}")
  }

  private static func appendAttribute(
    _ kind: Int, _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    switch kind {
    case 0: text.append(draft.random.chance(40) ? "\"premium\":true" : "\"premium\":false")
    case 1: generator.appendPair("\"quantity\":", 1 + draft.random.below(9), to: &text)
    case 2:
      text.append("\"price\":")
      generator.appendAmount(&draft.random, to: &text)
    case 3:
      generator.appendPair("\"product\":\"", draft.random.one(of: Vocabulary.products), to: &text)
    case 4:
      text.append("\"published\":")
      LogClock.append(draft.time - 1000 * draft.random.below(2_000_000), to: &text)
    default:
      generator.appendPair("\"source\":\"", draft.random.one(of: Vocabulary.sources), to: &text)
    }
  }

  private static func appendTag(
    _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    if draft.random.chance(60) {
      generator.appendPair(
        "{\"c\":\"interests\",\"t\":\"", draft.random.one(of: Vocabulary.topics), to: &text)
    } else {
      generator.appendPair(
        "{\"c\":\"programs\",\"t\":\"", draft.random.one(of: Vocabulary.programs), to: &text)
    }
    text.append(draft.random.chance(75) ? ",\"a\":\"add\"}" : ",\"a\":\"remove\"}")
  }

  private static func appendGroup(
    _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    text.append("{\"actions\":[")
    for index in 0...(1 + draft.random.below(mostInGroup - 1)) {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      switch draft.random.below(10) {
      case 0..<4: appendPair("[\"batch.user.event\",", generator, &draft, to: &text, appendEvent)
      case 4..<8: appendPair("[\"batch.user.tag\",", generator, &draft, to: &text, appendTag)
      default: text.append(draft.random.one(of: ignored))
      }
    }
    text.append("]}")
  }
}
