package import Pipeline

extension Failure {
  /// All of its advice, whatever the command.
  package var advice: String { remedies.joined(separator: ", or ") }

  /// The message with all of its advice.
  package var message: String { message { _ in true } }
}
