import Dispatch
import Pipeline
import Stages

/// How far a job is. For any thread.
protocol ProgressSource: Sendable {
  /// Compressed bytes read so far.
  var bytesRead: Int { get }
  /// Compressed bytes to read; nil when an input does not tell.
  var totalBytes: Int? { get }
  /// Lines worked on so far.
  var records: Int { get }
  /// Lines so far of which something was rejected.
  var rejects: Int { get }
}

extension JobControl: ProgressSource {
  var bytesRead: Int { position.compressedBytes }
}

/// Shows how far a job is: a bar on a terminal, else a line every ten seconds.
final class Progress {
  /// Milliseconds between two pictures of the bar.
  private static let barInterval = 200
  /// Milliseconds between two lines.
  private static let lineInterval = 10_000

  private let console: Console
  /// Tells the thread that shows to end, and that it has.
  private let end = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)

  /// Shows the progress of `source` until ``stop()``, which must be called; nil when none is wanted,
  /// or there is no thread for it.
  init?(of source: any ProgressSource, on console: Console) {
    guard console.settings.progress, !console.settings.quiet else { return nil }
    self.console = console
    let clock = StopWatch()
    let isBar = console.isInteractive
    let interval = isBar ? Progress.barInterval : Progress.lineInterval
    let isBegun = ThreadPool.shared.run { [end, hasEnded] in
      while end.wait(timeout: .now() + .milliseconds(interval)) != .success {
        let line = ProgressLine(source, seconds: clock.seconds)
        if isBar {
          console.showStatus(line.bar(width: Terminal.width(of: .errors)))
        } else {
          console.note(line.text)
        }
      }
      hasEnded.signal()
    }
    guard isBegun else { return nil }
  }

  /// Ends the show. Returns when nothing of it will be written any more.
  func stop() {
    end.signal()
    hasEnded.wait()
    if console.isInteractive { console.clearStatus() }
  }
}

/// One picture of a job's progress.
struct ProgressLine {
  private let bytes: Int
  private let total: Int?
  private let records: Int
  private let rejects: Int
  private let seconds: Double

  /// What `source` says, that many seconds after the job began.
  init(_ source: any ProgressSource, seconds: Double) {
    bytes = source.bytesRead
    total = source.totalBytes
    records = source.records
    rejects = source.rejects
    self.seconds = seconds
  }

  /// The share that is done, 0 to 1; nil when it is not known.
  private var share: Double? {
    guard let total, total > 0 else { return nil }
    return min(1, Double(bytes) / Double(total))
  }

  private var rate: Double { seconds > 0 ? Double(bytes) / seconds : 0 }

  /// Percent, rate, time left, rejects: what both forms tell.
  private var parts: [String] {
    var parts: [String] = []
    if let share { parts.append("\(Int(share * 100)) %") }
    parts.append("\(Figures.bytes(bytes)) at \(Figures.bytes(Int(rate)))/s")
    if let share, share > 0 {
      parts.append("\(Figures.duration(seconds / share - seconds)) left")
    }
    parts.append("\(Figures.grouped(records)) lines")
    parts.append("\(Figures.grouped(rejects)) rejected")
    return parts
  }

  /// A sentence for a log.
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
