/// The beginning of a file whose name does not show whether it is a log: one is, if its first line
/// that is not blank is a JSON object.
enum LogProbe {
  /// Bytes of the longest first line that is examined; a longer one is that of a log.
  private static let longest = 16 << 20
  /// Bytes by which a file that is not a log is recognised.
  private static let sample = 1 << 10
  /// Bytes that are read at once.
  private static let step = 64 << 10

  /// What `file`, a regular one, is, by `naming` if it has content; nil for a log. One that cannot
  /// be decompressed so far counts as a log: then the job that reads it reports why.
  ///
  /// - Throws: `io`, when it cannot be read now, but perhaps later.
  static func what(
    _ file: InputFile, _ naming: InputDiscovery.Naming, _ system: System
  ) throws(Failure) -> String? {
    let raw: RawInput
    let compression: Compression
    do throws(Failure) {
      raw = try RawInput(file, hashes: false, position: ReadPosition(), system: system)
      compression = try raw.detect()
    } catch {
      if error.mayPass { throw error }
      return "not readable (\(error.why))"
    }
    guard let source = try? OpenedInput.source(of: raw, compression) else { return nil }
    var bytes = ByteBuffer(capacity: step)
    var isAtEnd = false
    while true {
      let content = bytes.view.dropFirst(start(of: bytes.view))
      let end = content.firstIndex(of: JSONByte.lineFeed) ?? (isAtEnd ? content.count : nil)
      if isAtEnd && content.isEmpty { return "empty" }
      if content.count > 0, content[0] != JSONByte.openBrace {
        // A signature may be behind the first bytes.
        if isAtEnd || bytes.count >= sample { return naming(bytes[0..<min(bytes.count, sample)]) }
      } else if let end {
        return isObject(content[0..<end]) ? nil : naming(content[0..<min(content.count, sample)])
      } else if bytes.count > longest {
        return nil
      }
      guard let read = try? source.read(step, into: &bytes) else { return nil }
      isAtEnd = read == 0
    }
  }

  /// Whether the line is a JSON object, or one that a crash has cut: then zero bytes follow.
  private static func isObject(_ line: ByteView) -> Bool {
    do throws(JSONDocument.Fault) {
      return try JSONDocument(line).root.kind == .object
    } catch {
      guard case .invalidJSON(let offset, _) = error else { return false }
      return offset < line.count && line[offset] == 0
    }
  }

  /// The offset of the first byte that is neither blank nor of a byte order mark.
  private static func start(of bytes: ByteView) -> Int {
    let mark = BlockReader.byteOrderMark
    let isMarked = bytes.count >= mark.count && mark.indices.allSatisfy { bytes[$0] == mark[$0] }
    var start = isMarked ? mark.count : 0
    while start < bytes.count, JSONByte.isSpace(bytes[start]) { start += 1 }
    return start
  }
}
