import CZstd

/// Decompresses zstd frame after frame, in pieces of any size.
///
/// As much as possible is delivered before a fault: the library gets one block of a frame at a
/// time, and its output is drained before it gets more. (Only inside a block that is not
/// compressed, in a frame longer than it claims, does the result depend on how the input was cut.)
/// For one thread at a time.
struct ZstdDecoder: ~Copyable {
  /// The largest window accepted, as a power of two: 128 MiB, the default of `zstd -d`.
  static let windowLog = 27
  /// Bytes of a block header; the library's hint for its next input includes the next header.
  private static let blockHeader = 3

  private let library: ZstdDecompressor

  /// Number of data frames that were decompressed completely, and so the number of the next one.
  private(set) var frame = 0
  private(set) var produced = 0
  /// Whether the bytes consumed so far end with a whole frame.
  private(set) var isBetweenFrames = true
  private var isSkippable = false
  /// The value of ``produced`` when the current data frame began.
  private var frameStart = 0
  /// The first bytes of the current data frame.
  private var header = ByteBuffer(capacity: Zstd.longestHeader)
  private var wanted = 1
  /// Whether the library may hold decompressed bytes that did not fit.
  private var mayHoldOutput = false
  /// A fault that was found after bytes had been written.
  private var fault: ZstdError?

  init() throws(ZstdError) {
    guard let library = try? ZstdDecompressor() else {
      throw ZstdError(reason: .memory, frame: 0, offset: 0)
    }
    library.limitWindow(Self.windowLog)
    self.library = library
  }

  /// Skips `frames` whole frames of `bytes` bytes of content that were decompressed elsewhere
  /// (``ZstdDecompressor``), so that later faults have the right position in the file.
  mutating func skip(frames: Int, bytes: Int) {
    precondition(isBetweenFrames, "only whole frames can be passed over")
    frame += frames
    produced += bytes
  }

  /// Consumes bytes of `input` from `consumed` on, and appends up to `room` decompressed bytes to
  /// `output`. Returns how many; 0 only when all of `input` is consumed and the library holds no
  /// output, or, with `stopsAtFrameEnd`, when the frame that this call began with has ended.
  /// - Throws: when nothing could be written before the fault. A fault after bytes were written is
  ///   thrown by the next call. Every later call throws it again.
  mutating func decode(
    _ input: ByteView, consumed: inout Int, room: Int, stopsAtFrameEnd: Bool = false,
    into output: inout ByteBuffer
  ) throws(ZstdError) -> Int {
    if let fault { throw fault }
    let start = output.count
    let firstByte = consumed
    do throws(ZstdError) {
      while output.count - start < room {
        // Held bytes first, by a separate call: a fault in the next input would lose them.
        if !mayHoldOutput {
          guard consumed < input.count else { break }
          if isBetweenFrames {
            if stopsAtFrameEnd && consumed > firstByte { break }
            try beginFrame(input[consumed])
          }
        }
        let block = wanted > Self.blockHeader ? wanted - Self.blockHeader : wanted
        let given = mayHoldOutput ? 0 : min(block, input.count - consumed)
        consumed += try step(
          input[consumed..<consumed + given], room: room - (output.count - start), into: &output)
      }
    } catch {
      fault = error
      if output.count == start { throw error }
    }
    return output.count - start
  }

  /// Declares the end of the input. Throws, when it ends inside a frame.
  func finish() throws(ZstdError) {
    if let fault { throw fault }
    if !isBetweenFrames { throw error(.truncated) }
  }

  private mutating func beginFrame(_ byte: UInt8) throws(ZstdError) {
    isSkippable = ZstdMagic.opensSkippableFrame(byte)
    guard isSkippable || ZstdMagic.opensDataFrame(byte) else { throw error(.noFrame) }
    isBetweenFrames = false
    frameStart = produced
    header.removeAll()
  }

  /// One call of the library. Returns the number of bytes of `input` consumed.
  private mutating func step(
    _ input: ByteView, room: Int, into output: inout ByteBuffer
  ) throws(ZstdError) -> Int {
    if header.count < Zstd.longestHeader {
      header.append(input[0..<min(input.count, Zstd.longestHeader - header.count)])
    }
    let before = output.count
    let (result, taken) = library.step(input, room: room, into: &output)
    let written = output.count - before
    produced += written
    if ZSTD_isError(result) != 0 { throw error(reason(result)) }
    mayHoldOutput = written == room
    if result == 0 {
      isBetweenFrames = true
      wanted = 1
      if !isSkippable { frame += 1 }
    } else {
      wanted = result
    }
    return taken
  }

  private func error(_ reason: ZstdError.Reason) -> ZstdError {
    ZstdError(reason: reason, frame: frame, offset: produced)
  }

  private func reason(_ result: Int) -> ZstdError.Reason {
    switch ZSTD_getErrorCode(result) {
    case ZSTD_error_prefix_unknown: .noFrame
    case ZSTD_error_checksum_wrong: .checksum
    case ZSTD_error_dictionary_wrong: .dictionary(Zstd.dictionary(header.view))
    // A block with the tables of the block before it, and there is none.
    case ZSTD_error_dictionary_corrupted: .damagedOrDictionary
    // A copy of bytes before the frame.
    case ZSTD_error_corruption_detected where produced == frameStart: .damagedOrDictionary
    case ZSTD_error_memory_allocation: .memory
    case ZSTD_error_frameParameter_windowTooLarge:
      .windowTooLarge(needed: Zstd.windowSize(header.view) ?? Int.max, limit: 1 << Self.windowLog)
    default: .damaged(Zstd.words(result))
    }
  }
}
