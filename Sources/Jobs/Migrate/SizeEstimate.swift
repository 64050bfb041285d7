import Dispatch
import Pipeline

/// How many bytes text will have when it is written as frames, and how long compressing it will
/// take: by a sample, one frame of a few.
///
/// Memory is one frame. One thread at a time.
struct SizeEstimate: ~Copyable {
  /// One of so many frames is compressed.
  static let every = 8

  private let encoder: ZstdEncoder
  /// The text of the frame that is being filled, if it is one of the sample.
  private var sample = ByteBuffer()
  private var compressed = ByteBuffer()
  private var frames = 0
  /// Bytes in the frame that is being filled.
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

  /// Bytes it will have, about.
  var bytes: Int { Int(Double(sampledBytes) * scale) }

  /// Seconds of work that compressing all of it takes, about.
  var seconds: Double { Double(nanoseconds) / 1e9 * scale }

  /// Seconds of work that went into the sample.
  var sampleSeconds: Double { Double(nanoseconds) / 1e9 }

  private var scale: Double { sampledText > 0 ? Double(textBytes) / Double(sampledText) : 0 }

  /// Takes the next lines of a file.
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
