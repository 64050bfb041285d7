import Jobs

/// The completions of fish.
extension CompletionTable {
  static var fishScript: String {
    """
    # Completions of eventmill for fish: eventmill completions fish | source
    function __eventmill_at
        # Whether the words so far name one of these commands.
        set -l path
        set -l is_value 0
        for word in (commandline -opc)[2..-1]
            if test $is_value = 1
                set is_value 0
                continue
            end
            switch $word
                case \(formsWithValue.joined(separator: " "))
                    set is_value 1
                case '-*'
                case '*'
                    if contains -- "$path $word" \(steps.map(quoted).joined(separator: " "))
                        set path (string trim -- "$path $word")
                    end
            end
        end
        contains -- "$path" $argv
    end

    complete -c eventmill -f
    \(lines.joined(separator: "\n"))
    """
  }

  private static var lines: [String] { commandLines + operandLines + Option.allCases.map(line) }

  private static var commandLines: [String] {
    groups.flatMap { group in
      words(in: group).map { word, summary in
        "complete -c eventmill -n \(condition([group])) -a \(word) -d \(quoted(summary))"
      }
    }
  }

  private static var operandLines: [String] {
    commands.compactMap { command in
      guard command.operands != .nothing else { return nil }
      return "complete -c eventmill -n \(condition([command.path])) " + action(command.operands)
    }
  }

  private static func line(of option: Option) -> String {
    var takers = commands.filter { $0.options.contains(option) }.map(\.path)
    if Option.common.contains(option) { takers = groups + takers }
    let letter = option.letter.map { " -s \($0)" } ?? ""
    let value = option.completion.map { " -r " + action($0) } ?? ""
    return "complete -c eventmill -n \(condition(takers)) -l \(option.rawValue)\(letter)\(value) "
      + "-d \(quoted(option.help().summary))"
  }

  private static func condition(_ paths: [[String]]) -> String {
    let words = paths.map { path in path.count == 1 ? path[0] : "\"\(path.joined(separator: " "))\""
    }
    return "'__eventmill_at \(words.joined(separator: " "))'"
  }

  private static func action(_ completion: Completion) -> String {
    switch completion {
    case .words(let words): "-f -a \(quoted(words.joined(separator: " ")))"
    case .files: "-F"
    case .filesOrWords(let words): "-F -a \(quoted(words.joined(separator: " ")))"
    case .directories: "-f -a '(__fish_complete_directories)'"
    case .nothing: "-f"
    }
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}
