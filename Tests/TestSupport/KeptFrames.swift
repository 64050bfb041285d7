package import Pipeline

/// Takes frames and keeps them.
package final class KeptFrames: FrameTarget {
  package struct Frame: Equatable {
    package let bytes: [UInt8]
    package let written: WrittenFrame
  }

  package private(set) var frames: [Frame] = []

  package init() {}

  package func append(
    _ frames: ArraySlice<WrittenFrame>, _ bytes: ByteView
  ) throws(Failure) {
    var start = 0
    for frame in frames {
      let end = start + frame.compressed
      self.frames.append(Frame(bytes: bytes[start..<end].array, written: frame))
      start = end
    }
  }
}
