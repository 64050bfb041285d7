import Dispatch
import Jobs
import Pipeline

/// Shows the progress of a job: a bar on a terminal, else a line every ten seconds.
final class Progress {
  /// Milliseconds between two updates of the bar.
  private static let barInterval = 200
  /// Milliseconds between two lines.
  private static let lineInterval = 10_000

  private let console: Console
  private let stopped = DispatchSemaphore(value: 0)
  private let display = BackgroundWork(atMost: 1)

  /// Shows the progress of `control`'s job until ``stop()``; nil when unwanted or without a thread.
  init?(of control: JobControl, on console: Console) {
    guard console.settings.progress, !console.settings.quiet, display.threads > 0 else {
      return nil
    }
    self.console = console
    let isBar = console.isInteractive
    let interval = isBar ? Progress.barInterval : Progress.lineInterval
    let stopped = stopped
    try? display.submit {
      let clock = StopWatch()
      var state = ProgressState()
      while stopped.wait(timeout: .now() + .milliseconds(interval)) == .timedOut {
        let line = state.line(ProgressFigures(control), seconds: clock.seconds)
        if isBar {
          console.showStatus(line.bar(width: Terminal.width(of: .errors)))
        } else {
          console.note(line.text)
        }
      }
      if isBar { console.clearStatus() }
    }
  }

  deinit { stopped.signal() }

  /// Ends the display. Returns when no more of it will be written.
  func stop() {
    stopped.signal()
    display.wait()
  }
}

/// The progress of a job at one moment.
struct ProgressFigures {
  var phases: [JobPhase] = [.reading]
  var phase = JobPhase.reading
  /// The share of the phase that is done, 0 to 1; nil when it is unknown.
  var share: Double?
  var bytes = 0
  var lines = 0
  var rejects = 0
}

extension ProgressFigures {
  init(_ control: JobControl) {
    (phases, phase) = (control.phases, control.phase)
    share = control.phaseShare
    (bytes, lines, rejects) = (control.bytes, control.records, control.rejects)
  }

  fileprivate func weight(of isCounted: (JobPhase) -> Bool) -> Double {
    phases.filter(isCounted).reduce(0) { $0 + $1.weight }
  }
}

/// The state of a bar between two updates. Knows neither clock nor terminal.
struct ProgressState {
  /// The current phase, and when it was first seen.
  private var phase: JobPhase?
  private var start = 0.0
  /// The greatest share of the whole job shown so far: a bar never moves back.
  private var shown = 0.0

  /// Greatest share shown while the job works.
  private static let mostShown = 0.99
  /// Seconds in a phase before its pace is used.
  private static let trusted = 1.0

  /// The line for `figures`, that many seconds after the job began.
  mutating func line(_ figures: ProgressFigures, seconds: Double) -> ProgressLine {
    if phase != figures.phase {
      // The first phase began with the job.
      start = phase == nil ? 0 : seconds
      phase = figures.phase
    }
    if let share = figures.share ?? (figures.phase == .publishing ? 0 : nil) {
      shown = max(shown, min(Self.mostShown, overall(figures, share)))
    }
    var parts = figures.phases.count > 1 ? [figures.phase.name] : []
    let share = figures.share == nil && shown == 0 ? nil : shown
    if let share { parts.append("\(Int(share * 100)) %") }
    let inPhase = seconds - start
    if figures.phase == .reading {
      let rate = inPhase > 0 ? Int(Double(figures.bytes) / inPhase) : 0
      parts.append("\(NumberFormat.bytes(figures.bytes)) at \(NumberFormat.bytes(rate))/s")
    }
    if let left = left(figures, seconds: inPhase) {
      parts.append("\(NumberFormat.duration(left)) left")
    }
    parts.append(NumberFormat.count(figures.lines, "line"))
    parts.append("\(NumberFormat.grouped(figures.rejects)) rejected")
    return ProgressLine(share: share, parts: parts)
  }

  private func overall(_ figures: ProgressFigures, _ share: Double) -> Double {
    let whole = figures.weight { _ in true }
    let done = figures.weight { $0.rawValue < figures.phase.rawValue }
    return whole > 0 ? (done + share * figures.phase.weight) / whole : share
  }

  /// Seconds left, by the pace of this phase and the weights of later ones; nil without a pace.
  private func left(_ figures: ProgressFigures, seconds: Double) -> Double? {
    guard let share = figures.share, share > 0, seconds >= Self.trusted else { return nil }
    let whole = seconds / share
    let later = figures.weight { $0.rawValue > figures.phase.rawValue }
    return whole - seconds + whole * later / figures.phase.weight
  }
}

/// One line of a job's progress.
struct ProgressLine {
  /// The share of the job that is done; nil when it is unknown.
  fileprivate let share: Double?
  fileprivate let parts: [String]

  var text: String { "progress: " + parts.joined(separator: ", ") }

  /// A bar and the figures, at most `width` columns minus one.
  func bar(width: Int) -> String {
    let figures = parts.joined(separator: ", ")
    let room = width - 1 - figures.count - 3
    guard let share, room >= 10 else { return String(figures.prefix(max(0, width - 1))) }
    let length = min(room, 40)
    let filled = Int(share * Double(length))
    let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: length - filled)
    return "[\(bar)] \(figures)"
  }
}
