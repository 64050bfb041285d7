import Jobs
import Pipeline
import Stages

/// Options for synthetic logs.
struct GenerateOptions: Equatable, Sendable {
  /// The format of the lines: v1, v2 or both.
  enum Format: String, CaseIterable, Sendable {
    case mixed
    case v1
    case v2
  }

  /// Total number of log lines.
  var lines = 0
  /// Number of people in them.
  var users = 1
  /// The seed of the content, besides the other options.
  var seed = 0
  /// Days the lines are spread over.
  var nights = 1
  /// Faulty lines per million.
  var faultsPerMillion = 0
  var format = Format.mixed
  /// The beginning of the first day, in milliseconds.
  var start = 1_717_200_000_000
  /// The directory to write; nil for standard output.
  var output: String?
  /// Whether an existing directory is replaced.
  var replace = false
  /// zstd level: logs are written once and read often.
  var level = 3
}

extension GenerateOptions {
  static let millisecondsPerDay = 86_400_000
  private static let mostUsers = 1...1_000_000_000

  /// Those of the logs that `bench` makes if it is given none.
  ///
  /// - Throws: `usage`, for an invalid value.
  init(ofBench options: CommandOptions) throws(Failure) {
    let values = options.given
    lines = try values.value(.lines, .quantity(1...1_000_000_000, example: "200K")) ?? 200_000
    users = try values.value(.users, .quantity(Self.mostUsers, example: "20K")) ?? 20_000
    seed = try values.value(.seed, .number(0...Int.max, example: 1)) ?? 1
    guard let dialect = options.run.read.rules.dialect, options.run.read.inputs.isEmpty else {
      return
    }
    guard let format = Format(rawValue: dialect.name) else {
      throw values.bad(
        .dialect, allowed: "without logs of it, it must be v1 or v2")
    }
    self.format = format
  }

  /// Reads the values of the options.
  ///
  /// - Throws: `usage`, for an invalid value.
  init(_ options: CommandOptions) throws(Failure) {
    let values = options.given
    lines = try values.value(.lines, .quantity(0...1_000_000_000_000, example: "90K")) ?? lines
    users = try values.value(.users, .quantity(Self.mostUsers, example: "5K")) ?? users
    seed = try values.value(.seed, .number(0...Int.max, example: 1)) ?? seed
    nights = try values.value(.nights, .number(1...366, example: 3)) ?? nights
    if let share = try values.value(.bad, .percent) {
      faultsPerMillion = Int((share * 10_000).rounded())
    }
    format = try values.value(.dialect, .word) ?? format
    start = try values.value(.start, .date) ?? start
    guard start >= Rules.earliestTime, period.upperBound <= Rules.endOfTime else {
      throw values.bad(
        .start, allowed: "all lines must be in the years 2000 to 2099", example: "2024-06-01")
    }
    let publish = options.run.publish
    output = publish.output.isEmpty ? nil : publish.output
    replace = publish.replace
    if values.isGiven(.level) { level = publish.level }
  }

  /// The times of lines, in milliseconds.
  var period: Range<Int> { start..<start + nights * GenerateOptions.millisecondsPerDay }

  /// The lines of night number `night`, 0-based.
  func lines(ofNight night: Int) -> Range<Int> {
    firstLine(ofNight: night)..<firstLine(ofNight: night + 1)
  }

  /// The night that line number `line` belongs to.
  func night(ofLine line: Int) -> Int {
    var night = line * nights / max(lines, 1)
    while night + 1 < nights, firstLine(ofNight: night + 1) <= line { night += 1 }
    return night
  }

  private func firstLine(ofNight night: Int) -> Int { lines * night / nights }
}
