import Jobs

/// The pages of the manual, generated from the tables of commands and options: `eventmill(1)`, and
/// one for each command. They have no date, so that the same program makes the same bytes.
enum ManPage {
  /// The beginning of every page, which identifies its file as one of ours.
  static let mark = ".\\\" A page of eventmill, made by eventmill man"

  static var all: [(name: String, text: String)] {
    [(name(of: ""), text(of: nil as Command?))]
      + CommandGroup.allCases.map { (name(of: $0.rawValue), text(of: $0)) }
      + Command.allCases.map { (name(of: $0.rawValue), text(of: $0)) }
  }

  /// The name of the page of the command or group with these words, `eventmill-run`.
  static func name(of words: String) -> String {
    (["eventmill"] + words.split(separator: " ")).joined(separator: "-")
  }

  static func text(of group: CommandGroup) -> String {
    var page = page(group.rawValue, group.summary, " COMMAND [options] …")
    page.section("COMMANDS")
    for command in group.commands { page.item([command.rawValue], "", command.facts.summary) }
    page.section("SEE ALSO")
    page.references(["eventmill"] + group.commands.map { name(of: $0.rawValue) })
    return page.text
  }

  static func text(of command: Command?) -> String { command.map(text) ?? programText }

  /// The beginning of the page of the command or group with these words.
  private static func page(_ words: String, _ summary: String, _ arguments: String) -> Roff {
    var page = Roff(name: name(of: words), mark: mark)
    page.section("NAME")
    page.name(summary)
    page.section("SYNOPSIS")
    page.synopsis(words.isEmpty ? ["eventmill"] : ["eventmill", words], arguments)
    return page
  }

  private static var programText: String {
    var page = page(
      "", "streams app event logs into counts and profiles", " COMMAND [options] [FILE|DIR|-…]")
    page.section("DESCRIPTION")
    page.paragraphs(
      """
      Eventmill reads compressed event logs every night, checks each line, migrates v1 events to the
      v2 form, merges what belongs to one person, and publishes a snapshot that appears complete or
      not at all. Each command has a page of its own.
      """)
    page.section("COMMANDS")
    for command in Command.allCases { page.item([command.rawValue], "", command.facts.summary) }
    page.section("OPTIONS OF EVERY COMMAND")
    for option in Option.common { write(option, of: nil, to: &page) }
    page.section("EXIT STATUS")
    for code in ExitCode.allCases { page.item(["\(code.rawValue)"], "", code.meaning) }
    page.paragraphs("Any other status means failure, too.")
    page.section("ENVIRONMENT")
    page.paragraphs(Help.variables)
    page.section("EXAMPLES")
    for command in Command.allCases { page.examples(command.facts.examples, atMost: 1) }
    page.section("SEE ALSO")
    page.references(
      (CommandGroup.allCases.map(\.rawValue) + Command.allCases.map(\.rawValue)).map(name))
    return page.text
  }

  private static func text(_ command: Command) -> String {
    let facts = command.facts
    var page = page(command.rawValue, facts.summary, Help.arguments(of: command))
    if !facts.notes.isEmpty {
      page.section("DESCRIPTION")
      page.paragraphs(facts.notes)
    }
    page.section("OPTIONS")
    for section in command.sections {
      page.subsection(String(section.title.dropLast()))
      for option in section.options { write(option, of: command, to: &page) }
    }
    page.paragraphs(Help.units(command))
    page.section("EXAMPLES")
    page.examples(facts.examples)
    page.section("EXIT STATUS")
    page.paragraphs("0 when it is done; see eventmill(1) for all others.")
    page.section("ENVIRONMENT")
    page.paragraphs(Help.variables)
    page.section("SEE ALSO")
    page.references(["eventmill"])
    return page.text
  }

  private static func write(_ option: Option, of command: Command?, to page: inout Roff) {
    let value = option.facts.value.map { " \($0)" } ?? ""
    page.item(option.forms, value, option.help(of: command).summary)
  }
}

/// Text of a manual page, in the macros of man(7).
private struct Roff {
  private(set) var text: String
  private let name: String

  init(name: String, mark: String) {
    self.name = name
    text = "\(mark)\n.TH \(Self.plain(name.uppercased())) 1 \"\" "
    text += "\"eventmill \(Version.number)\" Eventmill\n"
  }

  mutating func section(_ title: String) { text += ".SH \"\(title)\"\n" }

  mutating func subsection(_ title: String) { text += ".SS \"\(title)\"\n" }

  mutating func name(_ summary: String) {
    text += "\(Self.plain(name)) \\- \(Self.plain(summary))\n"
  }

  mutating func synopsis(_ words: [String], _ rest: String) {
    text += "\\fB\(Self.plain(words.joined(separator: " ")))\\fR\(Self.plain(rest))\n"
  }

  /// Paragraphs, separated by blank lines; lines are filled.
  mutating func paragraphs(_ paragraphs: String) {
    for paragraph in paragraphs.split(separator: "\n\n") where !paragraph.isEmpty {
      text += ".PP\n"
      for line in paragraph.split(separator: "\n") { add(line) }
    }
  }

  /// Bold text, the text after it, and its meaning.
  mutating func item(_ names: [String], _ rest: String, _ meaning: String) {
    let bold = names.map { "\\fB\(Self.plain($0))\\fR" }.joined(separator: ", ")
    text +=
      ".TP\n\(bold)\(rest.isEmpty ? "" : " \\fI\(Self.plain(String(rest.dropFirst())))\\fR")\n"
    add(meaning)
  }

  /// Pairs of lines: the purpose of the example, and the command.
  mutating func examples(_ lines: String, atMost most: Int = .max) {
    let lines = lines.split(separator: "\n")
    for index in stride(from: 0, to: min(lines.count, 2 * min(most, lines.count)), by: 2) {
      text += ".PP\n"
      add(lines[index])
      text += ".PP\n.RS 4\n.nf\n"
      add(lines[index + 1])
      text += ".fi\n.RE\n"
    }
  }

  mutating func references(_ names: [String]) {
    text += names.map { "\\fB\(Self.plain($0))\\fR(1)" }.joined(separator: ",\n") + "\n"
  }

  private mutating func add(_ line: some StringProtocol) {
    let plain = Self.plain(String(line))
    // A dot or an apostrophe at the beginning would be a macro.
    text += (plain.hasPrefix(".") ? "\\&" : "") + plain + "\n"
  }

  /// Text without anything that roff interprets or changes, such as dashes, in ASCII.
  private static func plain(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      if let escape = escapes[scalar] { return escape }
      if scalar.isASCII { return String(scalar) }
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
    }.joined()
  }

  private static let escapes: [Unicode.Scalar: String] = [
    "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti",
  ]
}
