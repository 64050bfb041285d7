import Dispatch
package import Pipeline

/// Merged key states of a piece, on their way into a spill.
package final class SpillUnit: FlowUnit, @unchecked Sendable {
  // @unchecked because the flow hands a unit from queue to queue, never to two at once.
  package var sequence = 0
  var frames = SpillFrames()
  package var failure: Failure?

  package init() {}

  /// Prepares the unit for its piece; false when all `pieces` are taken.
  package func begin(of pieces: Int) -> Bool {
    frames.removeAll()
    failure = nil
    return sequence < pieces
  }
}

/// Merges pieces into states that another process goes on with: everything known of a key in one
/// state, whose bytes follow from what is known alone. One per thread.
package final class SpillLane: @unchecked Sendable {
  // @unchecked because only the lane's queue calls it, and the results are read when it has ended.

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

  /// Merges a piece; a failure stands in the unit.
  package func work(on piece: KeyRangeTask, into unit: SpillUnit) {
    let start = DispatchTime.now().uptimeNanoseconds
    do throws(Failure) {
      var sources = try plan.cursors(piece, reader)
      while let key = sources.key {
        let state = sources.merged(by: &compactor, &duplicates)
        try unit.frames.append(
          state, section: piece.section, hash: XXH64.hash(key), partition: piece.partition, encoder)
        try sources.advance()
      }
      try unit.frames.cut(encoder)
    } catch {
      unit.failure = error
    }
    time.nanoseconds += DispatchTime.now().uptimeNanoseconds - start
    time.units += 1
  }
}

/// Writes what lanes have merged into one spill, in order.
package final class SpillSink: @unchecked Sendable {
  // @unchecked because only the flow's last queue calls it, and `finish` when the flow has ended.
  private let writer: SpillWriter

  /// A sink that fills `file`.
  /// - Throws: `io`, when there is no memory.
  package init(_ file: OutputFile, level: Int) throws(Failure) {
    writer = try SpillWriter(file, level: level)
  }

  /// Takes the frames of a piece.
  /// - Throws: `io`, and the failure of the unit.
  package func take(_ unit: SpillUnit) throws(Failure) {
    if let failure = unit.failure { throw failure }
    try writer.append(unit.frames)
  }

  /// Brings the spill to the disk.
  /// - Throws: `io`; then it is not to be relied on.
  @discardableResult
  package func finish() throws(Failure) -> WrittenFile { try writer.finish(isDurable: true) }
}
