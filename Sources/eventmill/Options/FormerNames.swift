import Jobs

/// Names of version 0.2. They work until version 2, and a warning has the present one.
enum FormerNames {
  /// The present words of options; a value follows the last one.
  static let options: [String: [String]] = [
    "ids": ["--requests"], "erase": ["--requests"], "absent": ["--requests"], "to": ["--out"],
    "as": ["--format"], "csv": ["--format=csv"], "first": ["--from-night"],
    "date": ["--to-night"], "installations": ["--step=installations", "--partition"],
    "unchanged": ["--step=unchanged", "--partition"], "people": ["--step=people", "--partition"],
    "finish": ["--step=finish"],
  ]

  static let commands: [String: Command] = [
    "plan": .plan, "partial": .partial, "merge": .merge, "mappings": .mappingList,
  ]
}

/// A name that was written, and its present one.
struct Renaming: Equatable, Sendable {
  let old: String
  let new: String

  var note: String { "\(old) is now \(new); the old name works until version 2" }
}

extension Option {
  /// Words that other programs have for an option.
  static let synonyms: [String: Option] = [
    "output": .out, "dest": .out, "threads": .jobs, "workers": .jobs, "parallel": .jobs,
    "force": .replace, "overwrite": .replace, "limit": .top, "max-count": .top, "group-by": .by,
    "silent": .quiet, "input": .from, "files-from": .from, "ram": .memory, "max-memory": .memory,
    "simulate": .dryRun, "start-date": .fromNight, "end-date": .toNight, "after": .since,
    "before": .until, "schema": .mapping,
  ]
}
