import CZstd

/// Makes zstd frames.
package enum ZstdFrame {
  /// Appends `bytes` as one frame to `output`.
  package static func compress(
    _ bytes: ByteView, level: Int, checksum: Bool = true, contentSize: Bool = true,
    into output: inout ByteBuffer
  ) throws(Failure) {
    guard let context = unsafe ZSTD_createCCtx() else {
      throw Failure(.io, doing: "compressing", why: "there is no memory left")
    }
    defer { unsafe ZSTD_freeCCtx(context) }
    unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Int32(level))
    unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0)
    unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, contentSize ? 1 : 0)
    unsafe output.append(room: ZSTD_compressBound(bytes.count)) { target in
      unsafe bytes.withUnsafeBytes { source in
        let size = unsafe ZSTD_compress2(
          context, target.baseAddress, target.count, source.baseAddress, source.count)
        precondition(ZSTD_isError(size) == 0, "a frame did not fit into its bound")
        return size
      }
    }
  }
}
