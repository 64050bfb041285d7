import Pipeline

/// The directory in which partitions are collected, and which the finished output replaces.
enum MergeOutput {
  private static let doing = "publishing to"
  /// The names of partitions, and of files beside them while they are made.
  private static let names = OwnFiles([], templates: steps + beside)
  private static let steps = MergeStep.allCases.map(\.template)
  private static let beside = steps.flatMap { step in
    ["lock", "staging-#", "old-#"].map { ".\(step).\($0)" }
  }

  /// The step of a partition directory called `name`; nil for any other name.
  static func step(of name: String) -> MergeStep? {
    MergeStep.allCases.first { step in
      OwnFiles([], templates: [step.template]).kind(of: Array(name.utf8)) != nil
    }
  }

  /// Whether `name` is the name of something that merges make in the directory.
  private static func isOwn(_ name: String) -> Bool {
    guard OutputPath.attempt(of: name) != nil else {
      return names.kind(of: Array(name.utf8)) != nil
    }
    return name.split(separator: ".").first.flatMap { step(of: String($0)) } != nil
  }

  /// Checks that the directory `path` contains only merged partitions, so that finishing removes no
  /// other files; with `replace` an earlier output is allowed.
  ///
  /// - Throws: `usage`, when it contains anything else; `io`.
  static func check(_ path: String, replace: Bool, system: System) throws(Failure) {
    guard try system.statusIfAny(of: path, doing: doing)?.kind == .directory else { return }
    var strangers = Strangers()
    for name in try system.names(in: path, doing: doing)
    where !isOwn(name) { strangers.note(name) }
    guard !strangers.isEmpty else { return }
    guard try Ownership.isOutput(path, system) else {
      throw StagedDirectory.refusal(
        path, "it contains \(strangers.text), which no merge has made", "name another directory")
    }
    if !replace {
      throw StagedDirectory.refusal(
        path, "it is a finished output",
        "merge partitions into a directory of their own; only --step finish can replace an output")
    }
  }

  /// Removes what dead merges left in the directory `path`.
  ///
  /// - Throws: `locked`, when a merge of a partition is under way; `usage`, when something else has
  ///   such a name; `io`.
  static func clearLeftovers(in path: String, system: System) throws(Failure) {
    guard try system.statusIfAny(of: path, doing: doing)?.kind == .directory else { return }
    for name in try system.names(in: path, doing: doing)
    where name.hasPrefix(".") && isOwn(name) {
      let output = try OutputPath(
        "\(path)/\(name.dropFirst().prefix { $0 != "." })", attempt: OutputPath.attempt(of: name))
      let lock = try DirectoryLock(output, system: system)
      defer { lock.release() }
      try StagedDirectory.clearLeftovers(of: output, .of(.partition), system)
    }
  }
}
