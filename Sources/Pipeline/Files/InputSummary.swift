/// What was read of one input.
package struct InputSummary: Sendable, Equatable {
  /// How it is compressed.
  package let compression: Compression
  /// Bytes read as they lie on disk.
  package let compressedBytes: Int
  private let digest: UInt64?
  /// Bytes that came out of the decompressor.
  package let decompressedBytes: Int
  /// Lines delivered in blocks; one that is too long counts, too.
  package let lines: Int

  package init(
    compression: Compression, compressedBytes: Int, hash: UInt64?, decompressedBytes: Int,
    lines: Int
  ) {
    self.compression = compression
    self.compressedBytes = compressedBytes
    digest = hash
    self.decompressedBytes = decompressedBytes
    self.lines = lines
  }

  /// XXH64, seed 0, of the bytes on disk; the file's own after a whole reading, in which it was
  /// asked for.
  package var hash: UInt64 {
    guard let digest else { preconditionFailure("the input was read without its hash") }
    return digest
  }
}
