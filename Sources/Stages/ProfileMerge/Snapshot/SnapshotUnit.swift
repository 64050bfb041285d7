package import Pipeline

/// What came out of a piece of the merge, on its way into the files.
package final class SnapshotUnit: FlowUnit {
  package var sequence = 0
  package var frames: SnapshotFrames
  /// Installations that fold into people: those whose texts stay where they are,
  package var stable: [KeyState] = []
  /// and those that had to be copied.
  var copied = StateBytes()
  /// Hashes of the keys of people whose profiles may have changed.
  package var persons: [UInt64] = []

  /// A unit for pieces that go into a snapshot, or into a spill.
  package init(_ layout: SnapshotFrames.Layout = .snapshot) {
    frames = SnapshotFrames(layout)
  }

  package func recycle() {
    frames.removeAll()
    stable = []
    copied.removeAll()
    persons.removeAll(keepingCapacity: true)
  }

  /// Gives the copied ones away; nil without any.
  package func takeCopied() -> Frozen<StateBytes>? {
    if copied.isEmpty { return nil }
    var taken = StateBytes()
    swap(&taken, &copied)
    return Frozen(taken)
  }
}
