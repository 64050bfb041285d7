import Pipeline

/// A part of `data` that the format of the auto events describes (dialects 7): its path, its valid
/// values, and the codes of its losses.
///
/// Other fields of `data` may have any value.
enum PulsePart: UInt8, CaseIterable {
  // Fields of `data`.
  case metadata, element, scrollInfo, gestureParams, params, itemsCount
  case previousEvents, sourcesInfo, additionalIDs
  // The field of `element`.
  case elementType
  // Fields of `scroll_info`.
  case distance, speed, direction, scrollDepth, startPosition, endPosition, duration
  // The field of `gesture_params`.
  case gestureType

  /// The bit of the part in a set of parts.
  var bit: UInt32 { 1 << UInt32(rawValue) }

  /// The part that contains it; nil for fields of `data`.
  var parent: PulsePart? {
    switch self {
    case .elementType: .element
    case .distance, .speed, .direction, .scrollDepth, .startPosition, .endPosition, .duration:
      .scrollInfo
    case .gestureType: .gestureParams
    default: nil
    }
  }

  /// The path of the part in the line.
  var path: StaticString {
    switch self {
    case .metadata: "data.metadata"
    case .element: "data.element"
    case .scrollInfo: "data.scroll_info"
    case .gestureParams: "data.gesture_params"
    case .params: "data.params"
    case .itemsCount: "data.items_count"
    case .previousEvents: "data.previous_events"
    case .sourcesInfo: "data.sources_info"
    case .additionalIDs: "data.additional_ids"
    case .elementType: "data.element.type"
    case .distance: "data.scroll_info.distance"
    case .speed: "data.scroll_info.speed"
    case .direction: "data.scroll_info.direction"
    case .scrollDepth: "data.scroll_info.scroll_depth"
    case .startPosition: "data.scroll_info.start_position"
    case .endPosition: "data.scroll_info.end_position"
    case .duration: "data.scroll_info.duration"
    case .gestureType: "data.gesture_params.type"
    }
  }

  /// The first part with this name; two are named `type`. Complexity: O(parts); cached per name by
  /// ``ForeignNames``.
  init?(named name: ByteView) {
    let part = PulsePart.allCases.first { part in
      let start = ByteView(part.parent?.path ?? "data").count + 1
      return ByteView(part.path).dropFirst(start) == name
    }
    guard let part else { return nil }
    self = part
  }

  /// The part of this name in `parent`, or in `data` when that is nil.
  @inline(__always)
  func asMember(of parent: PulsePart?) -> PulsePart? {
    if self.parent == parent { return self }
    return self == .elementType && parent == .gestureParams ? .gestureType : nil
  }

  /// Whether a value of this kind is valid.
  func allows(_ kind: TapeKind) -> Bool {
    let isNumber = kind == .integer || kind == .double
    return switch self {
    case .metadata, .element, .scrollInfo, .gestureParams, .additionalIDs: kind == .object
    case .params, .previousEvents, .sourcesInfo: kind == .array
    case .elementType, .direction, .gestureType: kind == .string
    case .itemsCount, .distance, .speed, .scrollDepth, .duration: isNumber
    // Or a point.
    case .startPosition, .endPosition: isNumber || kind == .object
    }
  }

  /// Whether the text is one of the words that the format defines; true where any text is valid.
  func knows(_ text: ByteView) -> Bool {
    switch self {
    case .direction: text == "up" || text == "down" || text == "left" || text == "right"
    case .gestureType:
      text == "tap" || text == "long_press" || text == "scale" || text == "rotate"
        || text == "move"
    default: true
    }
  }

  /// Number of items of the list that are kept, the newest; nil where the limit of all arrays
  /// applies.
  var mostItems: Int? { self == .previousEvents ? 10 : self == .sourcesInfo ? 3 : nil }

  /// The described fields of the part, as bits.
  var members: UInt32 { PulsePart.members[Int(rawValue)] }

  private static let members = allCases.map { part in
    allCases.filter { $0.parent == part }.reduce(0) { $0 | $1.bit }
  }

  /// The required parts of an event with this canonical name, as bits.
  static func expected(of event: ByteView) -> UInt32 {
    let withElement = metadata.bit | element.bit | elementType.bit
    return switch event {
    case "page_load", "page_view", "click": withElement
    case "items_impression": withElement | params.bit | itemsCount.bit
    case "scroll": withElement | scrollInfo.bit | scrollInfo.members
    case "gesture": metadata.bit | gestureType.bit
    default: metadata.bit
    }
  }

  // MARK: - Losses (dialects 7), whose codes name the part so that a report counts them separately

  /// `missing:PART`; nil for optional parts.
  var missing: ReasonCode? { PulsePart.missing[Int(rawValue)] }

  /// `bad_field:PART`: the part has a wrong type, and is omitted.
  var badField: ReasonCode? { PulsePart.badField[Int(rawValue)] }

  /// `bad_enum:PART`: a word that the format does not define, which is kept; nil for other parts.
  var badEnum: ReasonCode? { PulsePart.badEnum[Int(rawValue)] }

  /// `too_many:PART`: older items are omitted; nil where the limit of all arrays applies.
  var tooMany: ReasonCode? { PulsePart.tooMany[Int(rawValue)] }

  private static let missing = codes("missing:")
  private static let badField = codes("bad_field:")
  private static let badEnum = codes("bad_enum:")
  private static let tooMany = codes("too_many:")

  /// The codes of each part, if it has one of this kind.
  private static func codes(_ kind: String) -> [ReasonCode?] {
    allCases.map { ReasonCode(kind + "\($0.path)".dropFirst("data.".count)) }
  }
}
