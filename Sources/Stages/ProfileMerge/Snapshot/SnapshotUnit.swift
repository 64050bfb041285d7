import Pipeline

/// The result of a piece of the merge, on its way into the files.
package final class SnapshotUnit: FlowUnit {
  package var sequence = 0
  package var frames: SnapshotFrames
  /// Installations that fold into people.
  package let members = StateSlice()
  /// Hashes of the keys of people whose profiles may have changed.
  package var persons: [UInt64] = []

  /// A unit for pieces of a snapshot, or of a spill.
  package init(_ layout: SnapshotFrames.Layout = .snapshot) {
    frames = SnapshotFrames(layout)
  }

  package func recycle() {
    frames.removeAll()
    members.removeAll()
    persons.removeAll(keepingCapacity: true)
  }
}
