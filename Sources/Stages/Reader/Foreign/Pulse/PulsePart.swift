import Pipeline

/// A part of `data` that the format of the auto events describes (dialects 7). Other fields of
/// `data` may have any value.
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

  /// The path in the line, the valid kinds of its value, and the part that contains it (nil for
  /// fields of `data`), in the order of the cases.
  private typealias Row = (path: StaticString, kinds: UInt16, parent: PulsePart?)

  private static let (object, array, text) = (bits(.object), bits(.array), bits(.string))
  private static let number = bits(.integer, .double)
  /// A number or a point.
  private static let position = number | object

  private static func bits(_ kinds: TapeKind...) -> UInt16 {
    kinds.reduce(0) { $0 | 1 << UInt16($1.rawValue) }
  }

  private static let rows: [Row] = [
    ("data.metadata", object, nil), ("data.element", object, nil),
    ("data.scroll_info", object, nil), ("data.gesture_params", object, nil),
    ("data.params", array, nil), ("data.items_count", number, nil),
    ("data.previous_events", array, nil), ("data.sources_info", array, nil),
    ("data.additional_ids", object, nil), ("data.element.type", text, .element),
    ("data.scroll_info.distance", number, .scrollInfo),
    ("data.scroll_info.speed", number, .scrollInfo),
    ("data.scroll_info.direction", text, .scrollInfo),
    ("data.scroll_info.scroll_depth", number, .scrollInfo),
    ("data.scroll_info.start_position", position, .scrollInfo),
    ("data.scroll_info.end_position", position, .scrollInfo),
    ("data.scroll_info.duration", number, .scrollInfo),
    ("data.gesture_params.type", text, .gestureParams),
  ]

  var path: StaticString { Self.rows[Int(rawValue)].path }

  var parent: PulsePart? { Self.rows[Int(rawValue)].parent }

  var bit: UInt32 { 1 << UInt32(rawValue) }

  /// The first part with this name; two are named `type`. Cached per name by ``ForeignNames``.
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

  func allows(_ kind: TapeKind) -> Bool {
    Self.rows[Int(rawValue)].kinds & 1 << UInt16(kind.rawValue) != 0
  }

  /// The parts whose words the format defines, as bits.
  fileprivate static let enums = direction.bit | gestureType.bit

  /// Whether the text is one of these words.
  fileprivate func knows(_ text: ByteView) -> Bool {
    self == .direction
      ? text == "up" || text == "down" || text == "left" || text == "right"
      : text == "tap" || text == "long_press" || text == "scale" || text == "rotate"
        || text == "move"
  }

  /// The described fields of the part, as bits.
  fileprivate var members: UInt32 { PulsePart.members[Int(rawValue)] }

  private static let members = allCases.map { part in
    allCases.filter { $0.parent == part }.reduce(0) { $0 | $1.bit }
  }

  /// The required parts of an event with this canonical name, as bits.
  fileprivate static func expected(of event: ByteView) -> UInt32 {
    let withElement = metadata.bit | element.bit | elementType.bit
    return switch event {
    case "page_load", "page_view", "click": withElement
    case "items_impression": withElement | params.bit | itemsCount.bit
    case "scroll": withElement | scrollInfo.bit | scrollInfo.members
    case "gesture": metadata.bit | gestureType.bit
    default: metadata.bit
    }
  }

  /// Losses whose codes name the part, so that a report counts them separately: of a required part,
  /// of one with a wrong type, of an unknown word, of older items.
  enum Loss: Int {
    case missing, badField, badEnum, tooMany
  }

  private static let codes = ["missing:", "bad_field:", "bad_enum:", "too_many:"].map { kind in
    allCases.map { ReasonCode(kind + "\($0.path)".dropFirst("data.".count)) }
  }

  func lose(_ loss: Loss, limit: Int? = nil, actual: Int? = nil, in draft: ForeignDraft) {
    guard let code = Self.codes[loss.rawValue][Int(rawValue)] else { return }
    draft.lose(code, at: FieldPath(root: path), limit: limit, actual: actual)
  }
}

/// The present parts of one auto event, those with a wrong type, and missing ones (dialects 7).
struct PulseParts {
  /// Tape index of the value of each part that is present; of repeated fields the last one.
  private var nodes = [18 of Node](repeating: .none)
  /// The parts that are present, as bits.
  private var there: UInt32 = 0
  /// Those of them that have a wrong type, as bits.
  private var refused: UInt32 = 0

  /// Finds the parts in the object `data`. Complexity: O(fields of it and of its described parts).
  init(of data: Int, in tape: Tape, _ names: ForeignNames) {
    find(in: data, of: nil, tape, names)
    find(in: self[.element], of: .element, tape, names)
    find(in: self[.scrollInfo], of: .scrollInfo, tape, names)
    find(in: self[.gestureParams], of: .gestureParams, tape, names)
  }

  private mutating func find(
    in object: Int?, of parent: PulsePart?, _ tape: Tape, _ names: ForeignNames
  ) {
    guard let object else { return }
    tape.forEachMember(of: object) { key in
      if let part = names.part(tape[key], of: parent, in: tape) { note(part, key + 1, tape) }
    }
  }

  /// Notes a value; null, and blank where a text is valid, counts as absent.
  private mutating func note(_ part: PulsePart, _ node: Int, _ tape: Tape) {
    let value = tape[node]
    nodes[Int(part.rawValue)] = Node(node)
    there &= ~part.bit
    refused &= ~part.bit
    if value.kind == .null { return }
    let isAllowed = part.allows(value.kind)
    if isAllowed, value.kind == .string, Characters.isBlank(tape.bytes(value)) { return }
    there |= part.bit
    if !isAllowed { refused |= part.bit }
  }

  /// The tape index of the value of a part that is present and has a valid type, or nil.
  subscript(part: PulsePart) -> Int? {
    there & ~refused & part.bit == 0 ? nil : nodes[Int(part.rawValue)].index
  }

  /// Whether the part is present, but has a wrong type.
  func isRefused(_ part: PulsePart) -> Bool { refused & part.bit != 0 }

  /// Whether a field of the part has a wrong type.
  func hasRefusedMember(_ part: PulsePart) -> Bool { refused != 0 && refused & part.members != 0 }

  /// Notes the invalid and missing parts of the event called `event`.
  func noteLosses(of event: ByteView, in draft: ForeignDraft) {
    forEach(refused) { $0.lose(.badField, in: draft) }
    forEach(there & ~refused & PulsePart.enums) { part in
      if !part.knows(draft.tape.bytes(at: nodes[Int(part.rawValue)])) {
        part.lose(.badEnum, in: draft)
      }
    }
    let expected = PulsePart.expected(of: event)
    forEach(expected & ~there) { part in
      // Not reported if its parent is. Of `gesture_params` only the type is required, so its
      // absence is reported here.
      let isMissed = part.parent.map { parent in
        self[parent] != nil || part == .gestureType && !isRefused(parent)
      }
      if isMissed ?? true { part.lose(.missing, in: draft) }
    }
    guard expected & PulsePart.itemsCount.bit != 0, let count = self[.itemsCount],
      let params = self[.params]
    else { return }
    // By their decimal text, in thousandths: `2` equals `2.0`, `2.5` is not a valid count.
    let thousandths = DecimalNumber.milliseconds(draft.tape.bytes(at: count), per: .seconds)
    if thousandths != draft.tape.itemCount(of: params) * 1000 {
      draft.lose(.itemsCountMismatch, at: PulsePart.itemsCount.path)
    }
  }

  /// Calls `body` with each part whose bit is set.
  private func forEach(_ parts: UInt32, _ body: (PulsePart) -> Void) {
    var rest = parts
    while rest != 0 {
      if let part = PulsePart(rawValue: UInt8(rest.trailingZeroBitCount)) { body(part) }
      rest &= rest - 1
    }
  }
}
