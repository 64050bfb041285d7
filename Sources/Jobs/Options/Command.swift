/// What the program can do.
package enum Command: String, CaseIterable, Sendable {
  case run
  case night
  case count
  case validate
  case migrate
  case redrive
  case explain
  case plan
  case partial
  case merge
  case erase
  case verify
  case inspect
  case diff
  case export
  case bench
  case generate
  case completions
  case man
  case version

  /// Its options, in the order of the table.
  package var options: [Option] { Option.allCases.filter { $0.facts.commands.contains(self) } }
}
