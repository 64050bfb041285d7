import Pipeline

/// Logs of the events that the Pulse SDK sends by itself: pages, clicks, scrolling, gestures, and
/// what came into view; now and then an event that the app names itself.
enum PulseLog: DialectLog {
  static let name: StaticString = "pulse"

  /// What a line is about.
  private enum Kind {
    case pageLoad
    case pageView
    case click
    case scroll
    case gesture
    case impression
    /// Of the app's own.
    case custom

    var name: StaticString {
      switch self {
      case .pageLoad: "page_load"
      case .pageView: "page_view"
      case .click: "click"
      case .scroll: "scroll"
      case .gesture: "gesture"
      case .impression: "items_impression"
      case .custom: ""
      }
    }

    /// What a person does it on.
    var element: StaticString? {
      switch self {
      case .pageLoad, .pageView: "page"
      case .click: "button"
      case .scroll: "list"
      case .impression: "carousel"
      case .gesture, .custom: nil
      }
    }
  }

  private static let connections: [StaticString] = ["wifi", "cellular", "ethernet", "offline"]
  private static let directions: [StaticString] = ["up", "down", "left", "right"]
  private static let gestures: [StaticString] = ["tap", "long_press", "scale", "rotate", "move"]
  /// Most events that an event remembers before it, and most items that come into view, here.
  private static let mostPrevious = 4
  private static let mostItems = 5
  private static let secondsBetween = 30

  static func append(
    _ draft: inout Draft, of generator: LogGenerator, to text: inout ByteBuffer
  ) {
    let kind = kind(&draft.random)
    text.append("{\"event_type\":\"")
    if kind == .custom {
      text.append(Vocabulary.eventNames[generator.vocabulary.eventName(&draft.random)])
    } else {
      text.append(kind.name)
    }
    text.append("\",\"event_id\":\"")
    generator.appendUUID(draft, .lower, to: &text)
    generator.appendPair("\",\"timestamp\":", draft.time, to: &text)
    text.append(",\"sub_sids\":{\"page\":\"")
    HexDigits.append(draft.random.next(), 12, .lower, to: &text)
    text.append("\",\"app\":\"")
    HexDigits.append(draft.random.next(), 12, .lower, to: &text)
    text.append("\"},\"is_background\":")
    text.append(draft.random.chance(5) ? "true," : "false,")
    let isOutside = draft.random.chance(50)
    if isOutside {
      generator.appendIDs(
        draft, custom: "\"user_id\":\"", installation: "\"install_id\":\"", to: &text)
    }
    text.append("\"data\":{")
    appendPage(kind, &draft, to: &text)
    appendParts(kind, generator, &draft, to: &text)
    if !isOutside { appendIDs(draft, to: &text) }
    text.append("}}")
  }

  private static func kind(_ random: inout LogRandom) -> Kind {
    switch random.below(100) {
    case 0..<18: .pageLoad
    case 18..<33: .pageView
    case 33..<58: .click
    case 58..<75: .scroll
    case 75..<83: .gesture
    case 83..<93: .impression
    default: .custom
    }
  }

  /// Appends where it happened, and what happened before.
  private static func appendPage(_ kind: Kind, _ draft: inout Draft, to text: inout ByteBuffer) {
    let screen = draft.random.one(of: Vocabulary.screens)
    text.append("\"metadata\":{\"url\":\"https://shop.example.com/")
    text.append(screen)
    text.append("\",\"title\":\"")
    text.append(screen)
    text.append("\",\"language\":\"")
    text.append(draft.random.one(of: Vocabulary.languages))
    text.append("\"},\"connection_type\":\"")
    text.append(draft.random.one(of: connections))
    text.append(UInt8(ascii: "\""))
    if let element = kind.element {
      text.append(",\"element\":{\"type\":\"")
      text.append(element)
      text.append("\",\"id\":\"")
      text.append(screen)
      text.append(UInt8(ascii: "_"))
      text.append(decimal: draft.random.below(100))
      text.append("\"},\"parent_info\":{\"type\":\"section\",\"position\":")
      text.append(decimal: draft.random.below(12))
      text.append(UInt8(ascii: "}"))
    }
    if draft.random.chance(30) {
      text.append(",\"sources_info\":[{\"source\":\"")
      text.append(draft.random.one(of: Vocabulary.sources))
      text.append("\",\"medium\":\"campaign\"}]")
    }
    if draft.random.chance(70) { appendPrevious(&draft, to: &text) }
  }

  /// Appends the events before this one, the newest last.
  private static func appendPrevious(_ draft: inout Draft, to text: inout ByteBuffer) {
    let last = draft.random.below(mostPrevious)
    text.append(",\"previous_events\":[")
    for index in 0...last {
      text.append(index == 0 ? "{\"event_type\":\"" : ",{\"event_type\":\"")
      // Whatever it was, it was none of the app's own.
      let kind = kind(&draft.random)
      text.append(kind == .custom ? Kind.click.name : kind.name)
      text.append("\",\"event_id\":\"")
      HexDigits.append(draft.random.next(), 16, .lower, to: &text)
      text.append("\",\"timestamp\":")
      text.append(decimal: draft.time - (last - index + 1) * secondsBetween * 1000)
      text.append(UInt8(ascii: "}"))
    }
    text.append(UInt8(ascii: "]"))
  }

  /// Appends what only events of the kind have.
  private static func appendParts(
    _ kind: Kind, _ generator: LogGenerator, _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    switch kind {
    case .scroll: appendScroll(generator, &draft.random, to: &text)
    case .gesture:
      generator.appendPair(
        ",\"gesture_params\":{\"type\":\"", draft.random.one(of: gestures), to: &text)
      generator.appendPair(",\"duration\":", draft.random.below(2000), to: &text)
      text.append(UInt8(ascii: "}"))
    case .impression:
      let count = 1 + draft.random.below(mostItems)
      generator.appendPair(",\"items_count\":", count, to: &text)
      text.append(",\"params\":[")
      for index in 0..<count {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        generator.appendPair("{\"key\":\"", draft.random.one(of: Vocabulary.products), to: &text)
        generator.appendPair(",\"position\":", index, to: &text)
        generator.appendPair(",\"timestamp\":", draft.time - draft.random.below(5000), to: &text)
        text.append(UInt8(ascii: "}"))
      }
      text.append(UInt8(ascii: "]"))
    case .custom:
      generator.appendPair(
        ",\"additional_properties\":{\"product\":\"", draft.random.one(of: Vocabulary.products),
        to: &text)
      text.append(",\"price\":")
      generator.appendAmount(&draft.random, to: &text)
      generator.appendPair("},\"group\":\"", draft.random.one(of: Vocabulary.labels), to: &text)
    case .click:
      generator.appendPair(
        ",\"target_info\":{\"href\":\"/", draft.random.one(of: Vocabulary.screens), to: &text)
      generator.appendPair("},\"section\":\"", draft.random.one(of: Vocabulary.labels), to: &text)
    case .pageLoad, .pageView: break
    }
  }

  private static func appendScroll(
    _ generator: LogGenerator, _ random: inout LogRandom, to text: inout ByteBuffer
  ) {
    let (start, distance) = (random.below(2000), 50 + random.below(900))
    generator.appendPair(",\"scroll_info\":{\"distance\":", distance, to: &text)
    text.append(",\"speed\":")
    generator.appendAmount(&random, to: &text)
    generator.appendPair(",\"direction\":\"", random.one(of: directions), to: &text)
    generator.appendPair(",\"scroll_depth\":0.", 1 + random.below(9), to: &text)
    generator.appendPair(",\"start_position\":", start, to: &text)
    generator.appendPair(",\"end_position\":", start + distance, to: &text)
    generator.appendPair(",\"duration\":", 50 + random.below(3000), to: &text)
    text.append(UInt8(ascii: "}"))
  }

  /// Appends the ids inside the data, as the SDK puts them when nobody else knows them.
  private static func appendIDs(_ draft: Draft, to text: inout ByteBuffer) {
    text.append(",\"additional_ids\":{")
    if draft.identity != .installation {
      text.append("\"userId\":\"")
      draft.person.appendCustomID(to: &text)
      text.append(draft.identity == .both ? "\"," : "\"")
    }
    if draft.identity != .custom {
      text.append("\"deviceId\":\"")
      draft.person.appendInstallationID(to: &text)
      text.append(UInt8(ascii: "\""))
    }
    text.append(UInt8(ascii: "}"))
  }
}
