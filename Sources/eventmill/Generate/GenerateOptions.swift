import Jobs
import Pipeline
import Stages

/// Options for synthetic logs.
struct GenerateOptions: Equatable, Sendable {
  typealias Format = GeneratedForm

  var lines = 0
  var users = 1
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
  var replace = false
  /// zstd level: logs are written once and read often.
  var level = 3
}

extension GenerateOptions {
  static let millisecondsPerDay = 86_400_000

  /// Those of the logs that `bench` makes if it is given none.
  init(ofBench options: CommandOptions) throws(Failure) {
    (lines, users, seed) = (200_000, 20_000, 1)
    try read(options.given, lines: 1...1_000_000_000, examples: ("200K", "20K"))
    guard let dialect = options.run.read.rules.dialect, options.run.read.inputs.isEmpty else {
      return
    }
    guard let format = Format(rawValue: dialect.name) else {
      throw options.given.bad(.dialect, allowed: "without logs of it, it must be v1 or v2")
    }
    self.format = format
  }

  init(_ options: CommandOptions) throws(Failure) {
    let (values, publish) = (options.given, options.run.publish)
    try read(values, lines: 0...1_000_000_000_000, examples: ("90K", "5K"))
    nights = try values.value(.nights, .number(1...366, example: 3)) ?? nights
    if let share = try values.value(.bad, .percent) {
      faultsPerMillion = Int((share * 10_000).rounded())
    }
    format = options.generatedForm ?? format
    start = try values.value(.start, .date) ?? start
    guard start >= Rules.earliestTime, period.upperBound <= Rules.endOfTime else {
      throw values.bad(
        .start, allowed: "all lines must be in the years 2000 to 2099", example: "2024-06-01")
    }
    (output, replace) = (publish.output.isEmpty ? nil : publish.output, publish.replace)
    if values.isGiven(.level) { level = publish.level }
  }

  private mutating func read(
    _ values: OptionValues, lines range: ClosedRange<Int>, examples: (lines: String, users: String)
  ) throws(Failure) {
    lines = try values.value(.lines, .quantity(range, example: examples.lines)) ?? lines
    users = try values.value(.users, .quantity(1...1_000_000_000, example: examples.users)) ?? users
    seed = try values.value(.seed, .number(0...Int.max, example: 1)) ?? seed
  }

  /// The times of lines, in milliseconds.
  var period: Range<Int> { start..<start + nights * GenerateOptions.millisecondsPerDay }

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
