/// The snapshot of an earlier run, from which everything unchanged is copied.
///
/// Only of a run with the same options, program and format: then a copy equals what would be
/// rendered.
package struct PreviousSnapshot: Sendable {
  package static let doing = "reading the output"

  /// By partition: the parts that are merged.
  package let parts: [Int: SortedRun]

  package init(parts: [Int: SortedRun]) {
    self.parts = parts
  }
}
