package import Pipeline

/// The result of a piece of the merge, on its way into the files.
package final class SnapshotUnit: FlowUnit {
  package var sequence = 0
  package var frames: SnapshotFrames
  /// Installations that fold into people, whose texts do not move.
  package var stable: [KeyState] = []
  /// Installations that fold into people, which had to be copied.
  var copied = StateBytes()
  /// Hashes of the keys of people whose profiles may have changed.
  package var persons: [UInt64] = []

  /// A unit for pieces of a snapshot, or of a spill.
  package init(_ layout: SnapshotFrames.Layout = .snapshot) {
    frames = SnapshotFrames(layout)
  }

  package func recycle() {
    frames.removeAll()
    stable = []
    copied.removeAll()
    persons.removeAll(keepingCapacity: true)
  }

  /// Removes and returns the copied ones; nil without any.
  package func takeCopied() -> Frozen<StateBytes>? {
    if copied.isEmpty { return nil }
    var taken = StateBytes()
    swap(&taken, &copied)
    return Frozen(taken)
  }
}
