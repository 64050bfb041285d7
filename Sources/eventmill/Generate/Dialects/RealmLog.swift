import Pipeline

/// Logs of the audit events that the Realm Event Library keeps: what was read and written of a
/// shop's database, and events that the app names itself.
///
/// Two lines of three are as the database exports them, with times and ids as Extended JSON.
enum RealmLog: DialectLog {
  static let name: StaticString = "realm"

  private static let activities: [StaticString] = [
    "Browse products", "Edit order", "Load profile", "Check out", "Sync inventory",
    "Update address",
  ]
  private static let customNames: [StaticString] = [
    "checkout started", "login", "coupon applied", "export requested",
  ]
  private static let classes: [StaticString] = ["Product", "Order", "Address", "Review"]

  static func append(
    _ draft: inout Draft, of generator: LogGenerator, to text: inout ByteBuffer
  ) {
    let isExport = draft.random.chance(65)
    text.append(isExport ? "{\"_id\":{\"$oid\":\"" : "{\"_id\":\"")
    generator.appendObjectID(draft, to: &text)
    text.append(isExport ? "\"}," : "\",")
    text.append("\"_partition\":\"events\",")
    generator.appendPair("\"activity\":\"", draft.random.one(of: activities), to: &text)
    switch draft.random.below(100) {
    case 0..<45: appendRead(generator, &draft, to: &text)
    case 45..<75: appendWrite(generator, &draft, to: &text)
    case 75..<95: appendCustom(generator, &draft, to: &text)
    default: text.append(",\"event\":null,\"data\":null")
    }
    text.append(isExport ? ",\"timestamp\":{\"$date\":" : ",\"timestamp\":")
    LogClock.append(draft.time, to: &text)
    text.append(isExport ? "}," : ",")
    generator.appendIDs(
      draft, custom: "\"userId\":\"", installation: "\"device_id\":\"", to: &text)
    generator.appendPair("\"appVersion\":\"4.", draft.random.below(20), to: &text)
    generator.appendPair("\",\"locale\":\"", draft.random.one(of: Vocabulary.languages), to: &text)
    text.append(UInt8(ascii: "}"))
  }

  // MARK: - Payloads

  private static func appendRead(
    _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    text.append(",\"event\":\"read\",\"data\":\"")
    generator.appendEscaped(to: &text) { text in
      generator.appendPair("{\"type\":\"", draft.random.one(of: classes), to: &text)
      text.append(",\"value\":[")
      for index in 0...draft.random.below(4) {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        appendObject(generator, &draft, to: &text)
      }
      text.append("]}")
    }
    text.append(UInt8(ascii: "\""))
  }

  private static func appendWrite(
    _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    text.append(",\"event\":\"write\",\"data\":\"")
    generator.appendEscaped(to: &text) { text in
      let first = draft.random.below(classes.count)
      text.append(UInt8(ascii: "{"))
      for index in 0...draft.random.below(2) {
        text.append(index == 0 ? "\"" : ",\"")
        text.append(classes[(first + index) % classes.count])
        text.append("\":{\"insertions\":[")
        if draft.random.chance(50) { appendObject(generator, &draft, to: &text) }
        text.append("],\"modifications\":[")
        if draft.random.chance(60) { appendModification(&draft, to: &text) }
        text.append("],\"deletions\":[")
        if draft.random.chance(20) { appendObject(generator, &draft, to: &text) }
        text.append("]}")
      }
      text.append(UInt8(ascii: "}"))
    }
    text.append(UInt8(ascii: "\""))
  }

  /// Appends what was set, beside what stood there before.
  private static func appendModification(_ draft: inout Draft, to text: inout ByteBuffer) {
    let count = 1 + draft.random.below(50)
    text.append("{\"oldValue\":{\"_id\":")
    text.append(decimal: draft.random.below(100_000))
    text.append(",\"stock\":")
    text.append(decimal: count)
    text.append("},\"newValue\":{\"stock\":")
    text.append(decimal: count - 1)
    text.append(",\"changed\":")
    LogClock.append(draft.time, to: &text)
    text.append("}}")
  }

  private static func appendObject(
    _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    generator.appendPair("{\"_id\":", draft.random.below(100_000), to: &text)
    generator.appendPair(",\"name\":\"", draft.random.one(of: Vocabulary.products), to: &text)
    text.append(",\"price\":")
    generator.appendAmount(&draft.random, to: &text)
    text.append(",\"since\":")
    LogClock.append(draft.time - 1000 * draft.random.below(2_000_000), to: &text)
    text.append(UInt8(ascii: "}"))
  }

  private static func appendCustom(
    _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    generator.appendPair(",\"event\":\"", draft.random.one(of: customNames), to: &text)
    if draft.random.chance(30) {
      generator.appendPair(
        ",\"data\":\"from the ", draft.random.one(of: Vocabulary.screens), to: &text)
      return
    }
    text.append(",\"data\":\"")
    generator.appendEscaped(to: &text) { text in
      generator.appendPair("{\"screen\":\"", draft.random.one(of: Vocabulary.screens), to: &text)
      generator.appendPair(",\"items\":", draft.random.below(9), to: &text)
      text.append(",\"total\":")
      generator.appendAmount(&draft.random, to: &text)
      text.append(UInt8(ascii: "}"))
    }
    text.append(UInt8(ascii: "\""))
  }
}
