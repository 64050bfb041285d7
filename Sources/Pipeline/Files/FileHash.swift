/// Length and XXH64 of a file on disk.
package struct FileHash: Hashable, Sendable {
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
    let file = try PositionedFile(path, doing: doing)
    self.init(bytes: file.size, xxh64: try file.hash(each))
  }
}
