import Pipeline
import Stages

/// Every option of the program, by its name on the command line without the dashes.
///
/// A new one is a case here, a row of ``facts``, and a field of ``CommandOptions`` that the row
/// names: parsing, variables, help, suggestions, manifests, and the options that partials and
/// copies must agree on, are derived from them.
package enum Option: String, CaseIterable, Sendable {
  // Outputs.
  case out, to
  case exportedAs = "as"
  case previous, replace
  case ifSame = "if-same"
  case attempt, partitions, installations, unchanged, people, finish
  case partsElsewhere = "parts-elsewhere"
  case noValues = "no-values"
  case noDays = "no-days"
  case stitch
  case dedupeDays = "dedupe-days"
  case reingest, level
  // Nights to make and to keep.
  case logs, date, first
  case maxAhead = "max-ahead"
  case lateDays = "late-days"
  case noVerify = "no-verify"
  case keepDaily = "keep-daily"
  case keepWeekly = "keep-weekly"
  case keepMonthly = "keep-monthly"
  // Inputs, and the number of readers.
  case from, root, tasks
  // The meaning of a line.
  case v1, mapping, dialect, foreign
  case identityKeys = "identity-keys"
  case realmObjects = "realm-objects"
  case nobody, repair
  case defaultTime = "default-time"
  case notBefore = "not-before"
  case notAfter = "not-after"
  case since, until
  case maxLine = "max-line"
  case unknownFields = "unknown-fields"
  // Tolerance.
  case maxNames = "max-names"
  case maxRejects = "max-rejects"
  case keepGoing = "keep-going"
  case allowEmpty = "allow-empty"
  case resume
  case dryRun = "dry-run"
  case verify
  // Whose data is suppressed.
  case erase
  case erasedAt = "erased-at"
  case honorOptOut = "honor-opt-out"
  case optOuts = "opt-outs"
  case collectOptOuts = "collect-opt-outs"
  case ids, absent
  // The subject of an inspection, and its form.
  case state, profiles, why, history, by, top, csv
  case failOn = "fail-on"
  // Reports of a run.
  case metrics, tracking
  // Benchmarks.
  case stage, runs, baseline, save
  // Synthetic logs.
  case lines, users, seed, nights, bad, format, start
  // The machine.
  case jobs, memory
  // The shell.
  case quiet, json
  case logFormat = "log-format"
  case noProgress = "no-progress"
  case dieWithParent = "die-with-parent"
  case color, help, version
}

extension Option {
  /// Whether it accepts several words up to the next option, after the command `command`.
  package func takesList(of command: Command?) -> Bool {
    self == .history || self == .logs && command == .inspect
  }
}
