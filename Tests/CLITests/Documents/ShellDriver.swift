import Foundation
import TestSupport

/// Asks a shell what it offers for unfinished command lines, as a person does with the tab key.
enum ShellDriver {
  static func has(_ program: String) -> Bool {
    (try? RunProcess.bash("command -v \(program)").status) == 0
  }

  /// What `shell` offers for each of `lines`, sorted, in a directory with the folders `logs` and
  /// `lo gs`, and the file `log.ndjson`.
  static func offers(_ shell: String, _ lines: [String]) throws -> [[String]] {
    let directory = try ScratchDirectory()
    for name in ["logs/a", "lo gs/a", "log.ndjson", "other"] { try directory.write([], to: name) }
    for (name, text) in scripts { try directory.write(text, to: name) }
    try directory.write(lines.joined(separator: "\n"), to: "lines")
    let result = try RunProcess.bash(
      """
      "$eventmill" completions \(shell) >_eventmill || exit
      mkdir bin && ln -s "$eventmill" bin
      export HOME=$PWD XDG_CONFIG_HOME=$PWD PATH=$PWD/bin:$PATH
      timeout 60 \(shell) drive.\(shell)
      """, directory: directory)
    guard result.status == 0, result.errors.isEmpty else {
      throw Trouble(description: "\(shell) ended with \(result.status): \(result.errors)")
    }
    return result.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
      $0.split(separator: "\t").map(String.init).sorted()
    }
  }

  struct Trouble: Error, CustomStringConvertible { let description: String }

  /// Each prints a line for each line of the file `lines`, with a tab between two offers.
  private static let scripts = [
    "drive.bash": """
    source ./_eventmill
    while IFS= read -r line || [[ -n $line ]]; do
      # As readline does it, which takes an equals sign for a word.
      read -ra COMP_WORDS <<<"${line//=/ = }"
      [[ $line != *' ' && -n $line && $line != *= ]] || COMP_WORDS+=('')
      [[ $line != *= ]] || unset 'COMP_WORDS[-1]'
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _eventmill
      (IFS=$'\\t' && echo "${COMPREPLY[*]}")
    done <lines
    """,
    "drive.fish": """
    source ./_eventmill
    while read -l line
      set -l offers (complete -C "$line" | string replace -r '\\t.*' '')
      echo (string join \\t -- $offers)
    end <lines
    """,
    "drive.zsh": """
    zmodload zsh/zpty || exit 9
    for line in "${(@f)$(<lines)}"; do
      zpty shell zsh -f -i
      zpty -w shell 'source ./start.zsh'
      zpty -r shell out '*<READY>*'
      zpty -w -n shell "$line"$'\\t'
      zpty -r shell out '*<END>*'
      offers=(${(M)${(f)${out##*<BEGIN>}//$'\\r'}:#<*>})
      offers=(${(u)${${offers:#<END>}#<}%>})
      print -r - ${(pj:\\t:)offers//\\\\}
      zpty -d shell
    done
    """,
    "start.zsh": """
    PROMPT=
    fpath=($PWD $fpath)
    autoload -Uz compinit
    compinit -C -d $PWD/dump
    say_begin() { print -r - "<BEGIN>" }
    say_end() { print -r - "<END>"; exit }
    compprefuncs=(say_begin)
    comppostfuncs=(say_end)
    compadd() {
      if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return $?; fi
      local -a hits
      builtin compadd -A hits "$@"
      (( $#hits )) && print -rl - "<"$^hits">"
      builtin compadd "$@"
    }
    bindkey '^I' complete-word
    print '<READY>'
    """,
  ]
}
