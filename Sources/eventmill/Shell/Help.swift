import Jobs
import Pipeline

/// The help texts. They begin with examples; options come from the table.
enum Help {
  /// Columns of the longest line.
  private static let width = 80
  /// Column of the descriptions.
  private static let indent = 28

  static func text(for command: Command?) -> String {
    if let command { return text(command) }
    var lines = [
      "eventmill: streams app event logs into counts and profiles", "",
      "Usage: eventmill COMMAND [options] [FILE|DIR|-…]", "", "Examples:",
    ]
    // Of a group only the first command.
    lines += Command.allCases.filter { $0.group == nil || $0.group?.commands.first == $0 }
      .flatMap { examples($0).prefix(2) }
    lines += ["", "Commands:"]
    lines += Command.allCases.map { entry($0.rawValue, $0.facts.summary) }
    lines.append(entry("help COMMAND", "examples and options of a command"))
    lines += ["", "Every command:"]
    lines += [
      Option.quiet, .json, .logFormat, .noProgress, .color, .dieWithParent, .help, .version,
    ].map(entry)
    lines += [
      "", "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 too many rejects,",
      "            4 damaged input, 5 output locked by another run,",
      "            6 differences found, 130 or 143 interrupted",
    ]
    return lines.joined(separator: "\n")
  }

  static func text(for group: CommandGroup) -> String {
    var lines = ["eventmill \(group.rawValue): \(group.summary)", "", "Examples:"]
    lines += group.commands.flatMap { examples($0).prefix(2) }
    lines += ["", "Usage: eventmill \(group.rawValue) COMMAND [options] …", "", "Commands:"]
    lines += group.commands.map { entry($0.rawValue, $0.facts.summary) }
    lines.append(entry("help \(group.rawValue) COMMAND", "examples and options of a command"))
    return lines.joined(separator: "\n")
  }

  private static func text(_ command: Command) -> String {
    let facts = command.facts
    var lines = ["eventmill \(command.rawValue): \(facts.summary)", "", "Examples:"]
    lines += examples(command)
    lines += ["", "Usage: eventmill \(command.rawValue)\(arguments(of: command))"]
    lines += ["", "Options:"]
    lines += command.options.map(entry)
    lines += [facts.notes, units(command), variables].flatMap { $0.isEmpty ? [] : ["", $0] }
    return lines.joined(separator: "\n")
  }

  /// The arguments after the command, with a leading space.
  static func arguments(of command: Command) -> String {
    let required = command.facts.requiredOptions.map { "\($0.flag) \($0.facts.value ?? "")" }
    return (required + ["[options]", command.facts.operands]).filter { !$0.isEmpty }
      .map { " \($0)" }.joined()
  }

  static let variables = """
    EVENTMILL_OPTION in the environment sets a default for --option
    (EVENTMILL_JOBS=4 is --jobs 4); variables of that form for unknown options are
    errors. If an option is given twice, the last one counts. -- ends the options.
    """

  /// The notation of the values of the command's options.
  static func units(_ command: Command) -> String {
    let values = Set(command.options.compactMap(\.facts.value))
    var lines: [String] = []
    if values.contains("TIME") {
      lines.append("TIME is 2024-06-01T00:00:00Z, UTC unless it names a zone; a date is its start.")
    }
    if values.contains("SIZE") {
      lines.append("SIZE is in bytes: 512K, 16M, 1G and 16MiB count in 1024, 16MB in 1000.")
    }
    if !Set([Option.maxNames, .lines, .users]).isDisjoint(with: command.options) {
      lines.append("Numbers of names, lines and users may be 90K or 2M: 90,000 or 2,000,000.")
    }
    return lines.joined(separator: "\n")
  }

  private static func examples(_ command: Command) -> [String] {
    command.facts.examples.split(separator: "\n").enumerated().map { index, line in
      index.isMultiple(of: 2) ? "  # \(line)" : "  \(line)"
    }
  }

  private static func entry(_ option: Option) -> String {
    let value = option.facts.value.map { " \($0)" } ?? ""
    let letter = option.letter.map { "-\($0), " } ?? ""
    return entry(letter + option.flag + value, option.summary)
  }

  /// A name and what it means, in two columns.
  private static func entry(_ name: String, _ meaning: String) -> String {
    let start = "  " + name
    let padding = String(repeating: " ", count: max(0, indent - start.count))
    let isLong = start.count > indent - 2
    let lines = TextFill.lines(
      meaning, behind: isLong ? String(repeating: " ", count: indent) : start + padding,
      indent: indent, width: width)
    return ((isLong ? [start] : []) + lines).joined(separator: "\n")
  }
}

/// `--help`, of a command, of a group of commands or of the program.
struct HelpRequest: Request {
  let command: Command?
  /// The group, if no command is named.
  let group: CommandGroup?

  init(command: Command?, group: CommandGroup?) { (self.command, self.group) = (command, group) }

  init(options: CommandOptions) { (command, group) = (nil, nil) }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    let isAboutGroup = command == nil
    try console.print(
      group.flatMap { isAboutGroup ? Help.text(for: $0) : nil } ?? Help.text(for: command))
    return .done
  }
}
