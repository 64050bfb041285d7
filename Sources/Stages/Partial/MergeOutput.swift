import Pipeline

/// The directory in which partitions are collected, and which the finished output replaces.
enum MergeOutput {
  private static let doing = "publishing to"
  /// How the names of merged partitions begin.
  static let partition = "partition-"

  /// Checks that nothing stands in the directory `path` but merged partitions, so that finishing costs
  /// nobody a file that no merge has made; with `replace` an earlier output may.
  ///
  /// - Throws: `usage`, when something else does; `io`.
  static func check(_ path: String, replace: Bool, system: System) throws(Failure) {
    guard try system.statusIfAny(of: path, doing: doing)?.kind == .directory else { return }
    let others = try system.names(in: path, doing: doing)
      .filter { !$0.hasPrefix(partition) && !$0.hasPrefix(".\(partition)") }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    guard let other = others.first else { return }
    guard others.contains(RunFiles.manifest) else {
      throw StagedDirectory.refusal(
        path, "it holds \(other), which no merge has made", "name another directory")
    }
    if !replace {
      throw StagedDirectory.refusal(
        path, "it is a finished output",
        "merge partitions into a directory of their own; only --finish can replace an output")
    }
  }
}
