package import Pipeline

/// Goes through the keys of a state, stretch by stretch. For one thread.
package struct StateReader: ~Copyable {
  private let reader: FrameFileReader
  private var stretch: IndexBlock
  private var frame: StateFrame

  /// A reader of states whose names become names of the run. With `known` no others may stand in
  /// them.
  /// - Throws: `io`, when there is no memory.
  package init(names: RunNames, known: SnapshotNames? = nil) throws(Failure) {
    reader = try FrameFileReader()
    stretch = IndexBlock(reader)
    frame = StateFrame(names: names, known: known)
  }

  /// Calls `body` with every key of the stretch `number` of `part`, in order, and the frame in
  /// which it stands.
  /// - Throws: `corrupt`, `io`; what `body` throws.
  package mutating func forEachKey(
    in number: Int, of part: PreviousPart,
    _ body: (StateFrame.Key, inout StateFrame) throws(Failure) -> Void
  ) throws(Failure) {
    try stretch.read(number, of: part)
    for entry in stretch.entries {
      try frame.read(entry, of: part, reader)
      while let key = try frame.next(of: part) { try body(key, &frame) }
    }
  }
}
