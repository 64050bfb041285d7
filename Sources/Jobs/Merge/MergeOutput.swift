import Pipeline
import Stages

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

  /// Checks that the output directory contains only merged partitions, so that finishing removes no
  /// other files. Without a `step`, at the end, `options` may allow an earlier output.
  static func check(
    _ options: PublishOptions, before step: MergeStep?, _ system: System
  ) throws(Failure) {
    let path = options.output
    guard try system.statusIfAny(of: path, doing: doing)?.kind == .directory else { return }
    var strangers = Strangers()
    for name in try system.names(in: path, doing: doing)
    where !isOwn(name) { strangers.note(name) }
    guard !strangers.isEmpty else { return }
    guard try Ownership.isOutput(path, system) else {
      throw StagedDirectory.refusal(
        path, "it contains \(strangers.text), which no merge has made", "name another directory")
    }
    if step == nil, options.replace { return }
    throw StagedDirectory.refusal(
      path, "it is a finished output",
      step == nil
        ? "use --replace to replace it, or name another directory"
        : "merge partitions into a directory of their own; only --step finish can replace an output"
    )
  }

  /// Removes what dead merges left in the directory `path`.
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

/// What one `cluster merge` does: a step for one partition, or the end after those of all.
package enum MergeTask: String, CaseIterable, Sendable {
  case installations, unchanged, people, finish

  /// Nil at the end.
  package var step: MergeStep? { MergeStep(rawValue: rawValue) }
}

/// A step of merging one partition of partials. Each step of a partition is a separate task for any
/// machine; a step needs the previous steps of all partitions.
package enum MergeStep: String, DocumentWord, Sendable {
  /// Merges installations. Those that fold into people are written for the partitions of these.
  case installations
  /// Writes unchanged installations of people who have changed. Only needed after a previous
  /// output.
  case unchanged
  /// Merges people with the installations written for them, and finishes the part.
  case people

  var sections: [KeySection] {
    switch self {
    case .installations, .unchanged: [.install]
    case .people: [.anonymous, .custom]
    }
  }

  /// The directory name of the step for partition number `part` of `count`.
  package func directory(_ part: Int, of count: Int) -> String {
    RunFiles.numbered(template, part, of: count)
  }

  /// The pattern of such names, `#` for numbers.
  var template: String { "\(rawValue)-#-of-#" }
}
