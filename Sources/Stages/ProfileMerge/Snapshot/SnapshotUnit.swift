package import Pipeline

/// What came out of a piece of the merge, on its way into the files.
package final class SnapshotUnit: FlowUnit, @unchecked Sendable {
  // @unchecked because the flow hands a unit from queue to queue, never to two at once.
  package var sequence = 0
  package var frames = SnapshotFrames()
  /// Installations that fold into people: those whose texts stay where they are,
  package var stable: [KeyState] = []
  /// and those that had to be copied.
  package var copied: StateBytes?
  /// Hashes of the keys of people whose profiles may have changed.
  package var persons: [UInt64] = []
  package var failure: Failure?

  package init() {}

  /// Prepares the unit for its piece; false when all `pieces` are taken.
  package func begin(of pieces: Int) -> Bool {
    frames.removeAll()
    stable = []
    copied = nil
    persons.removeAll(keepingCapacity: true)
    failure = nil
    return sequence < pieces
  }
}
