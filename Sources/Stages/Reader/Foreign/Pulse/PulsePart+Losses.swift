import Pipeline

/// The losses that tell of the described parts of an auto event (dialects 7). They name the part
/// themselves, beside the path that every loss has, so that a report counts them apart.
extension PulsePart {
  /// Where the part stands in the line.
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

  /// `missing:…`; nil for parts that no event has to have.
  var missing: ReasonCode? {
    switch self {
    case .metadata: .missingMetadata
    case .element: .missingElement
    case .elementType: .missingElementType
    case .scrollInfo: .missingScrollInfo
    case .distance: .missingScrollDistance
    case .speed: .missingScrollSpeed
    case .direction: .missingScrollDirection
    case .scrollDepth: .missingScrollDepth
    case .startPosition: .missingScrollStart
    case .endPosition: .missingScrollEnd
    case .duration: .missingScrollDuration
    case .gestureType: .missingGestureType
    case .params: .missingParams
    case .itemsCount: .missingItemsCount
    case .gestureParams, .previousEvents, .sourcesInfo, .additionalIDs: nil
    }
  }

  /// `bad_field:…`: what stands there has a wrong type, and is left out.
  var badField: ReasonCode {
    switch self {
    case .metadata: .badFieldMetadata
    case .element: .badFieldElement
    case .elementType: .badFieldElementType
    case .scrollInfo: .badFieldScrollInfo
    case .distance: .badFieldScrollDistance
    case .speed: .badFieldScrollSpeed
    case .direction: .badFieldScrollDirection
    case .scrollDepth: .badFieldScrollDepth
    case .startPosition: .badFieldScrollStart
    case .endPosition: .badFieldScrollEnd
    case .duration: .badFieldScrollDuration
    case .gestureParams: .badFieldGestureParams
    case .gestureType: .badFieldGestureType
    case .params: .badFieldParams
    case .itemsCount: .badFieldItemsCount
    case .previousEvents: .badFieldPreviousEvents
    case .sourcesInfo: .badFieldSourcesInfo
    case .additionalIDs: .badFieldAdditionalIDs
    }
  }

  /// `bad_enum:…`: a word that the format does not know, which is kept; nil where any text may
  /// stand.
  var badEnum: ReasonCode? {
    switch self {
    case .direction: .badEnumScrollDirection
    case .gestureType: .badEnumGestureType
    default: nil
    }
  }

  /// `too_many:…`: older items are left out; nil where the limit of all arrays holds.
  var tooMany: ReasonCode? {
    switch self {
    case .previousEvents: .tooManyPreviousEvents
    case .sourcesInfo: .tooManySourcesInfo
    default: nil
    }
  }
}
