import Pipeline

/// Dialect `bolts`: measurement events of the Bolts framework and of what followed it (dialects 5),
/// as somebody who listened to the notifications wrote them.
///
/// ```json
/// {"name":"com.parse.bolts.measurement_event",
///  "userInfo":{"event_name":"al_nav_in","event_args":{"sourceApplication":"com.a.b"}},
///  "timestamp":1714641300000}
/// ```
/// Three forms: a notification with `userInfo`, the event by itself, an Android broadcast with
/// `extras`.
enum BoltsDialect: RecordDialect {
  static let rivals: [any RecordDialect.Type] = [PulseDialect.self]

  private static let known = ForeignEnvelope.known | RootField.name.bit
  /// What a line may have, beside the envelope, that is an event by itself and nothing else.
  private static let bareNames =
    ForeignEnvelope.names + ["event_name", "event_args", "object"] as [StaticString]

  static func evidence(in line: LineFields) -> Evidence? {
    if holdsEvent(line.node("userInfo"), line.tape) { return Evidence("userInfo") }
    if holdsEvent(line.node("user_info"), line.tape) { return Evidence("user_info") }
    if holdsEvent(line.node("extras"), line.tape) { return Evidence("extras") }
    if isNotification(line.node(.name), line.tape) { return Evidence("name") }
    if isNotification(line.node("notification"), line.tape) { return Evidence("notification") }
    if isNotification(line.node("action"), line.tape) { return Evidence("action") }
    guard line.has("event_name"),
      line.isFixed(to: Self.self)
        || line.root.hasOnly(ForeignEnvelope.known, bareNames, of: line.tape)
    else { return nil }
    return Evidence("event_name")
  }

  /// Whether the value at `node` is an object with the name of an event.
  private static func holdsEvent(_ node: Int?, _ tape: Tape) -> Bool {
    node.map { tape.present("event_name", of: $0) != nil } ?? false
  }

  static func read(
    _ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch
  ) {
    let cache = reader.cache(of: record)
    let line = Line(reader.root, of: batch.tape, cache)
    record.hasEventList = false
    if let title = line.otherTitle {
      record.fault = Node(batch.findings.count)
      batch.findings.add(.notMeasurementEvent, at: title.name)
    }
    let draft = reader.draft(of: record, into: batch)
    draft.appendEvent { event in
      line.envelope.identify(&record, draft)
      draft.name(line.eventName, of: &event)
      event.idNode = draft.eventID(line.id.node, at: line.id.name)
      event.timeNode = draft.time(line.time.node, at: line.time.name)
      event.timing = .optional
      event.attributes = attributes(line, draft, cache, reader)
    }
  }

  /// Whether the value at `node` is one of the names under which measurement events are sent.
  private static func isNotification(_ node: Int?, _ tape: Tape) -> Bool {
    guard let node, tape[node].kind == .string else { return false }
    let name = tape.bytes(at: node)
    return name == "com.parse.bolts.measurement_event"
      || name == "org.openaquamarine.measurement_event"
      || name == "com.facebook.facebook-objc-sdk.measurement_event"
  }

  // MARK: - Attributes

  /// The arguments as attributes, if there are any; what is no object is left to be refused.
  private static func attributes(
    _ line: Line, _ draft: ForeignDraft, _ cache: NameInfoCache<UInt32>, _ reader: DialectReader
  ) -> Node {
    let tape = draft.tape
    let arguments = line.arguments
    let isObject = arguments.exists && tape[arguments].kind == .object
    guard isObject || !arguments.exists && hasOthers(line, reader) && reader.unknownFields == .keep
    else {
      takeOthers(line, draft, reader)
      return arguments
    }
    var path = FieldPath(root: line.holder)
    if isObject { path.push(key: arguments.index - 1) }
    let base = draft.scratch.members.count
    return draft.appendObject(at: path) {
      if isObject { addArguments(arguments.index, at: path, draft, cache) }
      takeOthers(line, draft, reader, from: base)
    }
  }

  private static func hasOthers(_ line: Line, _ reader: DialectReader) -> Bool {
    line.hasOthers || reader.root.mayHaveOthers(than: known)
  }

  /// Takes what stands at the root, or beside the event inside another object, and has no rule.
  private static func takeOthers(
    _ line: Line, _ draft: ForeignDraft, _ reader: DialectReader, from base: Int? = nil
  ) {
    draft.takeOthers(of: reader.root, besides: known, from: base, by: reader)
    guard line.hasOthers,
      let bits = reader.readOthers(
        in: line.holderNode.index, besides: ["event_name", "event_args"], of: draft.batch)
    else { return }
    draft.takeOthers(
      of: reader.inner, besides: bits, in: line.holderNode.previous, from: base, by: reader)
  }

  private static func addArguments(
    _ arguments: Int, at path: FieldPath, _ draft: ForeignDraft, _ cache: NameInfoCache<UInt32>
  ) {
    let tape = draft.tape
    tape.forEachMember(of: arguments) { key in
      if info(of: tape[key], in: tape, cache) & holdsLink != 0, isLink(tape[key + 1], of: tape) {
        draft.addMember(key, as: .url, drafted: key + 1, isPrevalidated: true)
      } else {
        draft.addMember(key, names: 1, at: path)
      }
    }
  }

  /// Whether the value of an argument that holds URLs is a URL that attributes can be.
  private static func isLink(_ value: TapeEntry, of tape: Tape) -> Bool {
    guard value.kind == .string else { return false }
    let text = tape.bytes(value)
    return FormatRules.isURL(text) && Characters.count(text, moreThan: Limits.url) == nil
  }

  // MARK: - Names

  /// What a line may have at its root.
  private enum Field: UInt8, DialectField {
    case userInfo, userInfoSnake, extras, notification, action
    case timestamp, date, eventName, eventArguments, userID, deviceID, object

    var name: StaticString {
      switch self {
      case .userInfo: "userInfo"
      case .userInfoSnake: "user_info"
      case .extras: "extras"
      case .notification: "notification"
      case .action: "action"
      case .timestamp: "timestamp"
      case .date: "date"
      case .eventName: "event_name"
      case .eventArguments: "event_args"
      case .userID: "userId"
      case .deviceID: "device_id"
      case .object: "object"
      }
    }
  }

  /// In the meaning of a name: as that of an argument it holds URLs.
  private static let holdsLink: UInt32 = 1 << 8

  @inline(__always)
  private static func info(
    of key: TapeEntry, in tape: Tape, _ cache: NameInfoCache<UInt32>
  ) -> UInt32 {
    cache.info(of: key.number, in: tape) { info(of: tape.bytes(key)) }
  }

  private static func position(
    of key: TapeEntry, in tape: Tape, _ cache: NameInfoCache<UInt32>
  ) -> UInt8 {
    UInt8(truncatingIfNeeded: info(of: key, in: tape, cache))
  }

  /// What a name means at the root, and as that of an argument.
  private static func info(of name: ByteView) -> UInt32 {
    switch name {
    case "inputURL", "targetURL", "refererURL", "outputURL", "sourceURL":
      Field.index(of: name) | holdsLink
    default: Field.index(of: name)
    }
  }

  // MARK: - Members

  /// The members of a line: tape indices.
  private struct Line {
    typealias NamedNode = (name: StaticString, node: Node)

    /// Where the event stands; empty = in the line itself.
    let holder: StaticString
    /// Tape index of that object, none for the line, and whether it has fields beside the event.
    let holderNode: Node
    let hasOthers: Bool
    /// What the notification around the event is called, if that is none of measurement.
    let otherTitle: NamedNode?
    let time: NamedNode
    let id: NamedNode
    let envelope: ForeignEnvelope
    /// Tape indices of what the event is called and of its arguments.
    let eventName: Node
    let arguments: Node

    /// Takes the members out of those of the root that nobody knows.
    init(_ root: RootFields, of tape: Tape, _ cache: NameInfoCache<UInt32>) {
      let own = root.take(Field.self, of: tape, cache) { BoltsDialect.info(of: $0) }
      envelope = ForeignEnvelope(root, userID: own[.userID], deviceID: own[.deviceID])
      let event = Self.event(own, of: tape, cache)
      holder = event.holder?.name ?? ""
      holderNode = event.holder.map { own[$0] } ?? .none
      hasOthers = event.hasOthers
      (eventName, arguments) = (event.name, event.arguments)
      otherTitle =
        event.holder == nil
        ? nil : Self.otherTitle(root[.name], own[.notification], own[.action], of: tape)
      time = Self.first(
        ("timestamp", own[.timestamp]), ("time", root[.time]), ("date", own[.date]))
      id = Self.first(("event_id", root[.eventID]), ("id", root[.id]))
    }

    private typealias Event = (holder: Field?, name: Node, arguments: Node, hasOthers: Bool)

    /// The event in the first object that may hold one and has an `event_name`; if there is none,
    /// that of the line itself; if that has none either, what the first such object holds.
    private static func event(
      _ own: DialectFields<Field>, of tape: Tape, _ cache: NameInfoCache<UInt32>
    ) -> Event {
      var unnamed: Event?
      for position in Field.userInfo.rawValue...Field.extras.rawValue {
        guard let holder = Field(rawValue: position), own[holder].exists,
          let event = event(in: holder, own[holder].index, of: tape, cache)
        else { continue }
        if event.name.exists { return event }
        if unnamed == nil { unnamed = event }
      }
      if !own[.eventName].exists, let unnamed { return unnamed }
      return (nil, own[.eventName], own[.eventArguments], false)
    }

    /// The event in the value at `node`, nil if that is no object.
    private static func event(
      in holder: Field, _ node: Int, of tape: Tape, _ cache: NameInfoCache<UInt32>
    ) -> Event? {
      guard tape[node].kind == .object else { return nil }
      var event: Event = (holder, .none, .none, false)
      tape.forEachMember(of: node) { key in
        let value = tape[key + 1].kind == .null ? .none : Node(key + 1)
        switch Field(rawValue: BoltsDialect.position(of: tape[key], in: tape, cache)) {
        case .eventName: event.name = value
        case .eventArguments: event.arguments = value
        default: event.hasOthers = event.hasOthers || value.exists
        }
      }
      return event
    }

    /// The first name of the notification, unless one of them is known, or there is none.
    private static func otherTitle(
      _ name: Node, _ notification: Node, _ action: Node, of tape: Tape
    ) -> NamedNode? {
      func isOther(_ node: Node) -> Bool {
        !node.exists || !BoltsDialect.isNotification(node.index, tape)
      }
      guard isOther(name), isOther(notification), isOther(action) else { return nil }
      let title = first(("name", name), ("notification", notification), ("action", action))
      return title.node.exists ? title : nil
    }

    /// The first member that is there; one without a value when none is.
    private static func first(_ a: NamedNode, _ b: NamedNode, _ c: NamedNode = ("", .none))
      -> NamedNode
    {
      a.node.exists ? a : b.node.exists ? b : c.node.exists ? c : ("", .none)
    }
  }
}
