import Pipeline

/// Logs as the SDKs send them: three lines of four are events of users, the others tell what the
/// SDK knows of the person and the device.
enum SDKLog: DialectLog {
  static let name: StaticString = "sdk"

  /// What a line is about.
  private enum Kind {
    case event
    case transaction
    /// An event of the SDK that has no effect.
    case session
    case identify
    case logout
    case profile
    case installation
    case location
    case optOut
    case optIn
    case wipe
  }

  private static let attributeKinds = 9
  private static let sessionNames: [StaticString] = ["_START", "_STOP", "_OPEN_PUSH", "_DISMISS"]
  /// How far the clock of a device lies before or behind that of the server at most, in
  /// milliseconds.
  private static let skew = 120
  /// How long a device keeps events that it cannot send, in milliseconds.
  private static let offline = 3_600_000

  static func append(
    _ draft: inout Draft, of generator: LogGenerator, to text: inout ByteBuffer
  ) {
    let kind = kind(&draft)
    text.append("{\"id\":\"")
    generator.appendUUID(draft, to: &text)
    text.append("\",")
    appendTimes(&draft, to: &text)
    text.append("\"name\":\"")
    appendName(kind, generator, &draft, to: &text)
    generator.appendPair("\",\"ts\":", draft.time, to: &text)
    text.append(",\"session\":\"")
    HexDigits.append(draft.random.next(), 16, .upper, to: &text)
    text.append("\",\"ids\":{\"di\":\"")
    draft.person.appendInstallationID(to: &text)
    if draft.identity != .installation, kind != .logout {
      text.append("\",\"cus\":\"")
      draft.person.appendCustomID(to: &text)
    }
    text.append("\"}")
    appendParameters(kind, generator, &draft, to: &text)
    text.append(UInt8(ascii: "}"))
  }

  private static func kind(_ draft: inout Draft) -> Kind {
    let isKnown = draft.identity != .installation
    switch draft.random.below(1000) {
    case 0..<720: return .event
    case 720..<745: return .transaction
    case 745..<835: return .session
    case 835..<865: return isKnown ? .identify : .session
    case 865..<875: return isKnown ? .logout : .session
    case 875..<915: return .profile
    case 915..<955: return .installation
    case 955..<990: return .location
    case 990..<994: return .optOut
    case 994..<999: return .optIn
    default: return .wipe
    }
  }

  /// Appends when the device saw it and when the server did; old servers do not tell.
  private static func appendTimes(_ draft: inout Draft, to text: inout ByteBuffer) {
    let isOld = draft.random.chance(10)
    let wasOffline = draft.random.chance(5)
    let late = wasOffline ? draft.random.below(offline) : draft.random.below(2 * skew) - skew
    text.append("\"date\":")
    LogClock.append(isOld ? draft.time : draft.time - late, to: &text)
    if !isOld {
      text.append(",\"sDate\":")
      LogClock.append(draft.time, to: &text)
    }
    text.append(UInt8(ascii: ","))
  }

  private static func appendName(
    _ kind: Kind, _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    switch kind {
    case .event:
      text.append("E.")
      generator.appendUppercased(
        Vocabulary.eventNames[generator.vocabulary.eventName(&draft.random)], to: &text)
    case .transaction: text.append(UInt8(ascii: "T"))
    case .session: text.append(draft.random.one(of: sessionNames))
    case .identify, .logout: text.append("_PROFILE_IDENTIFY")
    case .profile: text.append("_PROFILE_DATA_CHANGED")
    case .installation: text.append("_INSTALL_DATA_CHANGED")
    case .location: text.append("_LOCATION_CHANGED")
    case .optOut: text.append(draft.random.chance(50) ? "_OPTOUT" : "_OPT_OUT")
    case .optIn: text.append(draft.random.chance(50) ? "_OPTIN" : "_OPT_IN")
    case .wipe: text.append("_OPTOUT_WIPE_DATA")
    }
  }

  private static func appendParameters(
    _ kind: Kind, _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    switch kind {
    case .session, .optOut, .optIn, .wipe: return
    default: text.append(",\"params\":{")
    }
    switch kind {
    case .event: appendEvent(generator, &draft, to: &text)
    case .transaction:
      text.append("\"amount\":")
      generator.appendAmount(&draft.random, to: &text)
    case .identify, .logout: appendIdentifiers(isLogout: kind == .logout, draft, to: &text)
    case .profile: appendProfile(generator, &draft, to: &text)
    case .installation: appendInstallation(generator, &draft, to: &text)
    case .location: appendLocation(&draft, to: &text)
    case .session, .optOut, .optIn, .wipe: break
    }
    text.append(UInt8(ascii: "}"))
  }

  // MARK: - Parameters

  private static func appendEvent(
    _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    if draft.random.chance(50) {
      generator.appendPair("\"label\":\"", draft.random.one(of: Vocabulary.labels), to: &text)
      text.append(UInt8(ascii: ","))
    }
    if draft.random.chance(40) {
      text.append("\"tags\":")
      generator.appendWords(Vocabulary.tags, &draft.random, to: &text)
      text.append(UInt8(ascii: ","))
    }
    text.append("\"attributes\":{")
    let first = draft.random.below(attributeKinds)
    for index in 0...draft.random.below(5) {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      appendAttribute((first + index) % attributeKinds, generator, &draft, to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }

  private static func appendAttribute(
    _ kind: Int, _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    switch kind {
    case 0: text.append(draft.random.chance(40) ? "\"premium.b\":true" : "\"premium.b\":false")
    case 1: generator.appendPair("\"quantity.i\":", 1 + draft.random.below(9), to: &text)
    case 2:
      text.append("\"price.f\":")
      generator.appendAmount(&draft.random, to: &text)
    case 3:
      generator.appendPair("\"product.s\":\"", draft.random.one(of: Vocabulary.products), to: &text)
    case 4:
      generator.appendPair(
        "\"published.t\":", draft.time - 1000 * draft.random.below(2_000_000), to: &text)
    case 5:
      text.append("\"page.u\":")
      generator.appendURL(&draft.random, to: &text)
    case 6:
      text.append("\"colours.a\":")
      generator.appendWords(["red", "blue", "green", "black", "white"], &draft.random, to: &text)
    case 7:
      generator.appendPair(
        "\"delivery.o\":{\"city.s\":\"", draft.random.one(of: Vocabulary.cities), to: &text)
      text.append(",\"express.b\":false}")
    default:
      generator.appendPair(
        "\"cart.a\":[{\"name.s\":\"", draft.random.one(of: Vocabulary.products), to: &text)
      generator.appendPair(",\"count.i\":", 1 + draft.random.below(3), to: &text)
      text.append("}]")
    }
  }

  /// Appends who uses the device from now on, or that nobody does who is known.
  private static func appendIdentifiers(
    isLogout: Bool, _ draft: Draft, to text: inout ByteBuffer
  ) {
    text.append("\"identifiers\":{\"custom_id\":")
    if isLogout {
      text.append("null")
    } else {
      text.append(UInt8(ascii: "\""))
      draft.person.appendCustomID(to: &text)
      text.append(UInt8(ascii: "\""))
    }
    text.append(",\"install_id\":\"")
    draft.person.appendInstallationID(to: &text)
    text.append("\"}")
  }

  private static func appendProfile(
    _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    if draft.identity != .installation, draft.random.chance(40) {
      text.append("\"email\":\"")
      draft.person.appendCustomID(to: &text)
      text.append("@example.com\",\"email_marketing\":\"subscribed\",")
    }
    generator.appendPair("\"language\":\"", draft.random.one(of: Vocabulary.languages), to: &text)
    generator.appendPair(",\"region\":\"", draft.random.one(of: Vocabulary.regions), to: &text)
    generator.appendPair(
      ",\"custom_attributes\":{\"age.i\":", 18 + draft.random.below(60), to: &text)
    switch draft.random.below(3) {
    case 0: text.append(",\"old_key\":null")
    case 1:
      text.append(",\"programs.a\":{\"$add\":")
      generator.appendWords(Vocabulary.programs, &draft.random, to: &text)
      text.append(UInt8(ascii: "}"))
    default:
      generator.appendPair(",\"city.s\":\"", draft.random.one(of: Vocabulary.cities), to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }

  private static func appendInstallation(
    _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    generator.appendPair("\"version\":", 1 + draft.random.below(40), to: &text)
    generator.appendPair(
      ",\"added\":{\"zone.s\":\"", draft.random.one(of: Vocabulary.zones), to: &text)
    generator.appendPair(",\"visits.i\":", 1 + draft.random.below(500), to: &text)
    text.append(",\"t.interests\":")
    generator.appendWords(Vocabulary.topics, &draft.random, to: &text)
    text.append("},\"removed\":{")
    if draft.random.chance(50) { text.append("\"visits.i\":1,\"trial.b\":true") }
    text.append(UInt8(ascii: "}"))
  }

  private static func appendLocation(_ draft: inout Draft, to text: inout ByteBuffer) {
    text.append("\"lat\":")
    appendDegrees(41 + draft.random.below(15), &draft.random, to: &text)
    text.append(",\"lng\":")
    appendDegrees(draft.random.below(20) - 3, &draft.random, to: &text)
    text.append(",\"acc\":")
    text.append(decimal: 5 + draft.random.below(95))
    text.append(",\"date\":")
    text.append(decimal: draft.time)
  }

  /// Appends degrees with four digits behind the point.
  private static func appendDegrees(
    _ whole: Int, _ random: inout LogRandom, to text: inout ByteBuffer
  ) {
    text.append(decimal: whole)
    text.append(UInt8(ascii: "."))
    text.append(decimal: 1000 + random.below(9000))
  }
}
