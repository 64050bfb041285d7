import Jobs

/// The completions of bash, 4 or later; no other package is needed.
extension CompletionTable {
  static var bashScript: String {
    """
    # Completions of eventmill for bash: source <(eventmill completions bash)
    _eventmill_words() {
      mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
      # More follows a colon.
      [[ ${COMPREPLY[0]} != *: ]] || compopt -o nospace 2>/dev/null
    }

    _eventmill_files() {
      # Readline quotes what it inserts, and wants to compare it with plain names.
      cur=${cur#[\\"\\']} cur=${cur//\\\\/}
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen "$@" -- "$cur")
    }

    _eventmill() {
      local cur=${COMP_WORDS[COMP_CWORD]} path='' option='' word i
      COMPREPLY=()
      for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ -n $option ]]; then
          # --option=VALUE comes as three words.
          [[ $word == '=' ]] || option=''
          continue
        fi
        case $word in
          \(formsWithValue.joined(separator: "|"))) option=$word ;;
          -*) ;;
          *)
            case "$path $word" in
              \(alternatives(steps))) path=${path:+$path }$word ;;
            esac
            ;;
        esac
      done
      [[ $cur != '=' ]] || cur=''
      case $option in
        '') ;;
    \(values)
        *) return ;;
      esac
      if [[ $cur == -* ]]; then
        case $path in
    \(options)
        esac
        return
      fi
      case $path in
    \(operands)
      esac
    }

    complete -F _eventmill eventmill
    """
  }

  private static func alternatives(_ words: [String]) -> String {
    words.map { "'\($0)'" }.joined(separator: "|")
  }

  private static var values: String {
    var forms: [(completion: Completion, forms: [String])] = []
    for option in Option.allCases {
      guard let completion = option.completion, completion != .nothing else { continue }
      if let index = forms.firstIndex(where: { $0.completion == completion }) {
        forms[index].forms += option.forms
      } else {
        forms.append((completion, option.forms))
      }
    }
    return forms.map { completion, forms in
      """
          \(forms.joined(separator: "|")))
            \(reply(completion))
            return
            ;;
      """
    }.joined(separator: "\n")
  }

  private static var options: String {
    let groups = groups.map { ($0, Option.common) }
    return (groups + commands.map { ($0.path, $0.options) }).map { path, options in
      let forms = options.flatMap(\.forms).joined(separator: " ")
      return "      '\(path.joined(separator: " "))') _eventmill_words '\(forms)' ;;"
    }.joined(separator: "\n")
  }

  private static var operands: String {
    let groups = groups.map { ($0, Completion.words(words(in: $0).map(\.word))) }
    return (groups + commands.map { ($0.path, $0.operands) }).compactMap { path, completion in
      guard completion != .nothing else { return nil }
      return "    '\(path.joined(separator: " "))') \(reply(completion)) ;;"
    }.joined(separator: "\n")
  }

  private static func reply(_ completion: Completion) -> String {
    switch completion {
    case .words(let words): "_eventmill_words '\(words.joined(separator: " "))'"
    case .files: "_eventmill_files -f"
    case .filesOrWords(let words): "_eventmill_files -f -W '\(words.joined(separator: " "))'"
    case .directories: "_eventmill_files -d"
    case .nothing: ":"
    }
  }
}
