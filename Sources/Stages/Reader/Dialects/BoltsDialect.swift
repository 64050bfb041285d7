import Pipeline

/// Dialect `bolts`: measurement events of the Bolts framework and of what followed it (DIALECTS 2.1), as
/// somebody who listened to the notifications wrote them.
///
/// ```json
/// {"name":"com.parse.bolts.measurement_event","userInfo":{"event_name":"al_nav_in","event_args":{"sourceApplication":"com.a.b"}},"timestamp":1714641300000}
/// ```
/// Three forms: a notification with `userInfo`, the event by itself, an Android broadcast with `extras`.
enum BoltsDialect: RecordDialect {
  static let name: StaticString = "bolts"
  static let marks: [StaticString] = [
    "userInfo", "user_info", "extras", "notification", "action", "event_name",
  ]
  static let rivals: [any RecordDialect.Type] = [PulseDialect.self]

  /// The names under which measurement events are sent.
  private static let notifications: [StaticString] = [
    "com.parse.bolts.measurement_event", "org.openaquamarine.measurement_event",
    "com.facebook.facebook-objc-sdk.measurement_event",
  ]
  /// The members that hold the event.
  private static let holders: [StaticString] = ["userInfo", "user_info", "extras"]
  /// Those beside `name` that name the notification.
  private static let titles: [StaticString] = ["notification", "action"]
  private static let known =
    ForeignEnvelope.known | RootMember.name.bit | RootMember.time.bit | RootMember.id.bit
    | RootMember.eventID.bit

  static func evidence(in line: LineMembers) -> Evidence? {
    for holder in holders {
      if let node = line.node(ByteView(holder)), line.tape.present("event_name", of: node) != nil {
        return Evidence(holder)
      }
    }
    if let name = line.node(.name), isNotification(name, of: line.tape) { return Evidence("name") }
    for title in titles {
      if let node = line.node(ByteView(title)), isNotification(node, of: line.tape) {
        return Evidence(title)
      }
    }
    return line.node("event_name") == nil ? nil : Evidence("event_name")
  }

  static func read(
    _ record: inout RecordEntry, by reader: inout DialectReader, into batch: RecordBatch
  ) {
    let line = Line(reader.root, of: batch.tape)
    reader.root.countOthers(than: known, of: batch.tape, in: &batch.unknownFields)
    record.hasEventList = false
    if let title = line.otherTitle {
      record.fault = Int32(batch.findings.count)
      batch.findings.add(.notMeasurementEvent, at: title.name)
    }
    let draft = ForeignDraft(by: reader, into: batch)
    draft.appendEvent { event in
      line.envelope.identify(&record, draft)
      draft.name(line.member("event_name", of: batch.tape), of: &event)
      event.idNode = draft.eventID(line.id.node, at: line.id.name)
      event.timeNode = draft.time(line.time.node, at: line.time.name)
      event.timing = .optional
      event.attributes = attributes(line, draft)
    }
  }

  /// Whether the value at `node` is the name of a measurement notification.
  private static func isNotification(_ node: Int, of tape: Tape) -> Bool {
    guard tape[node].kind == .string else { return false }
    let name = tape.bytes(at: node)
    return notifications.contains { ByteView($0) == name }
  }

  // MARK: - Attributes

  /// The arguments as attributes, -1 = none; what is no object is left to be refused.
  private static func attributes(_ line: Line, _ draft: ForeignDraft) -> Int32 {
    let tape = draft.tape
    let arguments = line.member("event_args", of: tape)
    guard arguments >= 0, tape[Int(arguments)].kind == .object else { return arguments }
    var path = FieldPath(root: line.holder)
    path.push(key: Int(arguments) - 1)
    return draft.appendObject(at: path) {
      tape.forEachMember(of: Int(arguments)) { key in
        if isLink(key, of: tape) {
          draft.addMember(key, as: .url, drafted: key + 1)
        } else {
          draft.addMember(key, names: 1, at: path)
        }
      }
    }
  }

  /// Whether the member at `key` is one of those that hold URLs, and a URL that attributes can be.
  private static func isLink(_ key: Int, of tape: Tape) -> Bool {
    switch tape.bytes(at: key) {
    case "inputURL", "targetURL", "refererURL", "outputURL", "sourceURL": break
    default: return false
    }
    let value = tape[key + 1]
    guard value.kind == .string else { return false }
    let text = tape.bytes(value)
    return FormatRules.isURL(text) && Characters.count(text, moreThan: Limits.url) == nil
  }

  // MARK: - Members

  /// The members of a line: tape indices, -1 = absent.
  private struct Line {
    typealias Member = (name: StaticString, node: Int32)

    /// Where the event stands; empty = in the line itself.
    let holder: StaticString
    /// What the notification around the event is called, if that is none of measurement.
    let otherTitle: Member?
    let time: Member
    let id: Member
    private(set) var envelope: ForeignEnvelope
    /// Tape index of the object with the event, or -1.
    private let object: Int32
    private let eventName: Int32
    private let eventArguments: Int32

    /// Takes the members out of those of the root that nobody knows.
    init(_ root: RootMembers, of tape: Tape) {
      var envelope = ForeignEnvelope(root)
      var held = SIMD4<Int32>(repeating: -1)
      var titles = SIMD2<Int32>(repeating: -1)
      var (timestamp, date, name, arguments) = (Int32(-1), Int32(-1), Int32(-1), Int32(-1))
      root.take(of: tape) { member, node in
        switch member {
        case "userInfo": held[0] = node
        case "user_info": held[1] = node
        case "extras": held[2] = node
        case "notification": titles[0] = node
        case "action": titles[1] = node
        case "timestamp": timestamp = node
        case "date": date = node
        case "event_name": name = node
        case "event_args": arguments = node
        default: return envelope.take(member, node)
        }
        return true
      }
      self.envelope = envelope
      (eventName, eventArguments) = (name, arguments)
      let objects = BoltsDialect.holders.indices.filter {
        held[$0] >= 0 && tape[Int(held[$0])].kind == .object
      }
      let named = objects.first { tape.present("event_name", of: Int(held[$0])) != nil }
      let place = named ?? (name < 0 ? objects.first : nil)
      holder = place.map { BoltsDialect.holders[$0] } ?? ""
      object = place.map { held[$0] } ?? -1
      otherTitle =
        place == nil
        ? nil
        : Self.otherTitle(
          [("name", root[.name]), ("notification", titles[0]), ("action", titles[1])], of: tape)
      time = Self.first([("timestamp", timestamp), ("time", root[.time]), ("date", date)])
      id = Self.first([("event_id", root[.eventID]), ("id", root[.id])])
    }

    /// The member `name` of the event, -1 = absent.
    func member(_ name: StaticString, of tape: Tape) -> Int32 {
      guard object >= 0 else {
        return ByteView(name) == "event_name" ? eventName : eventArguments
      }
      return tape.present(ByteView(name), of: Int(object)).map(Int32.init) ?? -1
    }

    /// The first name of the notification, unless one of them is known, or there is none.
    private static func otherTitle(_ titles: [Member], of tape: Tape) -> Member? {
      var first: Member?
      for title in titles where title.node >= 0 {
        if BoltsDialect.isNotification(Int(title.node), of: tape) { return nil }
        if first == nil { first = title }
      }
      return first
    }

    /// The first member that is there; one without a value when none is.
    private static func first(_ members: [Member]) -> Member {
      members.first { $0.node >= 0 } ?? ("", -1)
    }
  }
}
