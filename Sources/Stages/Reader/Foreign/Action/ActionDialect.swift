import Pipeline

/// Dialect `action`: the actions that are built into the SDKs (dialects 3), one or a group per
/// line.
///
/// ```json
/// {"custom_id":"user-1","id":"a-1","time":"2024-05-02T09:15:00Z",
///  "action":["batch.user.event",{"e":"my_event","l":"label"}]}
/// ```
enum ActionDialect: RecordDialect {
  /// Most actions of a group.
  static let mostInGroup = 10

  /// What is read at the root of a line, beside the action.
  static let known: UInt32 =
    RootField.customID.bit | RootField.userID.bit | RootField.installationID.bit
    | RootField.installID.bit | RootField.id.bit | RootField.eventID.bit | RootField.time.bit

  static func evidence(in line: LineFields) -> Evidence? {
    guard let action = line.node("action") else { return nil }
    switch line.tape[action].kind {
    case .array: return Evidence("action")
    case .string where line.tape.bytes(at: action).starts(with: "batch."): return Evidence("action")
    default: return nil
    }
  }

  static func read(
    _ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch
  ) {
    var (action, arguments) = (Node.none, Node.none)
    reader.root.take(of: batch.tape) { name, node in
      switch name {
      case "action": action = node
      case "args": arguments = node
      default: return false
      }
      return true
    }
    record.customID = reader.root.first(.customID, .userID)
    record.installationID = reader.root.first(.installationID, .installID)
    record.timeNode = reader.root[.time]
    record.hasEventList = false
    var actions = ActionReading(
      id: reader.root.first(.id, .eventID), batch: batch, reader: reader)
    if batch.tape[action].kind == .array {
      actions.readPair(action.index, at: FieldPath(root: "action"))
    } else {
      actions.read(action.index, arguments: arguments, at: FieldPath(root: "args"))
    }
    record.fault = actions.fault
    record.mayBeEmpty = actions.hasIgnored
    actions.tags.append(by: reader)
  }
}
