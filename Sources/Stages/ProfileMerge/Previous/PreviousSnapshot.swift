/// The snapshot of an earlier run, of which everything is copied that the new run does not change.
///
/// Only of a run with the same options, program and format: then what is copied is what would be
/// rendered.
struct PreviousSnapshot: Sendable {
  /// By partition: those that are merged.
  let parts: [Int: PreviousPart]
}
