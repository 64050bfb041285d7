import Pipeline

/// The fields that some dialect looks for, at the root of a record, in an event, in `identifiers`.
enum RootField: Int8, CaseIterable {
  case identifiers, update, name, id, eventID, customID, userID, installationID, installID
  case time, label, tags, attributes, events, overwrite, installation

  /// The field with exactly this name, or nil.
  init?(_ name: ByteView) {
    switch name.count {
    case 2: self.init(name, "id", .id)
    case 4:
      switch name[0] {
      case UInt8(ascii: "n"): self.init(name, "name", .name)
      case UInt8(ascii: "t"):
        self.init(
          name, name[1] == UInt8(ascii: "i") ? "time" : "tags",
          name[1] == UInt8(ascii: "i") ? .time : .tags)
      default: return nil
      }
    case 5: self.init(name, "label", .label)
    case 6:
      self.init(
        name, name[0] == UInt8(ascii: "u") ? "update" : "events",
        name[0] == UInt8(ascii: "u") ? .update : .events)
    case 7: self.init(name, "user_id", .userID)
    case 8: self.init(name, "event_id", .eventID)
    case 9:
      self.init(
        name, name[0] == UInt8(ascii: "c") ? "custom_id" : "overwrite",
        name[0] == UInt8(ascii: "c") ? .customID : .overwrite)
    case 10:
      self.init(
        name, name[0] == UInt8(ascii: "a") ? "attributes" : "install_id",
        name[0] == UInt8(ascii: "a") ? .attributes : .installID)
    case 11: self.init(name, "identifiers", .identifiers)
    case 12: self.init(name, "installation", .installation)
    case 15: self.init(name, "installation_id", .installationID)
    default: return nil
    }
  }

  private init?(_ name: ByteView, _ expected: StaticString, _ field: RootField) {
    guard name == ByteView(expected) else { return nil }
    self = field
  }
}

extension RootField {
  /// The bit of the field in a set of fields.
  var bit: UInt32 { 1 << UInt32(rawValue) }
}
