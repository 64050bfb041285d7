/// Fills blocks with the records that ``RecordCutter`` finds, each as one line: line feeds between
/// its tokens become spaces, so that offsets in it stay. Memory: a block, and one record of
/// `longest` bytes.
struct RecordLines: ~Copyable {
  private var cutter: RecordCutter
  /// Bytes of the content from ``offset`` on.
  private var held = ByteBuffer()
  private var spare = ByteBuffer()
  private var offset: Int
  /// A record in ``held`` that did not fit into the block before.
  private var waiting: RecordCutter.Record?
  /// Bytes of the content whose whole records an earlier run has read; 0 once they are passed.
  private var known: Int
  private let blockSize: Int
  private let longest: Int

  /// Records of a content that continues with `beginning` at `offset`, of at most `longest` bytes.
  init(
    _ cutter: RecordCutter, _ beginning: ByteView, at offset: Int, known: Int, blockSize: Int,
    longest: Int
  ) {
    held.append(beginning)
    (self.cutter, self.offset, self.known) = (cutter, offset, known)
    (self.blockSize, self.longest) = (blockSize, longest)
  }

  /// The offset of the first byte that was not delivered.
  var next: Int { offset + (waiting?.start ?? cutter.settled) }

  /// Adds records to the empty `block`. `read` appends further bytes, and says whether there were
  /// any; after a fault no open record is added.
  mutating func fill(
    _ block: Block, isAtEnd: () -> Bool, read: (inout ByteBuffer, _ offset: Int) -> Bool
  ) {
    while true {
      if let record = waiting ?? nextRecord(isAtEnd: isAtEnd()) {
        waiting = nil
        if known > 0 { continue }
        let most = block.content.count + min(record.length, longest)
        if !block.records.isEmpty, most >= blockSize {
          waiting = record
          return
        }
        if record.length > longest { return addOverlong(record, to: block) }
        add(record, held[record.start..<record.end], to: block)
        if !record.isClosed, isAtEnd(), cutter.settled == held.count { block.lacksLineFeed = true }
        continue
      }
      if known > 0, isAtEnd() || offset + held.count >= known {
        cutter.settle()
        known = 0
        continue
      }
      if isAtEnd() {
        block.lacksBracket = cutter.isOpen
        return
      }
      if cutter.pending > longest, known == 0 {
        if block.records.isEmpty { fillOverlong(block, isAtEnd: isAtEnd, read: read) }
        return
      }
      drop(cutter.settled)
      guard read(&held, offset) || isAtEnd() else { return }
    }
  }

  /// The next whole record of what is held, but none that begins in what is known and ends behind.
  private mutating func nextRecord(isAtEnd: Bool) -> RecordCutter.Record? {
    let end = known > 0 ? min(known - offset, held.count) : held.count
    return cutter.next(in: held[0..<end], isAtEnd: isAtEnd && end == held.count && known == 0)
  }

  private func add(_ record: RecordCutter.Record, _ bytes: ByteView, to block: Block) {
    block.records.append(Block.Position(line: record.line, offset: offset + record.start))
    Self.append(bytes, isTorn: record.isTorn, to: &block.content)
    block.content.append(JSONByte.lineFeed)
  }

  /// Appends a record in one line. A line feed within a string must not become a space, which is
  /// valid there.
  static func append(_ bytes: ByteView, isTorn: Bool = false, to line: inout ByteBuffer) {
    let blank = isTorn ? JSONByte.carriageReturn : JSONByte.space
    var rest = bytes
    while let feed = rest.firstIndex(of: JSONByte.lineFeed) {
      line.append(rest[0..<feed])
      line.append(blank)
      rest = rest.dropFirst(feed + 1)
    }
    line.append(rest)
  }

  /// Delivers the beginning of the open record, and skips the rest of it; nothing at a fault.
  private mutating func fillOverlong(
    _ block: Block, isAtEnd: () -> Bool, read: (inout ByteBuffer, _ offset: Int) -> Bool
  ) {
    drop(cutter.settled)
    var record: RecordCutter.Record?
    while record == nil {
      Self.append(
        held[0..<min(held.count, Block.keptOfOverlong - block.content.count)], to: &block.content)
      drop(held.count)
      guard read(&held, offset) || isAtEnd() else { return block.content.removeAll() }
      record = cutter.next(in: held.view, isAtEnd: isAtEnd())
    }
    if let record { addOverlong(record, to: block) }
  }

  /// Completes the block of a record above the limit, whose beginning was dropped or is held.
  private func addOverlong(_ record: RecordCutter.Record, to block: Block) {
    let missing = Block.keptOfOverlong - block.content.count
    let start = max(record.start, 0)
    Self.append(held[start..<max(min(record.end, start + missing), start)], to: &block.content)
    block.content.truncate(to: min(block.content.count, record.end - record.start))
    block.records = [Block.Position(line: record.line, offset: offset + record.start)]
    block.overlong = record.end - record.start
  }

  private mutating func drop(_ count: Int) {
    guard count > 0 else { return }
    spare.removeAll()
    spare.append(held.view.dropFirst(count))
    swap(&held, &spare)
    cutter.drop(count)
    offset += count
  }
}
