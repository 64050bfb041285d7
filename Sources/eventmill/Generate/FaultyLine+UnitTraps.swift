import Stages

/// Lines of an import that a program wrote in units and forms of its own: each looks right, and
/// each is refused with what it looks like.
extension FaultyLine {
  /// Of v1. Not in the catalogue, whose turns would change with them.
  static let unitTraps: [FaultyLine] = [
    // Of time.
    FaultyLine(.timeOutOfRange, .v1, #"{"custom_id":"@U","name":"order_imported","time":@N}"#),
    FaultyLine(
      .timeOutOfRange, .v1, #"{"custom_id":"@U","name":"order_imported","time":@N000000}"#),
    FaultyLine(
      .timeOutOfRange, .v1, #"{"custom_id":"@U","name":"order_imported","time":@N000000000}"#),
    FaultyLine(
      .timeOutOfRange, .v1,
      #"""
      {"id":"@U","events":[{"name":"order_imported","time":@N000},\#
      {"name":"order_shipped","time":@N}]}
      """#),
    FaultyLine(.invalidTime, .v1, #"{"custom_id":"@U","name":"order_imported","time":"@N000"}"#),
    FaultyLine(
      .invalidTime, .v1,
      #"{"custom_id":"@U","name":"order_imported","time":"2022-05-02T09:15:00+0200"}"#),
    FaultyLine(
      .invalidTime, .v1,
      #"{"custom_id":"@U","name":"order_imported","time":"2022-05-02 09:15:00 CET"}"#),
    FaultyLine(
      .invalidTime, .v1,
      #"{"custom_id":"@U","name":"order_imported","time":"2022-05-02T09:15:00 Europe/Paris"}"#),
    FaultyLine(
      .invalidTime, .v1, #"{"custom_id":"@U","name":"order_imported","time":"02/05/2022 09:15"}"#),
    FaultyLine(
      .invalidTime, .v1, #"{"custom_id":"@U","name":"order_imported","time":"2022-05-02 9:15 AM"}"#),
    FaultyLine(
      .dateInvalid, .v1,
      #"""
      {"custom_id":"@U","name":"order_imported","time":"@T",\#
      "attributes":{"date(shipped)":@N000}}
      """#),
    // Of form.
    FaultyLine(
      .wrongType, .v1,
      #"{"custom_id":"@U","name":"order_imported","time":"@T","label":4711}"#),
    FaultyLine(
      .wrongType, .v1,
      #"{"custom_id":"@U","name":"order_imported","time":"@T","tags":"sale,online"}"#),
    FaultyLine(
      .badAttributes, .v1,
      #"""
      {"custom_id":"@U","name":"order_imported","time":"@T",\#
      "attributes":"{\"price\":9.99}"}
      """#),
    // Of profiles.
    FaultyLine(
      .dateInvalid, .v1,
      #"{"id":"@U","time":"@T","update":{"values":{"u.city":"Lyon","date(u.since)":@N000}}}"#),
    FaultyLine(
      .badAttributes, .v1,
      #"{"id":"@U","time":"@T","update":{"values":"{\"u.city\":\"Lyon\"}"}}"#),
  ]
}
