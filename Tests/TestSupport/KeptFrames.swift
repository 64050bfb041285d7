package import Pipeline

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
    try frames.forEach(in: bytes) { frame, bytes throws(Failure) in
      self.frames.append(Frame(bytes: bytes.array, written: frame))
    }
  }
}
