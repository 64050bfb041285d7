/// Reads one input and cuts it into blocks of whole lines, or of whole records where these are not
/// the lines (``RecordLines``).
///
/// ```
/// block.content   | carried | decompressed into the block …        \n| next line's begin |
/// delivered       | whole lines                                    \n|
/// carry                                                              | next line's begin |
/// ```
/// The cut line at the end of a block is copied to the next one. The blocks do not depend on how
/// the bytes came in. Memory: one block, at most one of carried bytes, the decoder's window, and
/// what ``FramePrefetcher`` holds. For one thread at a time.
package final class BlockReader {
  /// Size of a block when its lines are short, in bytes: fits into a core's own cache.
  package static let defaultBlockSize = 256 << 10
  /// A block that grew for a long line keeps at most this many times its usual size.
  private static let keptGrowth = 4
  static let byteOrderMark = ByteView("\u{FEFF}")
  /// Bytes that a line may have beyond `--max-line`: a byte order mark and a CR.
  private static let uncounted = 4

  private let file: InputFile
  private let index: Int
  private let blockSize: Int
  /// Bytes of the longest line that is buffered, without its line feed.
  private let longestLine: Int
  private let compression: Compression
  private let raw: RawInput
  /// Nil when hashes are not needed.
  private var content: ContentHash?
  /// Nil when closed.
  private var source: (any ByteSource)?

  /// From `carried` on: bytes behind the last line delivered, not delivered yet.
  private var carry = ByteBuffer()
  private var carried = 0
  private var isAtEnd = false
  private var hasBegun = false
  private let findsRecords: Bool
  /// Nil when the records are the lines.
  private var records: RecordLines?
  private var lastRecord: Int?
  /// The failure that ends the input early; thrown when all whole lines before it are delivered.
  private var fault: Failure?
  /// The content that was delivered before the fault.
  private var beginning: ContentFacts?

  /// Offset, in the decompressed file, of the first byte not delivered.
  private var offset = 0
  private var lines = 0
  private var decompressed = 0

  /// Opens `file`, number `index` of the run's inputs, and detects its compression.
  /// - Parameters:
  ///   - maxLine: longest valid line, in bytes without line end, CR and byte order mark
  ///     (data-model 2). Longer ones up to `blockSize` may come whole; the parser checks.
  ///   - findsRecords: whether an input may be an array of records, or records over several lines.
  ///   - ahead: decompresses ahead of all readers of the job. If it has cores, all calls come from
  ///     a piece of work on them.
  /// - Throws: as ``OpenedInput`` does.
  package init(
    _ file: InputFile, index: Int, maxLine: Int, findsRecords: Bool = false, hashes: Bool = true,
    blockSize: Int = BlockReader.defaultBlockSize, position: ReadPosition = ReadPosition(),
    ahead: FramePrefetcher = FramePrefetcher(nil), system: System = .real
  ) throws(Failure) {
    precondition(maxLine >= 0 && blockSize > 0, "lines and blocks have a size")
    (self.file, self.index, self.findsRecords) = (file, index, findsRecords)
    self.blockSize = blockSize
    longestLine = max(maxLine + BlockReader.uncounted, blockSize)
    let opened = try OpenedInput(
      file, hashes: hashes, position: position, ahead: ahead, system: system)
    (raw, compression, source) = (opened.raw, opened.compression, opened.source)
    content = hashes ? ContentHash(hashesWhole: compression != .none) : nil
  }

  /// The content read so far; final after the end or a fault.
  package var summary: InputSummary {
    InputSummary(
      compression: compression, compressedBytes: raw.count, hash: raw.digest,
      decompressedBytes: decompressed, lines: lines - linesBefore, lastRecord: lastRecord,
      content: contentFacts, inLongFrames: raw.inLongFrames)
  }

  /// What identifies the content, of a damaged input that before the fault; nil before its end, and
  /// without hashes.
  private var contentFacts: ContentFacts? {
    guard fault == nil else { return beginning }
    return isAtEnd ? content?.facts(file: raw.digest) : nil
  }

  /// Lines before the first one that is delivered.
  private var linesBefore: Int { hasBegun ? file.start?.lines ?? 0 : 0 }

  /// Reads ahead of ``fill(_:)``, as far as there is room, and starts decompression on other cores.
  /// Returns whether that was the rest of the file.
  package func readAhead() -> Bool { source?.readAhead() ?? true }

  /// Ends reading; ``fill(_:)`` must not be called any more, ``summary`` remains valid.
  package func close() { source = nil }

  /// Reads the rest of the file without delivering it, so that the summary covers all of it after a
  /// fault; and what was delivered once more, for its hash: what is hashed while it is read may end
  /// within a line that was not.
  /// - Throws: `io`, when the rest cannot be read, either.
  package func skipToEnd() throws(Failure) {
    close()
    if content != nil, file.isReopenable {
      beginning = try? ContentScan.beginning(of: raw, bytes: offset)
    }
    var scratch = ByteBuffer(capacity: blockSize)
    while try raw.read(blockSize, into: &scratch) > 0 { scratch.removeAll() }
  }

  /// Fills `block` with the next lines; returns false at the end.
  ///
  /// Every line in the block ends with `\n`, also the last of a file that lacks it. A line that is
  /// too long to be buffered gets its own block (``Block/overlong``).
  /// - Throws: `corrupt` for a damaged or truncated input, `io` when it cannot be read or changes
  ///   while it is read. All whole lines before the fault were delivered by then. The failure's
  ///   offset is that of the first byte not delivered. Every further call throws it again.
  package func fill(_ block: Block) throws(Failure) -> Bool {
    begin(block)
    if !hasBegun {
      hasBegun = true
      skipByteOrderMark(block)
      if findsRecords { detectRecords(block) }
      if records == nil, let start = file.start, start.offset > 0 { skip(to: start, block) }
    }
    if records != nil { return try fillRecords(block) }
    fillUp(block, to: blockSize)
    var scan = NewlineScan(block.bytes)
    while scan.last == nil && block.content.count <= longestLine {
      let scanned = block.content.count
      // One byte more than the longest line: its line feed, or the proof that it is too long.
      guard read(min(blockSize, longestLine + 1 - scanned), into: &block.content) else { break }
      scan = NewlineScan(block.bytes, from: scanned)
    }
    if endAppended(&block.content, from: offset) { scan = NewlineScan(block.bytes) }
    if scan.last == nil && block.content.count > longestLine { return try fillOverlong(block) }
    return try deliver(block, scan)
  }

  /// Reads until the block has `size` bytes.
  private func fillUp(_ block: Block, to size: Int) {
    while block.content.count < size, read(size - block.content.count, into: &block.content) {}
  }

  /// Ends the input within `text`, which begins at `first`, where a compressed log was appended to
  /// it (data-model 2); `known` as for ``Compression/findAppended(in:toRecordsFrom:)``. Returns
  /// whether there is one.
  @discardableResult
  private func endAppended(
    _ text: inout ByteBuffer, from first: Int, toRecordsFrom known: Int? = nil
  ) -> Bool {
    guard let (position, form) = Compression.findAppended(in: &text, toRecordsFrom: known) else {
      return false
    }
    let end = first + position
    let split = "split it with head -c \(end) and tail -c +\(end + 1)"
    fault = Failure(
      .corrupt, doing: RawInput.doing, path: file.name,
      why: end == 0
        ? "its content is compressed a second time: it begins with \(form.opening)"
        : "\(form.opening) begins here: a compressed log was appended to the lines",
      advice: end == 0
        ? ["decompress it again and name the result"]
        : [
          compression == .none ? split : "decompress it and \(split)",
          "use --keep-going to use the lines before",
        ])
    isAtEnd = true
    text.truncate(to: position)
    return true
  }

  /// Finds out whether the records are the lines, from the beginning of the content, which is read
  /// into `block`.
  private func detectRecords(_ block: Block) {
    fillUp(block, to: blockSize)
    var blank = 0
    func detect() -> RecordCutter.Detection {
      while blank < block.content.count, JSONByte.isSpace(block.content[blank]) { blank += 1 }
      return RecordCutter.detect(block.bytes.dropFirst(blank), isAtEnd: isAtEnd)
    }
    var found = detect()
    while found == .unknown, block.content.count <= longestLine,
      read(blockSize, into: &block.content) || isAtEnd
    { found = detect() }
    guard case .records(let form) = found else { return }
    endAppended(&block.content, from: offset, toRecordsFrom: 0)
    records = RecordLines(
      RecordCutter(form), block.bytes, at: offset,
      known: file.start?.known ?? 0, blockSize: blockSize, longest: longestLine)
    lines = linesBefore
    block.content.removeAll()
  }

  private func fillRecords(_ block: Block) throws(Failure) -> Bool {
    records?.fill(block, isAtEnd: { isAtEnd }) { text, first in
      let known = text.count
      guard read(blockSize, into: &text) else { return false }
      endAppended(&text, from: first, toRecordsFrom: known)
      return true
    }
    offset = records?.next ?? offset
    lines += block.records.count
    lastRecord = block.records.last?.line ?? lastRecord
    if let first = block.records.first {
      (block.firstLine, block.offset) = (first.line, first.offset)
    }
    block.seal()
    if block.records.isEmpty, let fault { throw located(fault) }
    return !block.records.isEmpty
  }

  /// Moves the carried bytes to the beginning of the block.
  private func begin(_ block: Block) {
    block.content.removeAll()
    block.content.shrink(to: BlockReader.keptGrowth * blockSize + Block.padding)
    block.content.reserve(blockSize + Block.padding)
    block.content.append(carry.view.dropFirst(carried))
    carry.removeAll()
    carried = 0
    (block.input, block.firstLine, block.offset, block.overlong) = (index, lines + 1, offset, nil)
    block.records.removeAll(keepingCapacity: true)
    (block.lacksLineFeed, block.lacksBracket) = (false, false)
  }

  /// Reads three bytes, and drops them if they are a byte order mark.
  private func skipByteOrderMark(_ block: Block) {
    let mark = BlockReader.byteOrderMark
    fillUp(block, to: mark.count)
    guard block.bytes == mark else { return }
    block.content.removeAll()
    offset = mark.count
    block.offset = offset
  }

  /// Passes what an earlier run has read, which counts for the hash only.
  private func skip(to start: InputStart, _ block: Block) {
    // The block may begin with it.
    let passed = min(max(start.offset - offset, 0), block.content.count)
    let rest = block.bytes.dropFirst(passed).array
    block.content.removeAll()
    block.content.append(contentsOf: rest)
    var scratch = ByteBuffer(capacity: blockSize)
    while decompressed < start.offset,
      read(min(blockSize, start.offset - decompressed), into: &scratch)
    { scratch.removeAll() }
    (offset, lines) = (start.offset, start.lines)
    (block.offset, block.firstLine) = (offset, lines + 1)
  }

  /// Appends up to `limit` bytes; false at the end or at a fault.
  private func read(_ limit: Int, into buffer: inout ByteBuffer) -> Bool {
    guard !isAtEnd && fault == nil else { return false }
    guard let source else { preconditionFailure("a closed input cannot be read") }
    do {
      let read = try source.read(limit, into: &buffer)
      decompressed += read
      if read > 0 {
        content?.update(buffer[buffer.count - read..<buffer.count])
        return true
      }
      try raw.checkUnchanged()
      isAtEnd = true
    } catch {
      fault = error
      // A file that was truncated while it was read looks damaged, but its change is the cause.
      do { try raw.checkUnchanged() } catch { fault = error }
    }
    return false
  }

  /// Delivers the whole lines of the block and carries the rest.
  private func deliver(_ block: Block, _ scan: NewlineScan) throws(Failure) -> Bool {
    let end = scan.last.map { $0 + 1 } ?? 0
    lines += scan.count
    if isAtEnd {
      offset += block.content.count
      if end < block.content.count {
        block.content.append(UInt8(ascii: "\n"))
        block.lacksLineFeed = true
        lines += 1
      }
    } else {
      // After a fault the carried bytes, a truncated line, are not used.
      carry.append(block.content[end..<block.content.count])
      block.content.truncate(to: end)
      offset += end
    }
    block.seal()
    if block.content.isEmpty, let fault { throw located(fault) }
    return !block.content.isEmpty
  }

  /// Delivers the beginning of the line that the block holds, and skips the rest of it.
  private func fillOverlong(_ block: Block) throws(Failure) -> Bool {
    var length = block.content.count
    var lastByte = block.content[length - 1]
    block.content.truncate(to: min(length, Block.keptOfOverlong))
    while true {
      carry.removeAll()
      guard read(blockSize, into: &carry) else { break }
      let feed = carry.view.firstIndex(of: UInt8(ascii: "\n"))
      let end = feed ?? carry.count
      length += end
      if end > 0 { lastByte = carry[end - 1] }
      let missing = max(Block.keptOfOverlong - block.content.count, 0)
      block.content.append(carry[0..<min(end, missing)])
      if feed != nil {
        carried = end + 1
        break
      }
    }
    if let fault, carried == 0 {
      block.content.removeAll()
      throw located(fault)
    }
    block.overlong = lastByte == UInt8(ascii: "\r") ? length - 1 : length
    lines += 1
    offset += carried > 0 ? length + 1 : length
    block.seal()
    return true
  }

  /// `failure` with the offset of the first byte that was not delivered.
  private func located(_ failure: Failure) -> Failure {
    var failure = failure
    failure.offset = offset
    return failure
  }
}

extension Block {
  /// Bytes kept of an overlong line: 64 KiB for the rejects (data-model 15), and room for a
  /// character that is cut there.
  package static let keptOfOverlong = (64 << 10) + 4
}

package struct InputSummary: Document, Sendable, Equatable {
  package private(set) var compression = Compression.none
  /// Bytes read from disk.
  package private(set) var compressedBytes = 0
  private var digest: UInt64?
  package private(set) var decompressedBytes = 0
  /// Lines delivered in blocks, including overlong ones.
  package private(set) var lines = 0
  /// The number of the line that the last record begins with, if records are not lines.
  package private(set) var lastRecord: Int?
  /// What identifies the content, or what was delivered of a damaged one; nil when that is unknown.
  package private(set) var content: ContentFacts?
  /// Bytes of content in zstd frames above ``longFrame``, which one core decompresses.
  package private(set) var inLongFrames = 0
  /// Most bytes of content of a zstd frame that is decompressed while others are.
  package static let longFrame = 8 << 20

  package static let fields: [Field<InputSummary>] = [
    .value("compression", \.compression), .count("bytes", \.compressedBytes),
    .maybe("xxh64", \.digest), .count("decompressed_bytes", \.decompressedBytes),
    .count("lines", \.lines), .maybe("last_record", \.lastRecord), .maybe("content", \.content),
  ]

  package init() {}

  package init(
    compression: Compression, compressedBytes: Int, hash: UInt64?, decompressedBytes: Int,
    lines: Int, lastRecord: Int? = nil, content: ContentFacts? = nil, inLongFrames: Int = 0
  ) {
    (self.compression, self.compressedBytes, digest) = (compression, compressedBytes, hash)
    (self.decompressedBytes, self.lines, self.lastRecord) = (decompressedBytes, lines, lastRecord)
    (self.content, self.inLongFrames) = (content, inLongFrames)
  }

  /// XXH64, seed 0, of the bytes read from disk. Traps if it was not requested.
  package var hash: UInt64 {
    guard let digest else { preconditionFailure("the input was read without its hash") }
    return digest
  }

  package func check() throws(DocumentDamage) {
    guard digest != nil else { throw DocumentDamage("is missing").inside("xxh64") }
  }
}
