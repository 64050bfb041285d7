import Jobs
import Pipeline

/// The parsed command line, with unchecked values.
struct RawArguments: Sendable {
  private(set) var command: Command?
  private(set) var group: CommandGroup?
  /// Whether help is requested, by `help`, `--help` or `-h`.
  private(set) var wantsHelp = false
  private(set) var wantsVersion = false
  /// The options; of repeated ones the last, and of `--mapping` all, separated by commas.
  private(set) var values: [Option: RawValue] = [:]
  private(set) var operands: [String] = []
  private(set) var renamed: [Renaming] = []

  /// Parses `arguments` (without the program's name); the environment `variables` are defaults of
  /// options. Without any arguments help is requested.
  init(
    _ arguments: [String], variables: [String: String] = [:], input: StandardInput = .nothing
  ) throws(Failure) {
    var rest = arguments[...]
    var flags: [Option] = []
    var unknown: String?
    var onlyOperands = false
    while let word = rest.popFirst() {
      if onlyOperands || word == "-" || !word.hasPrefix("-") {
        try take(word)
      } else if word == "--" {
        onlyOperands = true
      } else if let options = try options(word, &rest) {
        flags += options
      } else if unknown == nil {
        unknown = word
      }
    }
    flags = try takeFormerNames(flags)
    wantsHelp = wantsHelp || flags.contains(.help) || arguments.isEmpty
    // Only now is the command known, whose options make the best suggestions.
    if let unknown, !wantsHelp { throw RawArguments.unknownOption(unknown, of: command) }
    wantsVersion = flags.contains(.version)
    guard let command, !wantsHelp, !wantsVersion else { return }
    for option in flags where !option.facts.commands.contains(command) {
      throw RawArguments.misplaced(option, command)
    }
    if command != .version { try RawArguments.check(variables) }
    addVariables(of: command, variables)
    try completeOperands(of: command, input)
    for option in command.facts.requiredOptions where values[option] == nil {
      throw RawArguments.missing(option, for: command.rawValue, of: command)
    }
    for option in flags {
      guard let needed = option.facts.needed, needed.facts.commands.contains(command),
        values[needed] == nil
      else { continue }
      throw RawArguments.missing(needed, for: option.flag, of: command)
    }
  }

  /// The settings of messages, for a command line that cannot be parsed.
  static func settings(_ arguments: [String], variable: (String) -> String?) -> ConsoleSettings {
    let words = Array(arguments.prefix { $0 != "--" })
    let flag = Option.logFormat.flag
    var format = Option.logFormat.variable.flatMap(variable)
    for (index, word) in words.enumerated() {
      if word == flag, index + 1 < words.count { format = words[index + 1] }
      if word.hasPrefix(flag + "=") { format = String(word.dropFirst(flag.count + 1)) }
    }
    var settings = ConsoleSettings()
    settings.json =
      words.contains(Option.json.flag)
      || Switch.isOn(Option.json.variable.flatMap(variable)) == true
    settings.logFormat = format.flatMap(LogFormat.init(rawValue:)) ?? .text
    return settings
  }
}

// MARK: - Words

extension RawArguments {
  private mutating func take(_ word: String) throws(Failure) {
    if command == nil, word == "help" {
      wantsHelp = true
    } else if command == nil, group == nil, let named = CommandGroup(rawValue: word) {
      group = named
    } else if command == nil {
      let candidates = Command.allCases.filter { $0.group == group && $0.parent == nil }
      let former = group == nil ? FormerNames.commands[word] : nil
      guard let named = candidates.first(where: { $0.name == word }) ?? former else {
        throw RawArguments.unknownCommand(word, of: group)
      }
      if named == former { renamed.append(Renaming(old: word, new: named.rawValue)) }
      command = named
    } else if operands.isEmpty, let child = command?.child(word) {
      command = child
    } else {
      operands.append(word)
    }
  }

  /// Gives options of earlier versions their present names, and returns `flags` with these.
  private mutating func takeFormerNames(_ flags: [Option]) throws(Failure) -> [Option] {
    if command == .mappingList, !operands.isEmpty, !renamed.isEmpty {
      command = .mappingShow
      renamed = renamed.map { Renaming(old: $0.old, new: Command.mappingShow.rawValue) }
    }
    // It had no value, and might come before the id.
    if command == .inspect, operands.count < 2, let words = values[.why]?.words {
      values[.why]?.words.removeFirst(min(2 - operands.count, words.count))
      operands += words.prefix(2 - operands.count)
    }
    let flags = try takeFormerStep(flags)
    // Logs were those of any question.
    let logs = values[.history] == nil ? Option.why : .history
    for (old, new, taker) in [
      (Option.format, Option.dialect, Command.generate), (.logs, logs, .inspect),
    ] where command == taker {
      guard let value = values.removeValue(forKey: old) else { continue }
      let words = (values[new]?.words ?? []) + value.words
      values[new] = RawValue(source: new.flag, words: words)
      renamed.append(Renaming(old: old.flag, new: new.flag))
      return flags.filter { $0 != old } + [new]
    }
    return flags
  }

  /// Checks a former step of a merge. A partial takes the first one, as its partition.
  private mutating func takeFormerStep(_ flags: [Option]) throws(Failure) -> [Option] {
    guard let index = renamed.firstIndex(where: { $0.new.hasPrefix(Option.step.flag) })
    else { return flags }
    let former = renamed[index].old
    if flags.count(where: { $0 == .step }) > 1 {
      throw Failure.commandLine("\(former) and another step exclude each other", "name one step")
    }
    if command == .merge { return flags }
    guard command == .partial, former == "--installations" else {
      throw RawArguments.unknownOption(former, of: command)
    }
    renamed[index] = Renaming(old: former, new: Option.partition.flag)
    values[.step] = nil
    return flags.filter { $0 != .step }
  }

  /// Handles the option of a word, or the options of one such as `-qj4`, with the next word as its
  /// value if it needs one; nil when one is unknown.
  private mutating func options(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(Failure) -> [Option]? {
    guard word.hasPrefix("--") else { return try letters(word, &rest) }
    let body = word.dropFirst(2)
    let name = body.prefix { $0 != "=" }
    let text = name.endIndex < body.endIndex ? String(body[name.endIndex...].dropFirst()) : nil
    if let option = Option(rawValue: String(name)) {
      try take(option, text, &rest)
      return [option]
    }
    guard let words = FormerNames.options[String(name)] else { return nil }
    let present = words.joined(separator: " ").replacing("=", with: " ")
    if text != nil, words.last?.contains("=") == true {
      throw Failure.commandLine("--\(name) takes no value", "write \(present)")
    }
    renamed.append(Renaming(old: "--\(name)", new: present))
    var flags: [Option] = []
    for word in words.dropLast() { flags += try options(word, &rest) ?? [] }
    let last = (words.last ?? "") + (text.map { "=\($0)" } ?? "")
    return try flags + (options(last, &rest) ?? [])
  }

  /// The same for short forms. The text after a letter that needs a value is the value.
  private mutating func letters(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(Failure) -> [Option]? {
    var letters = word.dropFirst()
    // `-out` was meant as `--out`, and not as `-o ut`.
    guard Option(rawValue: String(letters.prefix { $0 != "=" })) == nil else { return nil }
    var options: [Option] = []
    while let letter = letters.popFirst() {
      guard let option = Option.letters[letter] else { return nil }
      options.append(option)
      var text: String?
      if option.facts.value != nil, !letters.isEmpty {
        text = String(letters.first == "=" ? letters.dropFirst() : letters)
        letters = ""
      }
      try take(option, text, &rest)
    }
    return options
  }

  private mutating func take(
    _ option: Option, _ text: String?, _ rest: inout ArraySlice<String>
  ) throws(Failure) {
    var text = text
    let counts = option.facts.setting(of: command).counts
    if let placeholder = option.facts.value {
      // A value that looks like an option was probably forgotten; with `=` it is accepted.
      if text == nil, let next = rest.first, !RawArguments.looksLikeOption(next) {
        text = next
        rest = rest.dropFirst()
      }
      guard text != nil || counts.contains(0) else {
        throw Failure.commandLine(
          "\(option.flag) has no value", "write \(option.flag) \(placeholder)")
      }
    } else if text != nil {
      throw Failure.commandLine(
        "\(option.flag) takes no value", "write just \(option.flag), or omit it")
    }
    var value = RawValue(source: option.flag, words: [text].compactMap(\.self))
    // Of `inspect` --logs is the former name of such a list.
    if counts.upperBound > 1 || option == .logs && command == .inspect {
      while let next = rest.first, next == "-" || !next.hasPrefix("-") {
        value.words.append(next)
        rest = rest.dropFirst()
      }
      // Repeated, it adds to the list.
      if text != nil, let earlier = values[option] { value.words = earlier.words + value.words }
    }
    if option == .mapping, let earlier = values[option]?.text, let text {
      value.words = ["\(earlier),\(text)"]
    }
    values[option] = value
  }

  private static func missing(_ option: Option, for what: String, of command: Command) -> Failure {
    Failure.commandLine(
      "\(what) needs \(option.flag)" + (option.facts.value.map { " \($0)" } ?? ""),
      "see eventmill \(command.rawValue) --help")
  }

  private static func looksLikeOption(_ word: String) -> Bool {
    guard word.hasPrefix("-"), let letter = word.dropFirst().first else { return false }
    return letter == "-" || Option.letters[letter] != nil
  }

  private static func check(_ variables: [String: String]) throws(Failure) {
    let names = variables.filter { $0.key.hasPrefix(Option.variablePrefix) && !$0.value.isEmpty }
    for name in names.keys.sorted() {
      if Option.allCases.contains(where: { $0.variable == name }) { continue }
      if let option = Option.allCases.first(where: { $0.variableName == name }) {
        throw Failure.commandLine(
          "there is no environment variable \(name)",
          "write \(option.flag) on the command line, and unset \(name)")
      }
      let prefix = Option.variablePrefix
      throw Failure.commandLine(
        "unknown environment variable \(name)", meant: String(name.dropFirst(prefix.count)),
        among: Option.allCases.compactMap(\.variable).map { String($0.dropFirst(prefix.count)) },
        prefix: prefix, else: "unset it; \(prefix)… variables set options only")
    }
  }

  private mutating func addVariables(of command: Command, _ variables: [String: String]) {
    for option in command.options where values[option] == nil && option.hasVariable(of: command) {
      // An empty variable counts as unset, as usual.
      guard let name = option.variable, let text = variables[name], !text.isEmpty else { continue }
      values[option] = RawValue(source: name, words: [text])
    }
  }

  /// Whether there may be no input at all. An invalid value fails later.
  private var allowsNoInput: Bool {
    values[.allowEmpty].map { $0.text == nil || Switch.isOn($0.text) == true } ?? false
  }

  /// Adds standard input where it is implied, and checks the number of operands.
  private mutating func completeOperands(
    of command: Command, _ input: StandardInput
  ) throws(Failure) {
    let lists = [Option.why, .history].flatMap { values[$0]?.words ?? [] }
    if (operands + lists).contains("") {
      throw Failure.commandLine(
        "a name is empty", "omit it, or check the variable of the shell that it comes from")
    }
    if values[.from] != nil { return }
    if operands.isEmpty, command.facts.readsStandardInput,
      input == .data || (command == .explain && input == .terminal)
    {
      operands = [InputFile.standardInput]
    }
    if operands.count < command.facts.operandCount.lowerBound, !allowsNoInput {
      throw Failure.commandLine(
        "\(command.rawValue) needs \(command == .completions ? "a shell" : "something to read")",
        command.facts.operandAdvice)
    }
    if operands.count > command.facts.operandCount.upperBound {
      let word = operands[command.facts.operandCount.upperBound]
      throw Failure.commandLine(
        "unexpected argument \"\(word)\"", meant: word,
        among: Command.allCases.filter { $0.parent == command }.map(\.name),
        prefix: command.rawValue + " ", else: "see eventmill \(command.rawValue) --help")
    }
  }
}

// MARK: - Failures

extension RawArguments {
  static func unknownCommand(_ word: String, of group: CommandGroup? = nil) -> Failure {
    if let group {
      return Failure.commandLine(
        "unknown command \"\(group.rawValue) \(word)\"", meant: word,
        among: group.commands.map(\.name), prefix: group.rawValue + " ",
        else: "see eventmill \(group.rawValue) --help")
    }
    let commands = Command.allCases.filter { $0.group == nil && $0.parent == nil }.map(\.rawValue)
    return Failure.commandLine(
      "unknown command \"\(word)\"", meant: word,
      among: commands + CommandGroup.allCases.map(\.rawValue) + ["help"],
      else: "see eventmill --help for all commands")
  }

  /// No command was named, or a group without a sub-command.
  static func noCommand(of group: CommandGroup?) -> Failure {
    guard let group else {
      return Failure.commandLine("no command is named", "see eventmill --help")
    }
    let names = group.commands.map(\.name)
    return Failure.commandLine(
      "\(group.rawValue) needs to know what to do: " + names.dropLast().joined(separator: ", ")
        + " or " + (names.last ?? ""), "see eventmill \(group.rawValue) --help")
  }

  private static func unknownOption(_ word: String, of command: Command?) -> Failure {
    let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
    let help = command.map { "eventmill \($0.rawValue) --help" } ?? "eventmill --help"
    if name == "verbose" {
      return Failure.commandLine(
        "unknown option --verbose", "omit it: there is no more to print, and --quiet prints less")
    }
    if let option = Option.synonyms[name], command.map(option.facts.commands.contains) ?? true {
      return Failure.commandLine("unknown option --\(name)", "did you mean \(option.flag)?")
    }
    return Failure.commandLine(
      "unknown option \(word.prefix { $0 != "=" })", meant: name,
      among: (command?.options ?? Option.allCases).map(\.rawValue), prefix: "--",
      else: "see \(help) for all options")
  }

  private static func misplaced(_ option: Option, _ command: Command) -> Failure {
    if option == .honorOptOut, command == .merge {
      return Failure.commandLine(
        "merge does not take \(option.flag): it takes it from the partials",
        "make the partials with it")
    }
    let takers = Command.allCases.filter(option.facts.commands.contains).map(\.rawValue)
    return Failure.commandLine(
      "\(command.rawValue) does not take \(option.flag)",
      "it belongs to \(takers.joined(separator: ", "))")
  }
}

extension Failure {
  /// The failure of an unknown word, with the nearest of `known`, or else `advice`.
  static func commandLine(
    _ why: String, meant word: String, among known: [String], prefix: String = "",
    else advice: String
  ) -> Failure {
    let nearest = NearestName.of(word, among: known)
    return commandLine(why, nearest.map { "did you mean \(prefix)\($0)?" } ?? advice)
  }
}
