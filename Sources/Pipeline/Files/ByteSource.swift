/// Where the decompressed bytes of an input come from.
protocol ByteSource: AnyObject {
  /// Appends up to `limit` of the next bytes to `buffer` and returns how many; 0 at the end.
  /// - Throws: only when it has appended nothing in this call. What was read before a fault is
  ///   handed out first, the fault comes with the next call.
  func read(_ limit: Int, into buffer: inout ByteBuffer) throws(Failure) -> Int
}

/// An input that is not compressed: read straight into the block.
final class PlainSource: ByteSource {
  private let raw: RawInput

  init(_ raw: RawInput) { self.raw = raw }

  func read(_ limit: Int, into buffer: inout ByteBuffer) throws(Failure) -> Int {
    try raw.read(limit, into: &buffer)
  }
}

/// A zstd input: frame after frame, decompressed straight into the block.
final class ZstdSource: ByteSource {
  /// How many compressed bytes are read at a time: as many as the largest block of a frame has.
  private static let chunk = 128 << 10

  private let raw: RawInput
  private var decoder: ZstdDecoder
  private var compressed = ByteBuffer(capacity: ZstdSource.chunk)
  private var consumed = 0
  private var isAtEnd = false
  private var fault: Failure?

  init(_ raw: RawInput, windowLog: Int) throws(Failure) {
    self.raw = raw
    do {
      decoder = try ZstdDecoder(windowLog: windowLog)
    } catch {
      throw error.failure(doing: RawInput.doing, path: raw.file.name)
    }
  }

  func read(_ limit: Int, into buffer: inout ByteBuffer) throws(Failure) -> Int {
    while true {
      do {
        let written = try decoder.decode(
          compressed.view, consumed: &consumed, room: limit, into: &buffer)
        if written > 0 { return written }
        if isAtEnd {
          try decoder.finish()
          return 0
        }
      } catch {
        throw error.failure(doing: RawInput.doing, path: raw.file.name)
      }
      try refill()
    }
  }

  /// Reads the next chunk. Only the last one is not full, however the bytes come in, so that what is
  /// read of a damaged file does not depend on that.
  private func refill() throws(Failure) {
    compressed.removeAll()
    consumed = 0
    while compressed.count < ZstdSource.chunk && !isAtEnd {
      if let fault { throw fault }
      do {
        isAtEnd = try raw.read(ZstdSource.chunk - compressed.count, into: &compressed) == 0
      } catch {
        // What came before is decompressed first.
        fault = error
        if !compressed.isEmpty { return }
      }
    }
  }
}
