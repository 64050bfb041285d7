/// Whether a file is a log: if its first line that is not blank is a JSON object, unless the file
/// is short and has no record; or if its records are not its lines and the first is one.
enum LogProbe {
  /// Bytes of the longest first line that is examined; a longer one is that of a log.
  private static let longest = 16 << 20
  /// Bytes by which a file that is not a log is recognised.
  private static let sample = 1 << 10
  /// Bytes of the longest file that is searched for a record.
  private static let short = 1 << 20
  /// Bytes that are read at once.
  private static let step = 64 << 10

  /// What `file`, a regular one, is, by `naming` or `strays` if it has content; nil for a log. One
  /// that cannot be decompressed so far counts as a log: then the job that reads it reports why.
  /// - Throws: `io`, when it cannot be read now, but perhaps later.
  static func what(
    _ file: InputFile, _ naming: InputDiscovery.Naming, _ strays: InputDiscovery.Strays,
    _ system: System
  ) throws(Failure) -> String? {
    let input: (raw: RawInput, compression: Compression)
    do throws(Failure) {
      let raw = try RawInput(file, hashes: false, position: ReadPosition(), system: system)
      input = (raw, try raw.detect())
    } catch {
      if error.mayPass { throw error }
      return "not readable (\(error.why))"
    }
    guard let source = try? OpenedInput.source(of: input.raw, input.compression) else { return nil }
    var bytes = ByteBuffer(capacity: step)
    var isAtEnd = false
    while true {
      let content = bytes.view.dropFirst(start(of: bytes.view))
      let beginning = content[0..<min(content.count, sample)]
      let end = content.firstIndex(of: JSONByte.lineFeed) ?? (isAtEnd ? content.count : nil)
      if isAtEnd && content.isEmpty { return "empty" }
      if case .records(let form) = RecordCutter.detect(content, isAtEnd: isAtEnd) {
        var cutter = RecordCutter(form)
        if let first = cutter.next(in: content, isAtEnd: isAtEnd) {
          let record = inOneLine(content[first.start..<first.end])
          return isObject(record.view) ? strays(record.view, true) : naming(beginning)
        }
        if isAtEnd { return naming(beginning) }
        if bytes.count > short { return nil }
      } else if content.count > 0, content[0] != JSONByte.openBrace {
        // A signature may be behind the first bytes.
        if isAtEnd || bytes.count >= sample { return naming(bytes[0..<min(bytes.count, sample)]) }
      } else if let end {
        guard isObject(content[0..<end]) else { return naming(beginning) }
        // Several lines, or the zeros that a crash has left, are of a log that cannot be read.
        guard (end..<content.count).allSatisfy({ JSONByte.isSpace(content[$0]) }),
          content.firstIndex(of: 0) == nil, bytes.count <= short,
          let what = strays(content[0..<end], false)
        else { return nil }
        if isAtEnd { return what }
      } else if bytes.count > longest {
        return nil
      }
      guard let read = try? source.read(step, into: &bytes) else { return nil }
      isAtEnd = read == 0
    }
  }

  /// What `file`, a regular one that is named like a log, is by `strays` if it is a document: one
  /// JSON object in several lines, as no log begins. Nil for anything else.
  static func document(
    _ file: InputFile, _ strays: InputDiscovery.Strays, _ system: System
  ) -> String? {
    guard InputDiscovery.mayBeDocument(file.path), let size = file.size, size <= short,
      let opened = try? PositionedFile(file.path, doing: InputDiscovery.doing, system: system)
    else { return nil }
    var bytes = ByteBuffer(capacity: sample)
    guard (try? opened.read(0..<min(sample, size), into: &bytes)) != nil else { return nil }
    let beginning = bytes.view.dropFirst(start(of: bytes.view))
    guard beginning.count > 1, beginning[0] == JSONByte.openBrace,
      let end = beginning.firstIndex(of: JSONByte.lineFeed),
      (1..<end).allSatisfy({ JSONByte.isSpace(beginning[$0]) })
    else { return nil }
    bytes.removeAll()
    guard (try? opened.read(0..<size, into: &bytes)) != nil else { return nil }
    let line = inOneLine(bytes.view.dropFirst(start(of: bytes.view)))
    return isObject(line.view) ? strays(line.view, true) : nil
  }

  /// The text of a record in one line.
  private static func inOneLine(_ text: ByteView) -> ByteBuffer {
    var line = ByteBuffer(capacity: text.count)
    RecordLines.append(text, to: &line)
    return line
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
  static func start(of bytes: ByteView) -> Int {
    let mark = BlockReader.byteOrderMark
    var start = bytes.starts(with: mark) ? mark.count : 0
    while start < bytes.count, JSONByte.isSpace(bytes[start]) { start += 1 }
    return start
  }
}
