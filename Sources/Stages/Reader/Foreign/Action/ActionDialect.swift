import Pipeline

/// Dialect `action`: the built-in actions of the SDKs (dialects 3), one or a group per line.
///
/// ```json
/// {"custom_id":"user-1","id":"a-1","time":"2024-05-02T09:15:00Z",
///  "action":["batch.user.event",{"e":"my_event","l":"label"}]}
/// ```
enum ActionDialect: RecordDialect {
  /// Most actions of a group.
  static let mostInGroup = 10

  /// The fields at the root of a line.
  static let known = RootField.set(
    .customID, .userID, .installationID, .installID, .id, .eventID, .time, .action, .arguments)

  static func read(_ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch) {
    let (action, arguments) = (reader.root[.action], reader.root[.arguments])
    let firstUnread = batch.unread.count
    reader.dropPlaceholders(in: reader.root, of: batch)
    record.customID = reader.root.first(.customID, .userID)
    record.installationID = reader.root.first(.installationID, .installID)
    record.timeNode = reader.root[.time]
    var actions = ActionReading(
      id: reader.root.first(.id, .eventID), unreadFrom: firstUnread, batch: batch, reader: reader)
    if batch.tape[action].kind == .array {
      actions.readPair(action.index, at: FieldPath(root: "action"))
    } else {
      actions.read(action.index, arguments: arguments, at: FieldPath(root: "args"))
    }
    record.fault = actions.fault
    record.mayBeEmpty = actions.hasIgnored
    reader.actionTags.append(by: reader, to: batch)
  }
}
