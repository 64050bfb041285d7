import Jobs
import Pipeline
import Stages

/// The request of `eventmill bench`.
struct BenchRequest: Sendable {
  /// The subjects and options of the measurements.
  var options = BenchOptions()
  /// The logs to make when no inputs are named.
  var corpus = GenerateOptions()
  /// The earlier result to compare with.
  var baseline: String?
  /// The file for the result.
  var save: String?
}

extension BenchRequest {
  /// The bounds of options that are numbers.
  private enum Bounds {
    static let runs = 1...1000
    static let lines = 1...1_000_000_000
    static let users = 1...1_000_000_000
  }

  /// Reads the values of the options.
  ///
  /// - Throws: `usage`, for a value that is not allowed.
  init(_ values: OptionValues, operands: [String]) throws(Failure) {
    options.inputs = operands
    if let name = try values.word(
      .stage, among: BenchSubject.allCases.map(\.name))
    {
      options.subjects = Set(BenchSubject(rawValue: name).map { [$0] } ?? [])
    }
    options.runs = try values.number(.runs, in: Bounds.runs, example: 5) ?? options.runs
    options.jobs = try values.jobs()
    options.level = try values.number(.level, in: ZstdEncoder.levels, example: 3) ?? options.level
    corpus.lines = try values.quantity(.lines, in: Bounds.lines, example: "200K") ?? 200_000
    corpus.users = try values.quantity(.users, in: Bounds.users, example: "20K") ?? 20_000
    corpus.seed = try values.number(.seed, in: 0...Int.max, example: 1) ?? 1
    corpus.dialect = try GenerateOptions.dialect(values)
    options.rules.dialect = corpus.dialect.flatMap(Dialect.init(named:))
    options.rules.mappings = try values.mappings(.mapping) ?? options.rules.mappings
    baseline = try values.text(.baseline)
    save = try values.text(.save)
  }
}
