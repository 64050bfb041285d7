import Pipeline

typealias FieldSet = UInt128

/// The fields that some dialect searches for by name, at the root of a record or in its objects.
/// Each name is looked up once per table of names (``KeyInfoTable``), not once per line.
enum RootField: UInt8, CaseIterable {
  // Canonical records and v1.
  case identifiers, update, name, id, eventID, customID, userID, installationID, installID
  case time, label, tags, attributes, events, overwrite, installation
  // Action, and its arguments.
  case action, arguments, actions, actionName, actionLabel, actionTags, actionAttributes, collection
  // Bolts, and the arguments that hold links.
  case userInfo, userInfoSnake, extras, notification, eventName, eventArguments, sender
  case inputURL, targetURL, refererURL, outputURL, sourceURL
  // Pulse.
  case eventType, isBackground, subSIDs
  // SDK.
  case params, receiptTime, serverDate, session, converted, replay
  case ids, shortCustomID, shortDeviceID, amount
  // Realm.
  case activity, objectID
  // Fields of several foreign dialects.
  case timestamp, date, event, data, camelUserID, deviceID, partition, realmID

  /// The names in lines, in the order of the cases.
  private static let texts: [StaticString] = [
    "identifiers", "update", "name", "id", "event_id", "custom_id", "user_id", "installation_id",
    "install_id", "time", "label", "tags", "attributes", "events", "overwrite", "installation",
    "action", "args", "actions", "e", "l", "t", "a", "c",
    "userInfo", "user_info", "extras", "notification", "event_name", "event_args", "object",
    "inputURL", "targetURL", "refererURL", "outputURL", "sourceURL",
    "event_type", "is_background", "sub_sids",
    "params", "ts", "sDate", "session", "converted", "replay", "ids", "cus", "di", "amount",
    "activity", "_id",
    "timestamp", "date", "event", "data", "userId", "device_id", "_partition", "realm_id",
  ]

  var text: StaticString { Self.texts[Int(rawValue)] }

  /// The fields by the length of their names in bytes.
  private static let byLength = (0...15).map { length in
    allCases.filter { $0.text.utf8CodeUnitCount == length }
  }

  /// The field with exactly this name, or nil. Complexity: O(fields of the same length).
  @inline(never)
  init?(_ name: ByteView) {
    guard name.count < Self.byLength.count,
      let field = Self.byLength[name.count].first(where: { ByteView($0.text) == name })
    else { return nil }
    self = field
  }

  @inline(__always)
  var bit: FieldSet {
    precondition(rawValue < FieldSet.bitWidth, "a set of fields has no bit for one")
    // Cheaper than to shift two words.
    let bit: UInt64 = 1 &<< UInt64(rawValue)
    return rawValue < 64 ? FieldSet(bit) : FieldSet(bit) &<< 64
  }

  /// The set of all fields that neither v1 nor v2 has.
  static let foreign = ~((RootField.installation.bit &<< 1) &- 1)

  /// Fields of every envelope of a foreign dialect: those that name an owner, and all of them.
  static let identity = set(
    .customID, .userID, .camelUserID, .installationID, .installID, .deviceID)
  static let envelope = identity | set(.time, .timestamp, .date, .id, .eventID)

  static func all(in set: FieldSet) -> [RootField] { allCases.filter { set & $0.bit != 0 } }

  static func set(_ fields: RootField...) -> FieldSet { set(fields) }
  static func set(_ fields: [RootField]) -> FieldSet { fields.reduce(0) { $0 | $1.bit } }
}
