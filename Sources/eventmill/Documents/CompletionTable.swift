import Jobs
import Stages

/// What a shell offers for a word of a command line.
enum Completion: Hashable, Sendable {
  case words([String])
  case files
  /// These, or a file.
  case filesOrWords([String])
  case directories
  /// A number, a time, an id.
  case nothing

  /// What a value or an operand is called in the help decides: `strict|lenient`, `DIR`, `FILE|-`,
  /// `day|attribute:KEY`.
  init(_ placeholder: String) {
    let parts = placeholder.split { "[]…| ".contains($0) }
    if parts == ["COMMAND"] {
      self = .words(Command.allCases.map(\.rawValue))
    } else if parts.contains("FILE") || parts.contains("-") {
      self = .files
    } else if let first = parts.first, ["DIR", "PATTERN"].contains(first) {
      self = .directories
    } else {
      let words = parts.compactMap(Self.word)
      self = !parts.isEmpty && words.count == parts.count ? .words(words) : .nothing
    }
  }

  /// The word that one of several values is, or begins with; nil for a name of values.
  private static func word(_ part: Substring) -> String? {
    let word = part.firstIndex(of: ":").map { part[...$0] } ?? part
    return word.allSatisfy { $0.isLowercase || $0.isNumber || $0 == ":" } ? String(word) : nil
  }
}

extension Option {
  /// What is offered for its value; nil when it takes none.
  var completion: Completion? {
    guard let value = facts.value else { return nil }
    switch self {
    case .stage: return .words(BenchSubject.allCases.map(\.name))
    case .failOn: return .words(TrackingFindings.Kind.allCases.map(\.rawValue) + ["all"])
    default: break
    }
    switch facts.setting {
    case .word(let words, _, _)?: return .words(words)
    case .mappings?: return .filesOrWords(BuiltInMapping.allCases.map(\.rawValue))
    case .dialect?: return .words(["auto"] + Dialect.allCases.map(\.name))
    default: break
    }
    return Completion(value)
  }

  /// As it is written, the short form first.
  var forms: [String] { (letter.map { ["-\($0)"] } ?? []) + [flag] }

  /// Those that every command takes.
  static var common: [Option] {
    allCases.filter { $0.facts.commands.count == Command.allCases.count }
  }
}

/// What the completions of all shells are made of: the commands with their options and operands.
struct CompletionTable: Sendable {
  struct Entry: Sendable {
    /// The words that name the command; a command of commands has several.
    let path: [String]
    let summary: String
    let options: [Option]
    let operands: Completion
  }

  /// The commands, in the order of the help, which is the last.
  let commands: [Entry]

  init() {
    let commands = Command.allCases.map { command in
      Entry(
        path: command.rawValue.split(separator: " ").map(String.init),
        summary: command.facts.summary, options: command.options,
        operands: command == .mappings
          ? .words(BuiltInMapping.allCases.map(\.rawValue))
          : Completion(command.facts.operands))
    }
    let help = Entry(
      path: ["help"], summary: "examples and options of a command", options: [],
      operands: Completion("COMMAND"))
    self.commands = commands + [help]
  }

  /// The options, each once.
  var options: [Option] { Option.allCases }

  /// The forms of all options that take a value.
  var formsWithValue: [String] { options.filter { $0.completion != nil }.flatMap(\.forms) }

  /// The paths under which there are commands, the program's own (none) first.
  var groups: [[String]] {
    var groups: [[String]] = []
    for command in commands {
      for count in command.path.indices where !groups.contains(Array(command.path.prefix(count))) {
        groups.append(Array(command.path.prefix(count)))
      }
    }
    return groups
  }

  /// The words that may stand behind the path of a group, with what they mean.
  func words(in group: [String]) -> [(word: String, summary: String)] {
    var words: [(word: String, summary: String)] = []
    for command in commands
    where command.path.count > group.count && command.path.starts(with: group) {
      let word = command.path[group.count]
      let summary = CommandGroup(rawValue: word)?.summary ?? command.summary
      if !words.contains(where: { $0.word == word }) { words.append((word, summary)) }
    }
    return words
  }

  /// Every path to a command or a group, with a space before its last word, as `"$path $word"` is.
  var steps: [String] {
    groups.flatMap { group in
      words(in: group).map { "\(group.joined(separator: " ")) \($0.word)" }
    }
  }
}

/// A shell that completions are made for.
enum CompletionShell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// The script that the shell reads.
  var script: String {
    switch self {
    case .bash: BashCompletion(CompletionTable()).script
    case .zsh: ZshCompletion(CompletionTable()).script
    case .fish: FishCompletion(CompletionTable()).script
    }
  }
}
