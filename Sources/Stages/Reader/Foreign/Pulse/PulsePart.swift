import Pipeline

/// A part of `data` that the format of the auto events describes (dialects 7): where it stands,
/// what may stand there, and which losses tell of it.
///
/// Members of `data` that are none of these may be anything.
enum PulsePart: UInt8, CaseIterable {
  // Members of `data`.
  case metadata, element, scrollInfo, gestureParams, params, itemsCount
  case previousEvents, sourcesInfo, additionalIDs
  // The member of `element`.
  case elementType
  // Those of `scroll_info`.
  case distance, speed, direction, scrollDepth, startPosition, endPosition, duration
  // That of `gesture_params`.
  case gestureType

  /// What a part may be.
  private enum Shape {
    case object, array, text, number
    /// A number, or a point.
    case position
  }

  /// The bit of the part in a set of parts.
  var bit: UInt32 { 1 << UInt32(rawValue) }

  /// The part of which it is a member, nil for members of `data`; what it may be; and where it is
  /// in the line.
  private var row: (parent: PulsePart?, shape: Shape, path: StaticString) {
    switch self {
    case .metadata: (nil, .object, "data.metadata")
    case .element: (nil, .object, "data.element")
    case .scrollInfo: (nil, .object, "data.scroll_info")
    case .gestureParams: (nil, .object, "data.gesture_params")
    case .params: (nil, .array, "data.params")
    case .itemsCount: (nil, .number, "data.items_count")
    case .previousEvents: (nil, .array, "data.previous_events")
    case .sourcesInfo: (nil, .array, "data.sources_info")
    case .additionalIDs: (nil, .object, "data.additional_ids")
    case .elementType: (.element, .text, "data.element.type")
    case .distance: (.scrollInfo, .number, "data.scroll_info.distance")
    case .speed: (.scrollInfo, .number, "data.scroll_info.speed")
    case .direction: (.scrollInfo, .text, "data.scroll_info.direction")
    case .scrollDepth: (.scrollInfo, .number, "data.scroll_info.scroll_depth")
    case .startPosition: (.scrollInfo, .position, "data.scroll_info.start_position")
    case .endPosition: (.scrollInfo, .position, "data.scroll_info.end_position")
    case .duration: (.scrollInfo, .number, "data.scroll_info.duration")
    case .gestureType: (.gestureParams, .text, "data.gesture_params.type")
    }
  }

  /// The part that a member of this exact name is: of `data` when `parent` is nil, else of that
  /// part. Complexity: O(parts); remembered per name by ``PulseNames``.
  init?(_ name: ByteView, of parent: PulsePart?) {
    let start = ByteView(parent?.path ?? "data").count + 1
    let part = PulsePart.allCases.first {
      $0.parent == parent && ByteView($0.path).dropFirst(start) == name
    }
    guard let part else { return nil }
    self = part
  }

  /// Where the part is in the line.
  var path: StaticString { row.path }

  /// The part of which it is a member; nil for members of `data`.
  var parent: PulsePart? { row.parent }

  /// Whether a value of this kind may stand there.
  func allows(_ kind: TapeKind) -> Bool {
    switch row.shape {
    case .object: kind == .object
    case .array: kind == .array
    case .text: kind == .string
    case .number: kind == .integer || kind == .double
    case .position: kind == .integer || kind == .double || kind == .object
    }
  }

  /// Whether the text is one of the words that the format knows; true where any text may stand.
  func knows(_ text: ByteView) -> Bool {
    switch self {
    case .direction: text == "up" || text == "down" || text == "left" || text == "right"
    case .gestureType:
      text == "tap" || text == "long_press" || text == "scale" || text == "rotate"
        || text == "move"
    default: true
    }
  }

  /// How many items of the list are kept, the newest; nil where the limit of all arrays holds.
  var mostItems: Int? {
    switch self {
    case .previousEvents: 10
    case .sourcesInfo: 3
    default: nil
    }
  }

  /// The described members of the part, as bits.
  var members: UInt32 {
    switch self {
    case .element: PulsePart.elementType.bit
    case .scrollInfo: PulsePart.scrollMembers
    case .gestureParams: PulsePart.gestureType.bit
    default: 0
    }
  }

  private static let scrollMembers =
    distance.bit | speed.bit | direction.bit | scrollDepth.bit | startPosition.bit
    | endPosition.bit | duration.bit

  /// The parts that an event with this canonical name has to have, as bits.
  static func expected(of event: ByteView) -> UInt32 {
    let withElement = metadata.bit | element.bit | elementType.bit
    return switch event {
    case "page_load", "page_view", "click": withElement
    case "items_impression": withElement | params.bit | itemsCount.bit
    case "scroll": withElement | scrollInfo.bit | scrollMembers
    case "gesture": metadata.bit | gestureType.bit
    default: metadata.bit
    }
  }

  // MARK: - Losses (dialects 7), which name the part so that a report counts them apart

  /// `missing:PART`; nil for parts that no event has to have.
  var missing: ReasonCode? { PulsePart.missing[Int(rawValue)] }

  /// `bad_field:PART`: the part has a wrong type, and is left out.
  var badField: ReasonCode? { PulsePart.badField[Int(rawValue)] }

  /// `bad_enum:PART`: a word that the format does not know, which is kept; nil for other parts.
  var badEnum: ReasonCode? { PulsePart.badEnum[Int(rawValue)] }

  /// `too_many:PART`: older items are left out; nil where the limit of all arrays holds.
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
