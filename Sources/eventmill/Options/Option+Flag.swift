import Jobs
import Pipeline
import Stages

/// The written forms of options on the command line and in the environment, and what they do.
extension Option {
  /// The options with short forms, `o` for `-o`.
  static let letters: [Character: Option] = [
    "o": .out, "j": .jobs, "q": .quiet, "h": .help, "V": .version,
  ]

  /// Its short form; nil for most.
  var letter: Character? { Option.letters.first { $0.value == self }?.key }

  /// What it does: its line in `Help`.
  var summary: String {
    guard let summary = Self.summaries[self] else { preconditionFailure("\(flag) has no text") }
    return summary
  }

  private static let summaries: [Option: String] = {
    let lines = String(decoding: PackageResources.options_txt, as: UTF8.self)
      .replacing("{dialects}", with: Dialect.allCases.map(\.name).joined(separator: ", "))
      .replacing("{least level}", with: "\(ZstdEncoder.levels.lowerBound)")
      .replacing("{greatest level}", with: "\(ZstdEncoder.levels.upperBound)")
      .replacing("{level}", with: "\(RunOptions().publish.level)")
      .replacing("{rejects}", with: RejectLimit.usual.text)
      .replacing("{memory}", with: "\(ReadOptions.usualMemory >> 20)M")
      .replacing("{share}", with: "\(ReadOptions.memoryPerJob >> 20)M")
      .replacing("{runs}", with: "\(BenchOptions().runs)")
      .split(separator: "\n").map { $0.split(separator: ": ", maxSplits: 1).map(String.init) }
    return Dictionary(
      uniqueKeysWithValues: lines.compactMap { line in
        Option(rawValue: String(line[0].dropFirst(2))).map { ($0, line[1]) }
      })
  }()

  /// The prefix of all variables of this program.
  static let variablePrefix = "EVENTMILL_"

  /// The environment variable of the option, or nil.
  var variable: String? { facts.hasVariable ? variableName : nil }

  /// The name that this variable would have.
  var variableName: String {
    Option.variablePrefix + rawValue.uppercased().replacing("-", with: "_")
  }
}
