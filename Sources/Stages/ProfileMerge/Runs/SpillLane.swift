import Dispatch
package import Pipeline

/// Merged key states of a piece, on their way into a spill.
package final class SpillUnit: FlowUnit {
  package var sequence = 0
  var frames = SpillFrames()

  package init() {}

  package func recycle() { frames.removeAll() }
}

/// Merges pieces into states that another process goes on with: everything known of a key in one
/// state, whose bytes follow from what is known alone. One per thread.
package final class SpillLane {
  /// Duplicates that were found.
  package private(set) var duplicates = DuplicateTally()
  package private(set) var time = StageTime(name: "publish")

  private let plan: MergePlan
  private let encoder: ZstdEncoder
  private let reader: FrameFileReader
  private var compactor: MutationCompactor

  /// A lane for pieces of `plan`, with frames of that level.
  /// - Throws: `io`, when there is no memory.
  package init(_ plan: MergePlan, level: Int) throws(Failure) {
    self.plan = plan
    encoder = try ZstdEncoder(level: level)
    reader = try FrameFileReader()
    compactor = MutationCompactor(plan.names.order)
  }

  /// Merges a piece.
  /// - Throws: `corrupt`, `io`.
  package func work(on piece: KeyRangeTask, into unit: SpillUnit) throws(Failure) {
    let start = DispatchTime.now().uptimeNanoseconds
    var sources = try plan.cursors(piece, isShared: true, reader)
    while let key = sources.key {
      let state = sources.merged(by: &compactor, &duplicates)
      try unit.frames.append(
        state, section: piece.section, hash: XXH64.hash(key), partition: piece.partition, encoder)
      try sources.advance()
    }
    try unit.frames.cut(encoder)
    time.nanoseconds += DispatchTime.now().uptimeNanoseconds - start
    time.units += 1
  }
}
