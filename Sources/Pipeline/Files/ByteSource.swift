/// Where the decompressed bytes of an input come from.
protocol ByteSource: AnyObject {
  /// Appends up to `limit` of the next bytes to `buffer` and returns how many; 0 at the end.
  /// - Throws: only when it has appended nothing in this call. What was read before a fault is
  ///   handed out first, the fault comes with the next call.
  func read(_ limit: Int, into buffer: inout ByteBuffer) throws(Failure) -> Int

  /// Reads as much as there is room for before it is asked for. Returns whether that was all there
  /// is. Keeps a fault for the call of ``read(_:into:)`` whose turn it is.
  func readAhead() -> Bool
}

extension ByteSource {
  func readAhead() -> Bool { false }
}

/// An input that is not compressed: read straight into the block.
final class PlainSource: ByteSource {
  private let raw: RawInput

  init(_ raw: RawInput) { self.raw = raw }

  func read(_ limit: Int, into buffer: inout ByteBuffer) throws(Failure) -> Int {
    try raw.read(limit, into: &buffer)
  }
}
