import Pipeline

/// Logs of measurement events as apps with Bolts or AQSEvent post them: a notification with what it
/// carries, the event by itself, or an intent. What collected them has put time, id and people
/// around.
enum BoltsLog: DialectLog {
  static let name: StaticString = "bolts"

  /// What Bolts tells of links between apps.
  private static let linkNames: [StaticString] = [
    "al_nav_in", "al_nav_out", "al_ref_back_out", "bf_link_opened", "bf_link_failed",
  ]
  /// What apps tell of themselves, in the words of AQSEvent.
  private static let appNames: [StaticString] = [
    "app/launched", "screen/opened", "item/viewed", "item/purchased", "search/performed",
    "location/changed", "user/signed_in", "app/permission/photo_library/granted", "Cart Opened",
    "購入",
  ]
  private static let argumentKinds = 7

  static func append(
    _ draft: inout Draft, of generator: LogGenerator, to text: inout ByteBuffer
  ) {
    switch draft.random.below(100) {
    case 0..<35:
      text.append("{\"name\":\"com.parse.bolts.measurement_event\",\"object\":null,\"userInfo\":{")
      appendLink(generator, &draft, to: &text)
      text.append("}},")
    case 35..<55:
      text.append("{\"notification\":\"org.openaquamarine.measurement_event\",\"user_info\":{")
      appendApp(generator, &draft, to: &text)
      text.append("}},")
    case 55..<80:
      text.append(UInt8(ascii: "{"))
      appendApp(generator, &draft, to: &text)
      text.append("},")
    default:
      text.append("{\"action\":\"com.parse.bolts.measurement_event\",\"extras\":{")
      appendLink(generator, &draft, to: &text)
      text.append("}},")
    }
    appendEnvelope(generator, &draft, to: &text)
    text.append(UInt8(ascii: "}"))
  }

  // MARK: - Events

  /// Appends an event of a link, up to the end of its arguments.
  private static func appendLink(
    _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    generator.appendPair("\"event_name\":\"", draft.random.one(of: linkNames), to: &text)
    text.append(",\"event_args\":{\"inputURL\":")
    generator.appendURL(&draft.random, to: &text)
    text.append(",\"inputURLScheme\":\"https\",\"targetURL\":")
    generator.appendURL(&draft.random, to: &text)
    if draft.random.chance(50) {
      text.append(",\"refererURL\":\"news://articles/")
      text.append(decimal: draft.random.below(100_000))
      text.append("\",\"refererAppName\":\"Daily News\"")
    }
    generator.appendPair(
      ",\"sourceApplication\":\"com.example.", draft.random.one(of: Vocabulary.sources), to: &text)
    text.append(draft.random.chance(95) ? ",\"success\":\"1\"" : ",\"success\":\"0\"")
    if draft.random.chance(30) { text.append(",\"version\":\"1.0\",\"type\":\"app_link\"") }
  }

  /// Appends an event of an app, up to the end of its arguments.
  private static func appendApp(
    _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    generator.appendPair("\"event_name\":\"", draft.random.one(of: appNames), to: &text)
    text.append(",\"event_args\":{")
    let first = draft.random.below(argumentKinds)
    for index in 0...draft.random.below(5) {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      appendArgument((first + index) % argumentKinds, generator, &draft, to: &text)
    }
  }

  private static func appendArgument(
    _ kind: Int, _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    switch kind {
    case 0:
      generator.appendPair("\"screen\":\"", draft.random.one(of: Vocabulary.screens), to: &text)
    case 1:
      generator.appendPair("\"itemName\":\"", draft.random.one(of: Vocabulary.products), to: &text)
    case 2:
      text.append("\"price\":")
      generator.appendAmount(&draft.random, to: &text)
    case 3: generator.appendPair("\"item count\":", 1 + draft.random.below(9), to: &text)
    case 4: text.append(draft.random.chance(40) ? "\"isPremium\":true" : "\"isPremium\":false")
    case 5:
      text.append("\"colours\":")
      generator.appendWords(["red", "blue", "green", "black", "white"], &draft.random, to: &text)
    default:
      generator.appendPair(
        "\"place\":{\"city\":\"", draft.random.one(of: Vocabulary.cities), to: &text)
      text.append(UInt8(ascii: "}"))
    }
  }

  // MARK: - Envelope

  /// Appends whose event it is, its id, and when it happened, in the words of whoever collected it.
  private static func appendEnvelope(
    _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    // A few events belong to nobody.
    if !draft.random.chance(2) {
      if draft.random.chance(60) {
        generator.appendIDs(
          draft, custom: "\"user_id\":\"", installation: "\"device_id\":\"", to: &text)
      } else {
        generator.appendIDs(
          draft, custom: "\"custom_id\":\"", installation: "\"installation_id\":\"", to: &text)
      }
    }
    text.append("\"event_id\":\"")
    generator.appendUUID(draft, .lower, to: &text)
    text.append("\",")
    switch draft.random.below(10) {
    case 0..<6: generator.appendPair("\"timestamp\":", draft.time, to: &text)
    case 6:
      generator.appendPair("\"timestamp\":\"", draft.time, to: &text)
      text.append(UInt8(ascii: "\""))
    case 7:
      text.append("\"date\":{\"$date\":")
      LogClock.append(draft.time, to: &text)
      text.append(UInt8(ascii: "}"))
    default:
      text.append("\"time\":")
      LogClock.append(draft.time, to: &text)
    }
  }
}
