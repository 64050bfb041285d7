import Stages

/// A step of merging one partition of partials. Each step of a partition is a task of its own that
/// any machine may do; a step needs the steps before it of all partitions.
package enum MergeStep: String, CaseIterable, Sendable {
  /// Merges installations. Those that fold into people are handed to the partitions of these.
  case installations
  /// Hands over installations that are as they were, where their people have changed. Only of use
  /// after a previous output.
  case unchanged
  /// Merges people with the installations that were handed over, and finishes the part.
  case people

  /// The sections of which keys are merged.
  var sections: [KeySection] {
    switch self {
    case .installations, .unchanged: [.install]
    case .people: [.anonymous, .custom]
    }
  }

  /// The name of the directory that the step makes of partition number `part` of `count`.
  package func directory(_ part: Int, of count: Int) -> String {
    RunFiles.numbered(template, part, of: count)
  }

  /// The names of such directories, `#` for numbers.
  var template: String { "\(rawValue)-#-of-#" }
}
