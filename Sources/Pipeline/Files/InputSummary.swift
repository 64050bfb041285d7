/// What was read of one input.
package struct InputSummary: Sendable, Equatable {
  /// How it is compressed.
  package let compression: Compression
  /// Bytes read as they lie on disk.
  package let compressedBytes: Int
  /// XXH64, seed 0, of those bytes; the file's own after a whole reading.
  package let hash: UInt64
  /// Bytes that came out of the decompressor.
  package let decompressedBytes: Int
  /// Lines delivered in blocks; one that is too long counts, too.
  package let lines: Int

  package init(
    compression: Compression, compressedBytes: Int, hash: UInt64, decompressedBytes: Int,
    lines: Int
  ) {
    self.compression = compression
    self.compressedBytes = compressedBytes
    self.hash = hash
    self.decompressedBytes = decompressedBytes
    self.lines = lines
  }
}
