import Jobs
import Pipeline

/// The help texts. They begin with examples; options come from the table.
enum Help {
  private static let width = 80
  private static let indent = 28

  /// The commands whose first examples begin the help.
  private static let shown: [Command] = [.night, .count, .validate, .inspect, .migrate]

  static func text(for command: Command?) -> String {
    if let command { return text(command) }
    var lines = [
      "eventmill: streams app event logs into counts and profiles", "",
      "Usage: eventmill COMMAND [options] [FILE|DIR|-…]", "",
    ]
    lines += shown.flatMap { examples($0).prefix(2) }
    for section in CommandSection.allCases {
      lines += ["", "\(section.rawValue):"]
      // A group has one line.
      for command in Command.allCases where command.facts.section == section {
        guard let group = command.group else {
          lines.append(entry(command.rawValue, command.facts.summary))
          continue
        }
        if command == group.commands.first { lines.append(entry(group.rawValue, group.summary)) }
      }
    }
    let everywhere = Option.common.map(\.flag).joined(separator: " ")
    lines += ["", "eventmill help COMMAND has examples and all options. Every command takes"]
    lines += TextFill.lines(everywhere, behind: "", indent: 0, width: width)
    lines += [
      "", "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 too many rejects,",
      "            4 damaged input, 5 output locked by another run,",
      "            6 differences found, 129, 130 or 143 interrupted",
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
    lines.append("")
    lines += TextFill.lines(
      "eventmill \(command.rawValue)\(arguments(of: command))", behind: "Usage: ", indent: 7,
      width: width)
    for section in command.sections {
      lines += ["", section.title] + section.options.map { entry($0, command) }
    }
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
    EVENTMILL_OPTION in the environment sets a default for most options
    (EVENTMILL_JOBS=4 is --jobs 4); other variables of that form are errors. If an
    option is given twice, the last one counts. -- ends the options.
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

  private static func entry(_ option: Option, _ command: Command) -> String {
    let value = option.facts.value.map { " \($0)" } ?? ""
    let letter = option.letter.map { "-\($0), " } ?? ""
    return entry(letter + option.flag + value, option.help(of: command).summary)
  }

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
    let ofGroup = command == nil ? group : nil
    let text = ofGroup.map(Help.text) ?? Help.text(for: command)
    let name = ofGroup?.rawValue ?? command?.rawValue ?? ""
    return try console.show(CommandResult(document: "help", text + "\n", of: name))
  }
}
