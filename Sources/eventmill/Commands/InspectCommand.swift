import Jobs
import Pipeline

/// `eventmill inspect`: what an output knows, for people and tools (docs/file-formats.md).
struct InspectCommand: Request {
  let output: String
  /// Nil for all keys.
  let key: String?

  init(_ values: OptionValues, operands: [String]) throws(Failure) {
    output = operands[0]
    key = operands.dropFirst().first
  }

  /// Runs the command and prints a line for each key of the state, or for the key `key`.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind. That the state does not know a
  ///   key is a result.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    let control = JobControl()
    console.signals.begin(Signals.Job { control.cancel($0) })
    let job = InspectJob(output, control: control)
    var isKnown = true
    do throws(Failure) {
      let write: (ByteView) throws(Failure) -> Void = { line throws(Failure) in
        try console.write(line)
        // Nobody reads any more: that is an end, not a failure.
        if console.isOutputClosed { throw Self.unread }
      }
      if let key { isKnown = try job.run(key: key, write) } else { try job.run(write) }
    } catch {
      guard error == Self.unread else { throw error }
    }
    if let key, !isKnown { console.note("the state of \(output) does not know \(key)") }
    return isKnown ? .done : .failed
  }

  private static let unread = Failure(
    .io, doing: "writing to", path: "standard output", why: "nobody reads it")
}
