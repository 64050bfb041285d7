import CZstd

/// Decompresses whole frames of known length in one go: without the window and the copying that
/// ``ZstdDecoder`` needs for frames that come in pieces. For one thread at a time.
@safe
struct ZstdFrameDecoder: ~Copyable {
  // SAFETY: made by `ZSTD_createDCtx`, never nil, freed in `deinit`, used by nobody else.
  private let context: OpaquePointer

  /// Nil when there is no memory.
  init?() {
    guard let context = unsafe ZSTD_createDCtx() else { return nil }
    unsafe self.context = unsafe context
  }

  deinit { unsafe ZSTD_freeDCtx(context) }

  /// Appends the content of `frames`, whole frames with `content` bytes of content in all, to
  /// `output`. False when they are damaged or have another length; then nothing is appended.
  func decode(_ frames: ByteView, content: Int, into output: inout ByteBuffer) -> Bool {
    var isWhole = false
    unsafe output.append(room: content) { target in
      // SAFETY: both buffers describe memory that is valid during the call.
      let written = unsafe frames.withUnsafeBytes { source in
        unsafe ZSTD_decompressDCtx(
          context, target.baseAddress, target.count, source.baseAddress, source.count)
      }
      isWhole = written == content
      return isWhole ? content : 0
    }
    return isWhole
  }
}
