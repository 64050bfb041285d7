/// Length and XXH64 of a file on disk.
package struct FileHash: Hashable, Sendable {
  private static let chunk = 1 << 20

  /// Length in bytes.
  package var bytes: Int
  /// XXH64 of the bytes, seed 0.
  package var xxh64: UInt64

  package init(bytes: Int = 0, xxh64: UInt64 = 0) {
    self.bytes = bytes
    self.xxh64 = xxh64
  }

  /// Reads the file `path` completely. `each` is called with every piece in order, and may stop the
  /// reading by throwing. Complexity: O(bytes); memory is one chunk.
  /// - Throws: `io` when the file cannot be read; what `each` throws.
  package init(
    of path: String, doing: String, each: (ByteView) throws(Failure) -> Void = { _ in }
  ) throws(Failure) {
    let descriptor = try Descriptor(reading: path, doing: doing)
    var hash = XXH64()
    var bytes = 0
    var piece = ByteBuffer(capacity: FileHash.chunk)
    while true {
      piece.removeAll()
      let read = try System.explained(
        doing, path, for: .reading, descriptor.read(FileHash.chunk, into: &piece))
      guard read > 0 else { break }
      hash.update(piece.view)
      bytes += read
      try each(piece.view)
    }
    self.init(bytes: bytes, xxh64: hash.digest)
  }
}
