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

  /// What the format says of a part.
  private struct Row {
    /// The path in the line.
    let path: StaticString
    /// The valid types.
    let kinds: [TapeKind]
    /// The part that contains it; nil for fields of `data`.
    var parent: PulsePart?
    /// The words that it defines; empty where any text is valid.
    var words: [StaticString] = []
    /// Number of items that are kept, the newest; nil where the limit of all arrays applies.
    var mostItems: Int?
  }

  private static let number: [TapeKind] = [.integer, .double]
  /// A number, or a point.
  private static let position = number + [.object]

  /// In the order of the cases.
  private static let rows = [
    Row(path: "data.metadata", kinds: [.object]),
    Row(path: "data.element", kinds: [.object]),
    Row(path: "data.scroll_info", kinds: [.object]),
    Row(path: "data.gesture_params", kinds: [.object]),
    Row(path: "data.params", kinds: [.array]),
    Row(path: "data.items_count", kinds: number),
    Row(path: "data.previous_events", kinds: [.array], mostItems: 10),
    Row(path: "data.sources_info", kinds: [.array], mostItems: 3),
    Row(path: "data.additional_ids", kinds: [.object]),
    Row(path: "data.element.type", kinds: [.string], parent: .element),
    Row(path: "data.scroll_info.distance", kinds: number, parent: .scrollInfo),
    Row(path: "data.scroll_info.speed", kinds: number, parent: .scrollInfo),
    Row(
      path: "data.scroll_info.direction", kinds: [.string], parent: .scrollInfo,
      words: ["up", "down", "left", "right"]),
    Row(path: "data.scroll_info.scroll_depth", kinds: number, parent: .scrollInfo),
    Row(path: "data.scroll_info.start_position", kinds: position, parent: .scrollInfo),
    Row(path: "data.scroll_info.end_position", kinds: position, parent: .scrollInfo),
    Row(path: "data.scroll_info.duration", kinds: number, parent: .scrollInfo),
    Row(
      path: "data.gesture_params.type", kinds: [.string], parent: .gestureParams,
      words: ["tap", "long_press", "scale", "rotate", "move"]),
  ]

  private var row: Row { Self.rows[Int(rawValue)] }
  var parent: PulsePart? { row.parent }

  /// The bit of the part in a set of parts.
  var bit: UInt32 { 1 << UInt32(rawValue) }
  /// The path of the part in the line.
  var path: StaticString { row.path }
  var mostItems: Int? { row.mostItems }

  /// Whether a value of this kind is valid.
  func allows(_ kind: TapeKind) -> Bool { row.kinds.contains(kind) }

  /// Whether the text is one of the words that the format defines; true where any text is valid.
  func knows(_ text: ByteView) -> Bool {
    row.words.isEmpty || row.words.contains { ByteView($0) == text }
  }

  /// The described fields of the part, as bits.
  var members: UInt32 { Self.members[Int(rawValue)] }

  private static let members = allCases.map { part in
    allCases.reduce(0) { $1.parent == part ? $0 | $1.bit : $0 }
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
