import Pipeline
import Stages

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

  /// The sections whose keys are merged.
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
