import Pipeline
import Stages

/// When the lines of synthetic logs were written, and how times stand in them.
struct LogClock {
  /// The first time logs may have, in milliseconds.
  static let earliest = Rules.earliestTime
  /// The time from which on they may have none, in milliseconds.
  static let end = Rules.endOfTime

  private static let day = 86_400_000
  /// How far a line's time may lie behind its place in the file, in milliseconds.
  private static let jitter = 90_000
  /// Length of `YYYY-MM-DDTHH:mm:ss`.
  private static let secondsLength = 19
  /// Two hours, in milliseconds: the offset of zoned times.
  private static let zone = 7_200_000

  private let options: GenerateOptions

  init(_ options: GenerateOptions) { self.options = options }

  /// The time of a line, in milliseconds: ascending over its night, with some disorder.
  func time(ofLine line: Int, _ random: inout LogRandom) -> Int {
    let night = options.night(ofLine: line)
    let lines = options.lines(ofNight: night)
    let place = Double(line - lines.lowerBound) / Double(max(lines.count, 1))
    let sinceMidnight = Int(place * Double(LogClock.day)) - random.below(LogClock.jitter)
    return options.start + night * LogClock.day + max(0, sinceMidnight)
  }

  /// The share of all nights that has passed at `time`, in 1024ths.
  func progress(at time: Int) -> Int {
    (time - options.start) * 1024 / (options.nights * LogClock.day)
  }

  /// Appends a time as v2 lines have it, with quotes.
  static func append(_ time: Int, to text: inout ByteBuffer) {
    text.append(UInt8(ascii: "\""))
    Timestamp.append(milliseconds: time, to: &text)
    text.append(UInt8(ascii: "\""))
  }

  /// Appends a time as v1 lines have it: mostly seconds without a zone, at times with one, at times
  /// as a number of milliseconds.
  static func appendV1(_ time: Int, _ random: inout LogRandom, to text: inout ByteBuffer) {
    let kind = random.below(8)
    if kind == 0 {
      text.append(decimal: time)
      return
    }
    text.append(UInt8(ascii: "\""))
    let start = text.count
    Timestamp.append(milliseconds: kind == 1 ? time + zone : time, to: &text)
    text.truncate(to: start + secondsLength)
    text.append(kind == 1 ? "+02:00\"" : "\"")
  }
}
