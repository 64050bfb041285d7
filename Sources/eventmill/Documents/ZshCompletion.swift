import Jobs

/// The completions of zsh: a file `_eventmill` in `$fpath`, or lines to be sourced.
extension CompletionTable {
  static var zshScript: String {
    """
    #compdef eventmill
    # Completions of eventmill for zsh: source <(eventmill completions zsh), after compinit;
    # or a file _eventmill in a directory of $fpath.

    \(groups.reversed().map(function).joined(separator: "\n\n"))

    if [[ $funcstack[1] == _eventmill ]]; then
      _eventmill "$@"
    else
      compdef _eventmill eventmill
    fi
    """
  }

  /// The function that completes after the path of a group.
  private static func function(_ group: [String]) -> String {
    let words = Self.words(in: group)
    let name = Self.name(group)
    let commands = words.map { "        \(quoted("\($0.word):\($0.summary)"))" }
    let cases = words.map { word, _ in
      let path = group + [word]
      let command = Self.commands.first { $0.path == path }
      let body = command.map(completion) ?? "\(Self.name(path)) && ret=0"
      return "      \(word))\n        \(body)\n        ;;"
    }
    return """
      \(name)() {
        local curcontext="$curcontext" state state_descr line ret=1
        typeset -A opt_args
        _arguments -C -s -S -A '-*' \(specs(Option.common)) \\
          '1:command:->command' '*::argument:->argument' && ret=0
        case $state in
          command)
            local -a commands=(
      \(commands.joined(separator: "\n"))
            )
            _describe -t commands command commands && ret=0
            ;;
          argument)
            curcontext="${curcontext%:*}-$line[1]:"
            case $line[1] in
      \(cases.joined(separator: "\n"))
            esac
            ;;
        esac
        return ret
      }
      """
  }

  /// What completes after a command, or after one that begins with its words.
  private static func completion(of command: Entry) -> String {
    let children = Self.children(of: command.path)
    if children.isEmpty { return arguments(of: command) }
    let cases =
      children.map { child in
        "\(child.path.last ?? "")) shift words; (( CURRENT-- )); \(arguments(of: child)) ;;"
      } + ["*) \(arguments(of: command)) ;;"]
    return "case $words[2] in\n        \(cases.joined(separator: "\n        "))\n        esac"
  }

  private static func arguments(of command: Entry) -> String {
    let operands = action(command.operands).map { " \\\n          '*:operand:\($0)'" } ?? ""
    return "_arguments -s -S \(specs(command.options, of: command.path))\(operands) && ret=0"
  }

  /// The options as arguments of `_arguments`, each on its own line.
  private static func specs(_ options: [Option], of path: [String] = []) -> String {
    let command = Command(rawValue: path.joined(separator: " "))
    return options.map { option in
      let text = option.help(of: command).summary.replacing("\\", with: "\\\\").replacing(
        "[", with: "\\["
      ).replacing("]", with: "\\]").replacing(":", with: "\\:")
      var end = "[\(text)]"
      if let completion = option.completion {
        end +=
          ":\((option.facts.value ?? "").replacing(":", with: "\\:")):"
          + (action(completion) ?? " ")
      }
      let isValue = option.completion != nil
      let long = option.flag + (isValue ? "=" : "")
      guard let letter = option.letter else { return "\\\n          \(quoted(long + end))" }
      let short = "-\(letter)" + (isValue ? "+" : "")
      let other = "'(\(option.forms.joined(separator: " ")))'"
      return "\\\n          \(other){\(short),\(long)}\(quoted(end))"
    }.joined(separator: " ")
  }

  /// What offers words, as `_arguments` reads it: a plain colon would end it.
  private static func action(_ completion: Completion) -> String? {
    let action: String? =
      switch completion {
      case .words(let words): "(\(words.joined(separator: " ")))"
      case .files: "_files"
      case .filesOrWords(let words):
        "_alternative \"files:file:_files\" \"names:name:(\(words.joined(separator: " ")))\""
      case .directories: "_files -/"
      case .nothing: nil
      }
    return action?.replacing(":", with: "\\:")
  }

  private static func name(_ group: [String]) -> String {
    (["_eventmill"] + group).joined(separator: "_")
  }

  private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}
