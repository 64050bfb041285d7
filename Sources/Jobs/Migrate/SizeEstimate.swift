import Dispatch
import Pipeline

/// Estimates the size of text compressed into frames, and the time of compression, from a sample of
/// the frames.
///
/// Memory is one frame. One thread at a time.
struct SizeEstimate: ~Copyable {
  /// One in this many frames is compressed.
  static let every = 8

  private let encoder: ZstdEncoder
  /// The text of the current frame, if it is part of the sample.
  private var sample = ByteBuffer()
  private var compressed = ByteBuffer()
  private var frames = 0
  /// Bytes in the current frame.
  private var filled = 0
  private var textBytes = 0
  private var sampledText = 0
  private var sampledBytes = 0
  private var nanoseconds: UInt64 = 0

  /// An estimate for frames of that level.
  /// - Throws: `io`, when there is no memory to compress with.
  init(level: Int) throws(Failure) { encoder = try ZstdEncoder(level: level) }

  /// Bytes of all text so far.
  var text: Int { textBytes }

  /// Estimated compressed bytes.
  var bytes: Int { Int(Double(sampledBytes) * scale) }

  /// Estimated seconds of work to compress everything.
  var seconds: Double { Double(nanoseconds) / 1e9 * scale }

  /// Seconds of work spent on the sample.
  var sampleSeconds: Double { Double(nanoseconds) / 1e9 }

  private var scale: Double { sampledText > 0 ? Double(textBytes) / Double(sampledText) : 0 }

  /// Adds the next lines of a file.
  /// - Throws: `io`, when there is no memory to compress with.
  mutating func append(_ piece: ByteView) throws(Failure) {
    if frames % Self.every == 0 { sample.append(piece) }
    filled += piece.count
    textBytes += piece.count
    if filled >= SeekableTextWriter.frameText { try endFrame() }
  }

  /// Ends a file.
  /// - Throws: as ``append(_:)``.
  mutating func endFile() throws(Failure) { if filled > 0 { try endFrame() } }

  private mutating func endFrame() throws(Failure) {
    filled = 0
    frames += 1
    guard !sample.isEmpty else { return }
    let start = DispatchTime.now().uptimeNanoseconds
    compressed.removeAll()
    try encoder.compress(sample.view, into: &compressed)
    nanoseconds += DispatchTime.now().uptimeNanoseconds - start
    sampledText += sample.count
    sampledBytes += compressed.count
    sample.removeAll()
    sample.shrink(to: 2 * SeekableTextWriter.frameText)
  }
}
