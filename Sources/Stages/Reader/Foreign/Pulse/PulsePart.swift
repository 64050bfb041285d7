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

  /// The part that a member of this exact name is: of `data` when `parent` is nil, else of that
  /// part. Complexity: O(`name.count`).
  init?(_ name: ByteView, of parent: PulsePart?) {
    let part: PulsePart?
    switch parent {
    case nil: part = PulsePart.member(name)
    case .element: part = name == "type" ? .elementType : nil
    case .gestureParams: part = name == "type" ? .gestureType : nil
    case .scrollInfo: part = PulsePart.scrollMember(name)
    default: part = nil
    }
    guard let part else { return nil }
    self = part
  }

  private static func member(_ name: ByteView) -> PulsePart? {
    switch name.count {
    case 6: name == "params" ? .params : nil
    case 7: name == "element" ? .element : nil
    case 8: name == "metadata" ? .metadata : nil
    case 11: name == "scroll_info" ? .scrollInfo : name == "items_count" ? .itemsCount : nil
    case 12: name == "sources_info" ? .sourcesInfo : nil
    case 14:
      name == "gesture_params" ? .gestureParams : name == "additional_ids" ? .additionalIDs : nil
    case 15: name == "previous_events" ? .previousEvents : nil
    default: nil
    }
  }

  private static func scrollMember(_ name: ByteView) -> PulsePart? {
    switch name.count {
    case 5: name == "speed" ? .speed : nil
    case 8: name == "distance" ? .distance : name == "duration" ? .duration : nil
    case 9: name == "direction" ? .direction : nil
    case 12: name == "scroll_depth" ? .scrollDepth : name == "end_position" ? .endPosition : nil
    case 14: name == "start_position" ? .startPosition : nil
    default: nil
    }
  }

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
}
