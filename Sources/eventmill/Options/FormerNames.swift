import Jobs

/// What a name of version 0.2 stands for. It works for one more version, and the present name is
/// printed.
struct FormerName {
  let option: Option
  /// The value, of an option that had none.
  var text: String?
  /// The step of a merge that it also stands for.
  var step: MergeTask?

  static let options: [String: FormerName] = [
    "ids": FormerName(option: .requests), "erase": FormerName(option: .requests),
    "absent": FormerName(option: .requests), "to": FormerName(option: .out),
    "as": FormerName(option: .format), "csv": FormerName(option: .format, text: "csv"),
    "first": FormerName(option: .fromNight), "date": FormerName(option: .toNight),
    "installations": FormerName(option: .partition, step: .installations),
    "unchanged": FormerName(option: .partition, step: .unchanged),
    "people": FormerName(option: .partition, step: .people),
    "finish": FormerName(option: .step, text: MergeTask.finish.rawValue),
  ]

  static let commands: [String: Command] = [
    "plan": .plan, "partial": .partial, "merge": .merge, "mappings": .mappingList,
  ]
}

/// A name that was written, and its present one.
struct Renaming: Equatable, Sendable {
  let old: String
  let new: String

  var note: String { "\(old) is now \(new); the old name works until the next version" }
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
