import Jobs
import Pipeline
import Stages

/// The words, and the paths, that a shell offers.
struct Completion: Equatable {
  enum Paths: String { case none, files, directories }

  let paths: Paths
  let words: [String]

  /// Derived from the name of a value or an operand: `strict|lenient`, `DIR`, `FILE|-`; the values
  /// may be `words`.
  init(_ placeholder: String, words: [String] = []) {
    let parts = placeholder.split { "[]…| ".contains($0) }
    paths =
      parts.contains("FILE") || parts.contains("-")
      ? .files
      : parts.first.map { ["DIR", "PATTERN"].contains($0) } ?? false ? .directories : .none
    self.words =
      words.isEmpty
      ? parts.filter { $0.allSatisfy { $0.isLowercase || $0.isNumber } }.map(String.init) : words
  }
}

/// What a shell asks to complete a command line; the scripts in `Completions` write it.
struct CompletionRequest: Request {
  /// The first word of such a command line; the others are those to be completed.
  static let word = "__complete"

  typealias Offer = (word: String, meaning: String)

  private(set) var paths = Completion.Paths.none
  private(set) var offers: [Offer] = []

  /// The words that name a command or a topic.
  private var path: [String] = []

  init(options: CommandOptions) { self.init(options.operands[...]) }

  /// The offers for the last of `words`.
  init(_ words: ArraySlice<String>) {
    var option: Option?
    for word in words.dropLast() {
      if option != nil {
        // In bash --option=VALUE is three words.
        if word != "=" { option = nil }
      } else if word.hasPrefix("-") {
        option = Self.option(word)
      } else if next.contains(where: { $0.word == word }) {
        path.append(word)
      }
    }
    // Some shells leave an open quote before it.
    let last = (words.last.flatMap { $0 == "=" ? nil : $0 } ?? "").drop { "\"'".contains($0) }
    if let option {
      offer(option, behind: "")
    } else if let end = last.firstIndex(of: "="), let option = Self.option(last[..<end]) {
      offer(option, behind: String(last[...end]))
    } else if last.hasPrefix("-") {
      offers = options.flatMap { option in
        option.forms.map { ($0, option.help(of: command).summary) }
      }
    } else if next.isEmpty, let command {
      offer(
        command == .mappingShow
          ? Completion("", words: BuiltInMapping.allCases.map(\.rawValue))
          : Completion(command.facts.operands))
    } else {
      offers = next
    }
    offers = offers.filter { $0.word.hasPrefix(last) }
  }

  /// The option with a value that is written so.
  private static func option(_ word: some StringProtocol) -> Option? {
    Option.allCases.first { $0.facts.value != nil && $0.forms.contains(String(word)) }
  }

  private mutating func offer(_ option: Option, behind start: String) {
    offer(
      Completion(option.facts.value ?? "", words: option.facts.setting(of: command).words),
      behind: start)
  }

  private mutating func offer(_ completion: Completion, behind start: String = "") {
    paths = completion.paths
    offers = completion.words.map { (start + $0, "") }
  }

  private var command: Command? { Command(rawValue: path.joined(separator: " ")) }

  private var options: [Option] {
    switch path.first {
    case "help": []
    case "man": Command.man.options
    default: command?.options ?? Option.common
    }
  }

  /// The words that may follow the path: commands, or after `help` and `man` topics.
  private var next: [Offer] {
    let isTopic = ["help", "man"].contains(path.first)
    let named = isTopic ? path.dropFirst() : path[...]
    var next: [Offer] = []
    for command in Command.allCases {
      let words = command.words
      guard words.count > named.count, words.starts(with: named) else { continue }
      let word = words[named.count]
      if next.contains(where: { $0.word == word }) { continue }
      next.append((word, CommandGroup(rawValue: word)?.summary ?? command.facts.summary))
    }
    return path.isEmpty ? next + [("help", "examples and options of a command")] : next
  }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    try console.print(paths.rawValue)
    for offer in offers { try console.print("\(offer.word)\t\(offer.meaning)") }
    return .done
  }
}
