import Jobs
import Pipeline
import Stages

extension Command {
  /// Its options by the headings above them, without empty ones.
  var sections: [(title: String, options: [Option])] {
    Option.sections.map { title in
      (title, options.filter { $0.help(of: self).section == title })
    }.filter { !$0.options.isEmpty }
  }
}

/// The written forms of options on the command line and in the environment, and what they do.
extension Option {
  /// The options with short forms, `o` for `-o`.
  static let letters: [Character: Option] = [
    "o": .out, "j": .jobs, "q": .quiet, "h": .help, "V": .version,
  ]

  /// Its short form; nil for most.
  var letter: Character? { Option.letters.first { $0.value == self }?.key }

  /// Its written forms, the short one first.
  var forms: [String] { (letter.map { ["-\($0)"] } ?? []) + [flag] }

  /// Those of every command.
  static let common = Command.version.options

  /// What it does, and the heading above it: its line in `Help`.
  func help(of command: Command? = nil) -> (section: String, summary: String) {
    guard let text = Self.texts["\(command?.rawValue ?? "") \(flag)"] ?? Self.texts[" \(flag)"]
    else { preconditionFailure("\(flag) has no text") }
    return text
  }

  fileprivate static let sections = textLines.filter { $0.hasSuffix(":") }

  private static let textLines =
    String(decoding: PackageResources.options_txt, as: UTF8.self)
    .replacing("{dialects}", with: Dialect.allCases.map(\.name).joined(separator: ", "))
    .replacing("{least level}", with: "\(ZstdEncoder.levels.lowerBound)")
    .replacing("{greatest level}", with: "\(ZstdEncoder.levels.upperBound)")
    .replacing("{level}", with: "\(RunOptions().publish.level)")
    .replacing("{rejects}", with: RejectLimit.usual.text)
    .replacing("{memory}", with: "\(ReadOptions.usualMemory >> 20)M")
    .replacing("{share}", with: "\(ReadOptions.memoryPerJob >> 20)M")
    .replacing("{runs}", with: "\(BenchOptions().runs)")
    .split(separator: "\n").map(String.init)

  /// The texts by command, empty for all, and option, separated by a space.
  private static let texts: [String: (section: String, summary: String)] = {
    var texts: [String: (section: String, summary: String)] = [:]
    var section = ""
    for line in textLines {
      let parts = line.split(separator: ": ", maxSplits: 1)
      if parts.count == 1 {
        section = line
      } else {
        texts[parts[0].hasPrefix("--") ? " \(parts[0])" : "\(parts[0])"] = (section, "\(parts[1])")
      }
    }
    return texts
  }()

  /// The prefix of all variables of this program.
  static let variablePrefix = "EVENTMILL_"

  var variable: String? { facts.hasVariable ? variableName : nil }

  /// Whether its variable counts for `command`: a pattern of nights in EVENTMILL_OUT is not where
  /// tables or pages should go, and a dialect of logs is not a form of synthetic lines.
  func hasVariable(of command: Command) -> Bool {
    variable != nil && !(self == .out && [.export, .man].contains(command))
      && !(self == .dialect && command == .generate)
  }

  /// The name that this variable would have.
  var variableName: String {
    Option.variablePrefix + rawValue.uppercased().replacing("-", with: "_")
  }
}
