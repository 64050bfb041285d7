import Pipeline
import Stages

/// The times of the lines of synthetic logs, and their written forms.
struct LogClock {
  /// The first time logs may have, in milliseconds.
  static let earliest = Rules.earliestTime
  /// The end of the valid times, in milliseconds.
  static let end = Rules.endOfTime

  /// From the first of April to the end of a year, in milliseconds; the same in every year.
  static let lastQuarters = 275 * day

  /// The year of ``earliest``.
  private static let firstYear = 2000
  private static let day = 86_400_000
  /// Number of possible times within a line's share of the years.
  private static let steps = 1 << 20
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

  /// The time of a line, in milliseconds: ascending over its night, with some disorder; strictly
  /// ascending over years.
  func time(ofLine line: Int, _ random: inout LogRandom) -> Int {
    guard options.years == nil else { return timeInYears(ofLine: line, &random) }
    let night = options.night(ofLine: line)
    let lines = options.lines(ofNight: night)
    let position = Double(line - lines.lowerBound) / Double(max(lines.count, 1))
    let sinceMidnight = Int(position * Double(LogClock.day)) - random.below(LogClock.jitter)
    return options.start + night * LogClock.day + max(0, sinceMidnight)
  }

  /// Times within the line's own share of the period, so that no quarter has lines of another one.
  private func timeInYears(ofLine line: Int, _ random: inout LogRandom) -> Int {
    let share = Double(period.count) / Double(options.lines)
    let position = Double(random.below(LogClock.steps)) / Double(LogClock.steps)
    return min(
      period.lowerBound + Int((Double(line) + position) * share), period.upperBound - 1)
  }

  /// The share of all nights or years that has passed at `time`, in 1024ths.
  func progress(at time: Int) -> Int {
    (time - period.lowerBound) * 1024 / period.count
  }

  /// The calendar year of a time.
  static func year(of time: Int) -> Int { Int(Timestamp.text(time).prefix(4)) ?? 0 }

  /// The beginning of a year from 2000 to 2100, in milliseconds. Every fourth year of these is a
  /// leap year.
  static func start(ofYear year: Int) -> Int {
    let years = year - LogClock.firstYear
    return earliest + (years * 365 + (years + 3) / 4) * day
  }

  /// Appends a time in the most common form of v1: seconds without a zone.
  static func appendLocal(_ time: Int, to text: inout ByteBuffer) {
    let start = text.count
    Timestamp.append(milliseconds: time, to: &text)
    text.truncate(to: start + secondsLength)
  }
}
