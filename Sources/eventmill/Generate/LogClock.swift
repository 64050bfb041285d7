import Pipeline
import Stages

/// The times of the lines of synthetic logs, and their written forms.
struct LogClock {
  /// The first time logs may have, in milliseconds.
  static let earliest = Rules.earliestTime
  /// The end of the valid times, in milliseconds.
  static let end = Rules.endOfTime

  private static let day = 86_400_000
  /// Greatest delay of a line's time relative to its position in the file, in milliseconds.
  private static let jitter = 90_000
  /// Length of `YYYY-MM-DDTHH:mm:ss`.
  private static let secondsLength = 19

  private let options: GenerateOptions
  private let period: Range<Int>

  init(_ options: GenerateOptions) {
    self.options = options
    period = options.period
  }

  /// The time of a line, in milliseconds: ascending over its night, with some disorder.
  func time(ofLine line: Int, _ random: inout LogRandom) -> Int {
    let night = options.night(ofLine: line)
    let lines = options.lines(ofNight: night)
    let position = Double(line - lines.lowerBound) / Double(max(lines.count, 1))
    let sinceMidnight = Int(position * Double(LogClock.day)) - random.below(LogClock.jitter)
    return options.start + night * LogClock.day + max(0, sinceMidnight)
  }

  /// The share of all nights that has passed at `time`, in 1024ths.
  func progress(at time: Int) -> Int {
    (time - period.lowerBound) * 1024 / period.count
  }

  /// Appends a time in the most common form of v1: seconds without a zone.
  static func appendLocal(_ time: Int, to text: inout ByteBuffer) {
    let start = text.count
    Timestamp.append(milliseconds: time, to: &text)
    text.truncate(to: start + secondsLength)
  }
}
