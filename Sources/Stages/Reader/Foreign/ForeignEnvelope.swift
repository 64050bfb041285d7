import Pipeline

/// What a log line says around an event of a foreign dialect (DIALECTS 2): who, when, and the id of the
/// event. Tape indices, -1 = absent.
struct ForeignEnvelope {
  /// Root members that are known wherever there is an envelope.
  static let known: UInt32 =
    RootMember.customID.bit | RootMember.userID.bit | RootMember.installationID.bit
    | RootMember.installID.bit

  private static let customNames: [StaticString] = ["custom_id", "user_id", "userId"]
  private static let installationNames: [StaticString] = [
    "installation_id", "install_id", "device_id",
  ]

  /// Whether `name` is one of the ids.
  static func names(_ name: ByteView) -> Bool {
    customNames.contains { ByteView($0) == name }
      || installationNames.contains { ByteView($0) == name }
  }

  /// In the order of the names.
  private var custom: SIMD4<Int32>
  private var installation: SIMD4<Int32>

  /// The ids among the members that readers know.
  init(_ root: RootMembers) {
    custom = SIMD4(root[.customID], root[.userID], -1, -1)
    installation = SIMD4(root[.installationID], root[.installID], -1, -1)
  }

  /// Takes one of the members that no reader knows, as ``RootMembers/take(of:_:)`` hands it out; returns
  /// whether it is one of the envelope.
  mutating func take(_ name: ByteView, _ node: Int32) -> Bool {
    if name == "userId" {
      custom[2] = node
    } else if name == "device_id" {
      installation[2] = node
    } else {
      return false
    }
    return true
  }

  /// Gives the record the first custom id and the first installation id that are ids; others are losses
  /// of the event that is being drafted.
  func identify(_ record: inout RecordEntry, _ draft: ForeignDraft) {
    for (place, name) in Self.customNames.enumerated() where record.customID < 0 {
      record.customID = draft.customID(custom[place], at: FieldPath(root: name))
    }
    for (place, name) in Self.installationNames.enumerated() where record.installationID < 0 {
      record.installationID = draft.installationID(
        installation[place], at: FieldPath(root: name))
    }
  }
}

/// Ids among members that a list names (``IdentityKeys``): all are noted first, as the order of the list
/// counts and not that of the line.
struct IdentitySearch {
  fileprivate let keys: IdentityKeys
  /// Tape indices of values by place in the list, -1 = absent.
  fileprivate var custom = SIMD32<Int32>(repeating: -1)
  fileprivate var installation = SIMD32<Int32>(repeating: -1)

  init(_ keys: IdentityKeys) { self.keys = keys }

  /// Notes the member whose key stands at tape index `key`, if the list names it and it is not null;
  /// returns whether it does. Of two that fall together the later counts.
  mutating func note(_ key: Int, of tape: Tape) -> Bool {
    guard let (owner, place) = keys.match(tape.bytes(at: key)) else { return false }
    if tape[key + 1].kind == .null { return true }
    switch owner {
    case .custom: custom[place] = Int32(key + 1)
    case .installation: installation[place] = Int32(key + 1)
    }
    return true
  }

  /// Gives the record those ids that it lacks: the first of each list that is one; those before it are
  /// losses of the event that is being drafted. The members stand in the object at `path`.
  func identify(_ record: inout RecordEntry, _ draft: ForeignDraft, at path: FieldPath) {
    for place in keys.custom.indices where record.customID < 0 && custom[place] >= 0 {
      var path = path
      path.push(key: Int(custom[place]) - 1)
      record.customID = draft.customID(custom[place], at: path)
    }
    for place in keys.installation.indices
    where record.installationID < 0 && installation[place] >= 0 {
      var path = path
      path.push(key: Int(installation[place]) - 1)
      record.installationID = draft.installationID(installation[place], at: path)
    }
  }
}

extension IdentitySearch {
  /// Whether the value at `node` was looked at for an id of `record`, which is identified: it is one, or the
  /// loss of one.
  func hasTaken(_ node: Int32, for record: RecordEntry) -> Bool {
    Self.hasTaken(node, of: custom, count: keys.custom.count, for: record.customID)
      || Self.hasTaken(
        node, of: installation, count: keys.installation.count, for: record.installationID)
  }

  /// Of the values in the list, those up to the `id` were looked at; all without an id, and none when it comes from
  /// elsewhere.
  private static func hasTaken(
    _ node: Int32, of list: SIMD32<Int32>, count: Int, for id: Int32
  ) -> Bool {
    var isListed = false
    for place in 0..<count {
      if list[place] == node { isListed = true }
      if id >= 0, list[place] == id { return isListed }
    }
    return isListed && id < 0
  }
}

extension ForeignDraft {
  /// `node` if it is a custom id, else -1: what is there and is none is a loss.
  func customID(_ node: Int32, at path: FieldPath) -> Int32 {
    identifier(node, at: path, fault: IdentityRule.customIDFault)
  }

  /// `node` if it is an installation id, else -1: what is there and is none is a loss.
  func installationID(_ node: Int32, at path: FieldPath) -> Int32 {
    identifier(node, at: path, fault: IdentityRule.installationIDFault)
  }

  private func identifier(
    _ node: Int32, at path: FieldPath, fault: (TapeEntry, Tape) -> ValueFault?
  ) -> Int32 {
    guard node >= 0 else { return -1 }
    if fault(tape[Int(node)], tape) == nil { return node }
    lose(.badIDIgnored, at: path)
    return -1
  }

  /// The id of an event for what stands at `node`: text or an integer, a UUID or an ObjectId in small
  /// letters, also `{"$oid": …}`. -1 for what is none, which is a loss, and for what is absent.
  func eventID(_ node: Int32, at path: StaticString) -> Int32 {
    guard node >= 0 else { return -1 }
    let id = inner("$oid", of: Int(node))
    let entry = tape[id]
    if entry.kind == .integer { return Int32(id) }
    guard entry.kind == .string, TextRule.eventID.fault(entry, of: tape) == nil else {
      lose(.badIDIgnored, at: path)
      return -1
    }
    let text = tape.bytes(entry)
    guard UUIDText.shape(text).isUUID || Self.isObjectID(text), Self.hasCapitals(text) else {
      return Int32(id)
    }
    let small = tape.text { written in
      let text = tape.bytes(entry)
      for index in 0..<text.count { written.append(Characters.lowercased(text[index])) }
    }
    return Int32(tape.appendScalar(small))
  }

  /// A time for what stands at `node`, as the validator reads it: text, or milliseconds, which may also
  /// be a text of 13 digits; both also as Extended JSON. Text without a zone is a loss. -1 for what is
  /// absent; what is no time is left to be refused.
  func time(_ node: Int32, at path: StaticString) -> Int32 {
    guard node >= 0 else { return -1 }
    let date = inner("$date", of: Int(node))
    let value = inner("$numberLong", of: date)
    let entry = tape[value]
    guard entry.kind == .string else { return Int32(value) }
    let text = tape.bytes(entry)
    if Self.isMilliseconds(text) {
      var number = entry
      number.kind = .integer
      return Int32(tape.appendScalar(number))
    }
    if Timestamp.parse(text) != nil, !Self.hasZone(text) { lose(.timeNoZone, at: path) }
    return Int32(value)
  }

  /// The value of the member `name` if the value at `node` is an object that has it, else `node`.
  private func inner(_ name: ByteView, of node: Int) -> Int {
    tape.present(name, of: node) ?? node
  }

  /// Whether a text is 24 hexadecimal digits.
  private static func isObjectID(_ text: ByteView) -> Bool {
    guard text.count == 24 else { return false }
    for index in 0..<text.count {
      let byte = Characters.lowercased(text[index])
      guard byte &- UInt8(ascii: "0") < 10 || byte &- UInt8(ascii: "a") < 6 else { return false }
    }
    return true
  }

  private static func hasCapitals(_ text: ByteView) -> Bool {
    for index in 0..<text.count where text[index] &- UInt8(ascii: "A") < 26 { return true }
    return false
  }

  /// Whether a text is 13 digits: milliseconds of our times.
  private static func isMilliseconds(_ text: ByteView) -> Bool {
    guard text.count == 13 else { return false }
    for index in 0..<text.count where text[index] &- UInt8(ascii: "0") >= 10 { return false }
    return true
  }

  /// Whether the text of a time ends with `Z` or `±HH:mm`.
  private static func hasZone(_ text: ByteView) -> Bool {
    if text[text.count - 1] == UInt8(ascii: "Z") { return true }
    let sign = text[text.count - 6]
    return sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
  }
}
