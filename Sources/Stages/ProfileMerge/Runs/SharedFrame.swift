import Pipeline

/// A frame that several ranges share.
struct SharedFrame {
  /// Its keys; nil when all were read.
  var frame: Frozen<KeyFrame>?
  var unread: Int
  /// A limit between ranges, and the offset of the first key after it.
  var lower: [UInt8] = []
  var offset = 0
}

/// Ranges that together cover a section, each key once, and are read to their ends: a frame that
/// extends beyond one of them is decoded once for all, and kept until each of its keys was read.
extension SortedRun {
  /// The keys of frame `number`, described by `entry`, and where among them to search for `lower`;
  /// nil when all of them were read.
  /// - Throws: `corrupt`, `io`.
  func share(
    frame number: Int, _ entry: FrameEntry, from lower: ByteView?, _ reader: KeyFrameReader
  ) throws(Failure) -> (frame: Frozen<KeyFrame>, offset: Int)? {
    // Decoded under the lock: another thread that needs a frame of this run usually needs this one.
    try shared.withLock { frames throws(Failure) in
      if let known = frames[number] {
        let isBefore = lower.map { lower in ByteView.with(known.lower) { lower < $0 } }
        let offset = isBefore ?? true ? 0 : known.offset
        return known.frame.map { ($0, offset) }
      }
      var frame = KeyFrame()
      try reader.read(entry, of: self, into: &frame)
      let kept = Frozen(frame)
      frames[number] = SharedFrame(frame: kept, unread: entry.entry.state.lines)
      return (kept, 0)
    }
  }

  /// Records that a range has read `keys` keys of a shared frame, and that those from its upper
  /// limit on begin at `offset`.
  func finish(shared number: Int, keys: Int, upper: ByteView?, offset: Int) {
    shared.withLock { frames in
      guard var frame = frames[number], frame.unread >= keys else {
        preconditionFailure("ranges that share a frame read each of its keys once")
      }
      frame.unread -= keys
      if frame.unread == 0 { frame.frame = nil }
      if let upper, frame.offset < offset { (frame.lower, frame.offset) = (upper.array, offset) }
      frames[number] = frame
    }
  }
}
