import Pipeline

/// The result of a piece of the merge, on its way into the files.
package final class SnapshotUnit: FlowUnit {
  package var sequence = 0
  package var frames: SnapshotFrames
  /// Installations that fold into people.
  package let members = StateSlice()
  /// Hashes of the keys of people whose profiles may have changed.
  package var persons: [UInt64] = []

  /// A unit for pieces of a snapshot, or of a spill. See ``FrameText`` for `readsCopies`.
  package init(_ layout: SnapshotFrames.Layout = .snapshot, readsCopies: Bool = true) {
    frames = SnapshotFrames(layout, readsCopies: readsCopies)
  }

  package func recycle() {
    frames.removeAll()
    members.removeAll()
    persons.removeAll(keepingCapacity: true)
  }
}
