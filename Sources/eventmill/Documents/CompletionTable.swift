import Jobs
import Stages

/// The completions of a word that a shell offers.
enum Completion: Hashable, Sendable {
  case words([String])
  case files
  case filesOrWords([String])
  case directories
  /// A number, a time, an id.
  case nothing

  /// Derived from the name of a value or an operand: `strict|lenient`, `DIR`, `FILE|-`.
  init(_ placeholder: String) {
    let parts = placeholder.split { "[]…| ".contains($0) }
    if parts.contains("FILE") || parts.contains("-") {
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
  /// The completion of its value; nil when it has none.
  var completion: Completion? {
    guard let value = facts.value else { return nil }
    switch self {
    case .by:
      return .words(
        ["day", "hour", "dialect", "file", "attribute:"]
          + RejectGrouping.allCases.map(\.rawValue).filter { !["dialect", "file"].contains($0) })
    case .stage: return .words(BenchSubject.allCases.map(\.name))
    case .reason: return .words(ReasonCode.allCases.map(\.text))
    case .failOn: return .words(TrackingFindings.Kind.allCases.map(\.rawValue) + ["all"])
    case .nobody: return .filesOrWords(["none"])
    case .mapping: return .filesOrWords(BuiltInMapping.allCases.map(\.rawValue))
    case .dialect: return .words(["auto"] + Dialect.allCases.map(\.name))
    default: break
    }
    let words = facts.setting?.words ?? []
    return words.isEmpty ? Completion(value) : .words(words)
  }

  /// Its written forms, the short one first.
  var forms: [String] { (letter.map { ["-\($0)"] } ?? []) + [flag] }

  static var common: [Option] {
    allCases.filter { $0.facts.commands.count == Command.allCases.count }
  }
}

/// The commands with their options and operands, for the completions of all shells.
enum CompletionTable {
  typealias Entry = (path: [String], summary: String, options: [Option], operands: Completion)

  /// The commands, in the order of the help, with `help` last.
  static let commands: [Entry] =
    Command.allCases.map { command in
      (command.words, command.facts.summary, command.options, operands(of: command))
    } + topics.map { (["help"] + $0.path, "examples and options of a command", [], $0.words) }
    + topics.dropFirst().map { (["man"] + $0.path, "its page", Command.man.options, $0.words) }

  /// The first words of commands, and the words that follow one: operands of `help` and `man`.
  private static let topics: [(path: [String], words: Completion)] = {
    let paths = Command.allCases.map(\.words)
    let parents = Set(paths.compactMap { $0.count > 1 ? [$0[0]] : nil }).sorted { $0[0] < $1[0] }
    return ([[]] + parents).map { path in
      let next = paths.filter { $0.count > path.count && $0.starts(with: path) }
        .map { $0[path.count] }
      return (
        path, .words(next.indices.filter { !next[..<$0].contains(next[$0]) }.map { next[$0] })
      )
    }
  }()

  private static func operands(of command: Command) -> Completion {
    if command == .man { return topics[0].words }
    if command == .mappingShow { return .words(BuiltInMapping.allCases.map(\.rawValue)) }
    let children = Command.allCases.filter { $0.parent == command }.map(\.name)
    return children.isEmpty ? Completion(command.facts.operands) : .words(children)
  }

  static func children(of path: [String]) -> [Entry] {
    commands.filter { $0.path.count > path.count && $0.path.starts(with: path) }
  }

  static var formsWithValue: [String] {
    Option.allCases.filter { $0.completion != nil }.flatMap(\.forms)
  }

  /// The paths of groups of commands, the program's own (empty) first.
  static let groups = [[]] + CommandGroup.allCases.map { [$0.rawValue] }

  /// The words that may follow the path of a group, with their meanings.
  static func words(in group: [String]) -> [(word: String, summary: String)] {
    var words: [(word: String, summary: String)] = []
    for command in children(of: group) {
      let word = command.path[group.count]
      let summary = CommandGroup(rawValue: word)?.summary ?? command.summary
      if !words.contains(where: { $0.word == word }) { words.append((word, summary)) }
    }
    return words
  }

  /// Every path to a command or a group, with a space before its last word, like `"$path $word"`.
  static var steps: [String] {
    var steps: [String] = []
    for group in groups {
      steps += words(in: group).map { "\(group.joined(separator: " ")) \($0.word)" }
    }
    steps += Command.allCases.filter { $0.parent != nil }.map(\.rawValue)
    return steps + topics.dropFirst().flatMap { ["help \($0.path[0])", "man \($0.path[0])"] }
  }
}
