import Jobs

/// The completions of fish.
struct FishCompletion {
  private let table: CompletionTable

  init(_ table: CompletionTable) { self.table = table }

  var script: String {
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
                case \(table.formsWithValue.joined(separator: " "))
                    set is_value 1
                case '-*'
                case '*'
                    if contains -- "$path $word" \(table.steps.map(Self.quoted).joined(separator: " "))
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

  private var lines: [String] {
    commandLines + operandLines + table.options.map(line)
  }

  private var commandLines: [String] {
    table.groups.flatMap { group in
      table.words(in: group).map { word, summary in
        "complete -c eventmill -n \(condition([group])) -a \(word) -d \(Self.quoted(summary))"
      }
    }
  }

  private var operandLines: [String] {
    table.commands.compactMap { command in
      guard command.operands != .nothing else { return nil }
      return "complete -c eventmill -n \(condition([command.path])) "
        + Self.action(command.operands)
    }
  }

  private func line(of option: Option) -> String {
    var takers = table.commands.filter { $0.options.contains(option) }.map(\.path)
    if Option.common.contains(option) { takers = table.groups + takers }
    let letter = option.letter.map { " -s \($0)" } ?? ""
    let value = option.completion.map { " -r " + Self.action($0) } ?? ""
    return "complete -c eventmill -n \(condition(takers)) -l \(option.rawValue)\(letter)\(value) "
      + "-d \(Self.quoted(option.summary))"
  }

  private func condition(_ paths: [[String]]) -> String {
    let words = paths.map { path in
      path.count == 1 ? path[0] : "\"\(path.joined(separator: " "))\""
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
