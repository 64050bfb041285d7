import Jobs
import Pipeline

/// Runs a job with progress display and signal handling.
enum JobRunner {
  /// Runs `job` and returns its result. A job that does not end soon after a signal is abandoned:
  /// `whenAbandoned` is called, on some thread, and the process ends with that code.
  ///
  /// - Throws: what the job throws.
  static func run<Outcome>(
    on console: Console, whenAbandoned: @escaping @Sendable (ExitCode) -> Void = { _ in },
    _ job: (JobControl) throws(Failure) -> Outcome
  ) throws(Failure) -> Outcome {
    let control = JobControl(
      tool: Version.tool, command: console.command, notes: { console.note($0) },
      warnings: { console.warn($0) })
    let signals = console.signals
    console.begin(
      Signals.Job(
        cancel: { control.cancel($0) },
        abandon: { code in
          guard control.abandon() else { return false }
          whenAbandoned(code)
          return true
        }))
    let progress = Progress(of: control, on: console)
    let outcome: Outcome
    do throws(Failure) {
      defer { progress?.stop() }
      outcome = try job(control)
    } catch {
      signals.end(with: nil)
      throw error
    }
    signals.end(with: control.isPublishing ? .done : nil)
    return outcome
  }

  /// The amount and the speed of reading, for people.
  static func speed(bytes: Int, seconds: Double) -> String {
    let rate = seconds > 0 ? Int(Double(bytes) / seconds) : 0
    return
      "\(NumberFormat.bytes(bytes)) in \(NumberFormat.tenths(seconds)) s, \(NumberFormat.bytes(rate))/s"
  }
}
