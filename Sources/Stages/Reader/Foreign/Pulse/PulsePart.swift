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

  /// The part of which it is a member; nil for members of `data`.
  var parent: PulsePart? {
    switch self {
    case .elementType: .element
    case .distance, .speed, .direction, .scrollDepth, .startPosition, .endPosition, .duration:
      .scrollInfo
    case .gestureType: .gestureParams
    default: nil
    }
  }

  private var shape: Shape {
    switch self {
    case .metadata, .element, .scrollInfo, .gestureParams, .additionalIDs: .object
    case .params, .previousEvents, .sourcesInfo: .array
    case .elementType, .direction, .gestureType: .text
    case .itemsCount, .distance, .speed, .scrollDepth, .duration: .number
    case .startPosition, .endPosition: .position
    }
  }

  /// Where the part is in the line.
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

  /// The first part that has this name; `type` is that of two. Complexity: O(parts); remembered
  /// per name by ``ForeignNames``.
  init?(named name: ByteView) {
    let part = PulsePart.allCases.first { part in
      let start = ByteView(part.parent?.path ?? "data").count + 1
      return ByteView(part.path).dropFirst(start) == name
    }
    guard let part else { return nil }
    self = part
  }

  /// The part of this name that is a member of `parent`, or of `data` when that is nil.
  @inline(__always)
  func asMember(of parent: PulsePart?) -> PulsePart? {
    if self.parent == parent { return self }
    return self == .elementType && parent == .gestureParams ? .gestureType : nil
  }

  /// Whether a value of this kind may stand there.
  func allows(_ kind: TapeKind) -> Bool {
    switch shape {
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
