package import Pipeline

extension Failure {
  /// Why there is no `value`; nil when there is one.
  package static func of<Value>(_ value: @autoclosure () throws(Failure) -> Value) -> Failure? {
    thrown(value)
  }

  package static func thrown<Value>(_ body: () throws(Failure) -> Value) -> Failure? {
    do {
      _ = try body()
      return nil
    } catch {
      return error
    }
  }

  /// All of its advice, whatever the command.
  package var advice: String { remedies.joined(separator: ", or ") }

  /// The message with all of its advice.
  package var message: String { message { _ in true } }
}
