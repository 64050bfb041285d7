/// The snapshot of an earlier run, of which everything is copied that the new run does not change.
///
/// Only of a run with the same options, program and format: then what is copied is what would be
/// rendered.
package struct PreviousSnapshot: Sendable {
  package static let doing = "reading the previous output"

  /// By partition: those that are merged.
  package let parts: [Int: SortedRun]

  package init(parts: [Int: SortedRun]) {
    self.parts = parts
  }
}
