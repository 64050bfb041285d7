import CZstd

/// The compression library. All its calls that access memory are in this file.
package enum Zstd {
  /// The version of libzstd in use, as in `1.5.4`.
  package static var versionText: String { unsafe String(cString: ZSTD_versionString()) }

  /// The library's text for an error result.
  static func words(_ result: Int) -> String { unsafe String(cString: ZSTD_getErrorName(result)) }

  /// The length of the frame that begins with `bytes`, or an error.
  static func frameLength(_ bytes: ByteView) -> Int {
    unsafe ZSTD_findFrameCompressedSize(bytes.base, bytes.count)
  }

  /// The length of the content of that frame, when its header is complete and contains it.
  static func contentLength(_ bytes: ByteView) -> Int? {
    let size = unsafe ZSTD_getFrameContentSize(bytes.base, bytes.count)
    // The two greatest numbers mean "unknown" and "no header".
    return size >= UInt64(bitPattern: -2) ? nil : Int(clamping: size)
  }

  /// Bytes in the longest header of a data frame (RFC 8878, 3.1.1.1).
  static let longestHeader = 18

  /// The window size, in bytes, of the data frame that begins with `bytes`; nil when its header is
  /// incomplete.
  static func windowSize(_ bytes: ByteView) -> Int? {
    guard bytes.count > 5 else { return nil }
    // Without a window of its own it is the whole content.
    if bytes[4] & 0x20 != 0 { return contentLength(bytes) }
    let base = 1 << (10 + Int(bytes[5] >> 3))
    return base + base / 8 * Int(bytes[5] & 7)
  }

  /// The id of the dictionary that the frame needs; 0 when its header is incomplete or has none.
  static func dictionary(_ bytes: ByteView) -> Int {
    Int(unsafe ZSTD_getDictID_fromFrame(bytes.base, bytes.count))
  }
}

/// The library's state for decompression. For one thread at a time.
@safe
struct ZstdDecompressor: ~Copyable {
  // SAFETY: made by `ZSTD_createDCtx`, never nil, freed in `deinit`, used here only.
  private let context: OpaquePointer

  init() throws(Failure) {
    guard let context = unsafe ZSTD_createDCtx() else {
      throw Failure(.io, doing: "preparing decompression", why: "out of memory", mayPass: true)
    }
    unsafe self.context = unsafe context
  }

  deinit { unsafe ZSTD_freeDCtx(context) }

  /// Makes ``step`` reject frames whose window is larger than 2^`log` bytes (10 to 31).
  func limitWindow(_ log: Int) {
    let result = unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Int32(log))
    precondition(ZSTD_isError(result) == 0, "the library refused a window within its bounds")
  }

  /// Decompresses some of `input`, the next bytes of a sequence of frames, and appends up to `room`
  /// bytes to `output`. Returns the library's result, and the number of bytes of `input` consumed.
  func step(
    _ input: ByteView, room: Int, into output: inout ByteBuffer
  ) -> (result: Int, taken: Int) {
    var (result, taken) = (0, 0)
    unsafe output.append(room: room) { target in
      // SAFETY: both buffers describe memory that is valid during the call.
      var from = unsafe ZSTD_inBuffer(src: input.base, size: input.count, pos: 0)
      var to = unsafe ZSTD_outBuffer(dst: target, size: room, pos: 0)
      result = unsafe ZSTD_decompressStream(context, &to, &from)
      taken = unsafe from.pos
      return unsafe to.pos
    }
    return (result, taken)
  }

  /// Appends the content of `frames`, whole frames with `content` bytes of content in total, to
  /// `output`: in one call, without the window and the copying that ``step`` needs. False when they
  /// are damaged or have another length; then nothing is appended.
  func decode(_ frames: ByteView, content: Int, into output: inout ByteBuffer) -> Bool {
    var isWhole = false
    unsafe output.append(room: content) { target in
      // SAFETY: both buffers describe memory that is valid during the call.
      let written = unsafe ZSTD_decompressDCtx(
        context, target, content, frames.base, frames.count)
      isWhole = written == content
      return isWhole ? content : 0
    }
    return isWhole
  }
}

/// Makes zstd frames, whose bytes depend only on the text, the settings and the version of libzstd,
/// not on frames made before. The whole text is available when a frame begins, so the window is
/// never larger than the text. One thread at a time; one encoder per thread.
@safe
package final class ZstdEncoder {
  /// The levels of compression: 1 is the fastest, 19 the smallest without extra memory.
  package static let levels = 1...19
  /// A level that compresses less than ``levels``, in less time.
  package static let fastest = -1

  // SAFETY: `context` is a live context of this encoder alone, from init to deinit.
  private let context: OpaquePointer

  /// An encoder for frames of that level, with the length of their text and its checksum.
  package init(level: Int) throws(Failure) {
    precondition(
      ZstdEncoder.levels.contains(level) || level == ZstdEncoder.fastest,
      "a zstd level is one of 1 to 19, or the fastest")
    guard let created = unsafe ZSTD_createCCtx() else {
      throw Failure(
        .io, doing: "preparing compression", why: "out of memory",
        advice: ["free some memory", "use fewer --jobs"], mayPass: true)
    }
    unsafe context = created
    set(ZSTD_c_compressionLevel, Int32(level))
    set(ZSTD_c_checksumFlag, 1)
  }

  deinit { unsafe ZSTD_freeCCtx(context) }

  private func set(_ parameter: ZSTD_cParameter, _ value: Int32) {
    let result = unsafe ZSTD_CCtx_setParameter(context, parameter, value)
    precondition(ZSTD_isError(result) == 0, "libzstd knows the parameters of its stable interface")
  }

  /// Appends `bytes` as one frame to `buffer`.
  /// - Throws: `io`, when there is no memory.
  package func compress(_ bytes: ByteView, into buffer: inout ByteBuffer) throws(Failure) {
    precondition(!buffer.holds(bytes), "a frame cannot be appended to the buffer it is made from")
    let room = ZSTD_compressBound(bytes.count)
    try unsafe buffer.append(room: room) { target throws(Failure) in
      let length = unsafe ZSTD_compress2(context, target, room, bytes.base, bytes.count)
      guard ZSTD_isError(length) == 0 else {
        throw Failure(
          .io, doing: "compressing", why: Zstd.words(length),
          advice: ["free some memory", "use fewer --jobs"], mayPass: true)
      }
      return length
    }
  }
}
