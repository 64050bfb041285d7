import Pipeline

/// The second criterion, besides the name, by which events are counted (`count --by`).
package enum EventGrouping: Equatable, Sendable {
  /// The day and the hour of the event time, UTC; the dialect of the record; the path of the input.
  case day, hour, dialect, file
  /// The value of an attribute with this key in its stored form, or of ``EventGrouping/label``.
  case attribute([UInt8])
  /// None: all events are in one group.
  case all

  /// The group of events without a time, or without the attribute.
  package static let none: StaticString = "none"
  /// The groups of attribute values that are arrays and objects.
  static let array: StaticString = "[…]"
  static let object: StaticString = "{…}"
  /// Bytes of the longest attribute value that is a group unchanged; a longer one is cut.
  package static let longestValue = 128

  /// The arguments of ``init(_:)``, for messages.
  package static let words = "day, hour, dialect, file or attribute:KEY"
  private static let attributePrefix = "attribute:"
  private static let label = Array("$label".utf8)

  /// The grouping with this name in the option; nil for any other text. A key may be given as in
  /// outputs, including `date(KEY)`, and means each form of it, as in a record (data-model 6).
  package init?(_ text: String) {
    switch text {
    case "day": self = .day
    case "hour": self = .hour
    case "dialect": self = .dialect
    case "file": self = .file
    default:
      guard text.hasPrefix(Self.attributePrefix),
        let key = Self.key(String(text.dropFirst(Self.attributePrefix.count)))
      else { return nil }
      self = .attribute(key)
    }
  }

  /// The stored form of the key of an attribute; nil for an invalid one.
  package static func key(_ text: String) -> [UInt8]? {
    if Array(text.utf8) == label { return label }
    let raw = ByteBuffer(text: text)
    let (kind, inner) = KeyName.kind(of: raw.view)
    guard kind.isValid else { return nil }
    var stored = ByteBuffer()
    KeyName.appendLowercase(raw[inner], to: &stored)
    return stored.view.array
  }

  /// The name of the group as a column or field.
  package var column: StaticString {
    switch self {
    case .day: "day"
    case .hour: "hour"
    case .dialect: "dialect"
    case .file: "file"
    case .attribute: "value"
    case .all: "all"
    }
  }

  /// Whether attributes must be read individually, in the form after the migration.
  package var readsAttributes: Bool {
    if case .attribute = self { true } else { false }
  }
}

package struct EventGroup: Sendable {
  package let grouping: EventGrouping
  /// The key of the attribute whose numbers are added up, in its stored form; empty without one.
  package let measured: [UInt8]

  package init(_ grouping: EventGrouping, measured: [UInt8] = []) {
    (self.grouping, self.measured) = (grouping, measured)
  }

  package var readsAttributes: Bool { grouping.readsAttributes || !measured.isEmpty }
}

/// The groups of events in one lane: pairs of an event name and a group, each with a number in a
/// table that all lanes share.
///
/// ```
/// pair = name │ 0 │ group [ │ 0 │ number ]
/// ```
/// No name contains a zero byte, so the pairs of one name are in the order of their groups. Where
/// numbers are added up, each different one is a group of its own until duplicates are known.
final class EventGroups {
  private let grouping: EventGrouping
  private var pairs: NameCache
  private let files: [String]
  /// The key of the attribute; empty for other groupings.
  private let key: ByteBuffer
  /// The key of the attribute whose numbers are added up; empty without one.
  private let measured: ByteBuffer
  private var text = ByteBuffer()
  /// The numbers of the pairs of the file that was met last; nil for other groupings.
  private var filePairs: FilePairs?

  /// Groups by `group`, with numbers in `pairs`; `files` are the paths of the inputs.
  init(_ group: EventGroup, pairs: NameTable, files: [String]) {
    (grouping, self.files) = (group.grouping, files)
    self.pairs = NameCache(of: pairs)
    var key = ByteBuffer()
    if case .attribute(let bytes) = grouping { key.append(contentsOf: bytes) }
    self.key = key
    var measured = ByteBuffer()
    measured.append(contentsOf: group.measured)
    self.measured = measured
    if grouping == .file, group.measured.isEmpty { filePairs = FilePairs() }
  }

  /// The failure that ends the job.
  var failure: Failure? { pairs.failure }

  /// The number of the group of an event of the input number `input`; `name` is that of its name.
  func number(
    of event: EventEntry, _ name: UInt32, _ record: RecordEntry, input: Int, in tape: Tape
  ) -> UInt32 {
    if let pair = filePairs?.pair(of: name, in: input) { return pair }
    text.removeAll()
    text.append(tape.bytes(at: event.nameNode))
    text.append(0 as UInt8)
    switch grouping {
    case .day, .hour: appendTime(event)
    case .dialect: text.append(text: record.countedDialect.name)
    case .file: text.append(text: files[input])
    case .attribute: appendValue(of: event, in: tape)
    case .all: break
    }
    if !measured.isEmpty {
      text.append(0 as UInt8)
      let node = node(of: event, measured.view, in: tape)
      if node.exists, [.integer, .double].contains(tape[node].kind) {
        append(number: tape.bytes(at: node))
      }
    }
    let pair = pairs.id(of: text.view)
    filePairs?.note(pair, of: name)
    return pair
  }

  private func appendTime(_ event: EventEntry) {
    if event.timing == .absent { return text.append(EventGrouping.none) }
    let start = text.count
    let time = event.time - event.time % HourCounts.milliseconds
    Timestamp.append(milliseconds: time, to: &text)
    if grouping == .day { text.truncate(to: start + 10) }
  }

  private func appendValue(of event: EventEntry, in tape: Tape) {
    let node = node(of: event, key.view, in: tape)
    guard node.exists else { return text.append(EventGrouping.none) }
    switch tape[node].kind {
    case .array: text.append(EventGrouping.array)
    case .object: text.append(EventGrouping.object)
    case .true: text.append("true")
    case .false: text.append("false")
    case .date: Timestamp.append(milliseconds: tape[node].milliseconds, to: &text)
    default: append(value: tape.bytes(at: node))
    }
  }

  private func node(of event: EventEntry, _ key: ByteView, in tape: Tape) -> Node {
    if key == ByteView("$label") { return event.label }
    var node = Node.none
    guard event.attributes.exists else { return node }
    tape.forEachMember(of: event.attributes.index) { member in
      if !tape[member].isDropped, tape.bytes(at: member) == key { node = Node(member + 1) }
    }
    return node
  }

  /// A number with very many digits is the nearest double.
  private func append(number: ByteView) {
    if number.count <= EventGrouping.longestValue { return text.append(number) }
    if let value = Double(number.text) { text.append(text: "\(value)") }
  }

  private func append(value: ByteView) {
    if value.count <= EventGrouping.longestValue { return text.append(value) }
    text.append(value[0..<Characters.wholeCharacters(value, atMost: EventGrouping.longestValue)])
    text.append("…" as StaticString)
  }
}

/// Numbers of pairs of a name and one file: the path is put behind a name once for each file.
private struct FilePairs {
  private static let none = UInt32.max

  private var input = -1
  private var pairs: [UInt32] = []
  /// The names that have one.
  private var names: [UInt32] = []

  /// The number of the pair of `name` and the file number `input`; nil when it is not known.
  mutating func pair(of name: UInt32, in input: Int) -> UInt32? {
    if input != self.input {
      for name in names { pairs[Int(name)] = Self.none }
      names.removeAll(keepingCapacity: true)
      self.input = input
    }
    guard Int(name) < pairs.count, pairs[Int(name)] != Self.none else { return nil }
    return pairs[Int(name)]
  }

  /// Notes the pair of a name and the file that was asked for last.
  mutating func note(_ pair: UInt32, of name: UInt32) {
    if Int(name) >= pairs.count {
      pairs += repeatElement(Self.none, count: Int(name) + 1 - pairs.count)
    }
    pairs[Int(name)] = pair
    names.append(name)
  }
}
