import CZstd

/// Makes zstd frames, each independent of the others.
///
/// A frame's bytes follow from its text, the settings and the version of libzstd alone: not from
/// the frames made before with the same encoder. The whole text is at hand when a frame begins, so
/// the window is never larger than the text. One thread at a time; one encoder per thread.
@safe
package final class ZstdEncoder {
  /// The levels of compression: 1 is the fastest, 19 the smallest without extra memory.
  package static let levels = 1...19

  // SAFETY: `context` is a live context of this encoder alone, from init to deinit.
  private let context: OpaquePointer

  /// An encoder for frames of that level.
  /// - Parameters:
  ///   - checksum: whether a frame ends with a checksum of its text.
  ///   - contentSize: whether a frame begins with the length of its text.
  /// - Throws: `io`, when there is no memory.
  package init(level: Int, checksum: Bool = true, contentSize: Bool = true) throws(Failure) {
    precondition(ZstdEncoder.levels.contains(level), "a zstd level is one of 1 to 19")
    guard let created = unsafe ZSTD_createCCtx() else {
      throw Failure(
        .io, doing: "preparing compression", why: "out of memory", advice: "use fewer --jobs")
    }
    unsafe context = created
    set(ZSTD_c_compressionLevel, Int32(level))
    set(ZSTD_c_checksumFlag, checksum ? 1 : 0)
    set(ZSTD_c_contentSizeFlag, contentSize ? 1 : 0)
  }

  deinit { unsafe ZSTD_freeCCtx(context) }

  private func set(_ parameter: ZSTD_cParameter, _ value: Int32) {
    let result = unsafe ZSTD_CCtx_setParameter(context, parameter, value)
    precondition(ZSTD_isError(result) == 0, "libzstd knows the parameters of its stable interface")
  }

  /// Appends `bytes` as one frame to `buffer`. Complexity: O(`bytes.count`), and the level's
  /// factor.
  /// - Throws: `io`, when there is no memory.
  package func compress(_ bytes: ByteView, into buffer: inout ByteBuffer) throws(Failure) {
    precondition(!buffer.holds(bytes), "a frame cannot be appended to the buffer it is made from")
    try unsafe buffer.append(room: ZSTD_compressBound(bytes.count)) {
      room throws(Failure) in
      let length = unsafe bytes.withUnsafeBytes { text in
        unsafe ZSTD_compress2(
          context, room.baseAddress, room.count, text.baseAddress, text.count)
      }
      guard ZSTD_isError(length) == 0 else {
        throw Failure(
          .io, doing: "compressing", why: unsafe String(cString: ZSTD_getErrorName(length)),
          advice: "use fewer --jobs, so that less memory is needed")
      }
      return length
    }
  }
}

/// One zstd frame, without an encoder to keep.
package enum ZstdFrame {
  /// Appends `bytes` as one independent frame to `buffer`; see ``ZstdEncoder``, which is cheaper
  /// for more than one frame.
  /// - Throws: `io`, when there is no memory.
  package static func compress(
    _ bytes: ByteView, level: Int, checksum: Bool = true, contentSize: Bool = true,
    into buffer: inout ByteBuffer
  ) throws(Failure) {
    let encoder = try ZstdEncoder(level: level, checksum: checksum, contentSize: contentSize)
    try encoder.compress(bytes, into: &buffer)
  }
}
