import Pipeline

/// Where the records of one key are: a row of extents, each naming the one before.
///
/// ```
/// extent = the extent before (8 bytes) │ record │ record │ … │ end (16 zero bytes, if there is room)
/// ```
/// Records are appended, never searched: what an operation costs does not depend on what is known of
/// its key, and touches the end of one extent only. From time to time the records are merged
/// (``ProfileTables/compact(_:)``), so that a log is never much longer than what it tells.
struct RecordLog: BitwiseCopyable {
  /// Bytes before the first record of an extent.
  static let linkLength = 8
  /// Lines of the first extents of a log.
  private static let smallest = 4
  /// Lines a log grows by at most, unless a record is longer (1 MiB).
  private static let longestShare = 1 << 14
  /// A log of up to this many lines is not worth merging.
  private static let worthMerging: UInt32 = 64

  /// The extent that is written to.
  private(set) var last = Extent.none
  /// Bytes written of it.
  private(set) var position: UInt32 = 0
  /// Bytes it has.
  private var capacity: UInt32 = 0
  /// Lines of all extents.
  private var lines: UInt32 = 0
  /// When the log has grown to that many lines, its records are merged.
  private var mergeAt = RecordLog.worthMerging

  /// Whether there is no record.
  var isEmpty: Bool { last.isNone }

  /// Whether the records should be merged before the next extent is added.
  var isDue: Bool { lines >= mergeAt }

  /// Whether a record of `length` bytes fits in what there is.
  func hasRoom(for length: Int) -> Bool { Int(position) + length <= Int(capacity) }

  /// Appends a record; the caller made sure of the room.
  mutating func append(_ record: LogRecord, in arena: borrowing ExtentArena) {
    record.write(to: last, at: Int(position), of: arena)
    position += UInt32(truncatingIfNeeded: record.length)
  }

  /// Adds an extent with room for a record of `length` bytes. The log grows by half.
  mutating func grow(by length: Int, in arena: inout ExtentArena) {
    if Int(position) + LogRecord.headLength <= Int(capacity) {
      arena.write((0, 0), "", to: last, at: Int(position))
    }
    let before = last
    let share = min(max(RecordLog.smallest, Int(lines) / 2), RecordLog.longestShare)
    last = arena.allocate(max(RecordLog.linkLength + length, share * ExtentArena.lineSize))
    arena.write(before.word, to: last, at: 0)
    capacity = UInt32(truncatingIfNeeded: last.capacity)
    position = UInt32(RecordLog.linkLength)
    lines += UInt32(truncatingIfNeeded: last.lines)
  }

  /// Replaces the log by the records in `bytes`, which are no view of it.
  mutating func replace(by bytes: ByteView, in arena: inout ExtentArena) {
    var extent = last
    while !extent.isNone {
      let before = RecordLog.before(extent, in: arena)
      arena.free(extent)
      extent = before
    }
    self = RecordLog()
    var offset = 0
    while let record = LogRecord(bytes, at: &offset) {
      if !hasRoom(for: record.length) {
        let rest = min(bytes.count - offset, RecordLog.longestShare * ExtentArena.lineSize)
        grow(by: record.length + rest, in: &arena)
      }
      append(record, in: arena)
    }
    mergeAt = max(RecordLog.worthMerging, lines + lines / 2)
  }

  /// Calls `body` with every record, in no particular order.
  func forEach(in arena: borrowing ExtentArena, _ body: (LogRecord) -> Void) {
    var (extent, end) = (last, Int(position))
    while !extent.isNone {
      let bytes = arena[extent, end]
      var offset = RecordLog.linkLength
      while let record = LogRecord(bytes, at: &offset) { body(record) }
      extent = RecordLog.before(extent, in: arena)
      end = extent.capacity
    }
  }

  /// The extent that `extent` follows.
  static func before(_ extent: Extent, in arena: borrowing ExtentArena) -> Extent {
    Extent(word: arena[extent, linkLength].word64(at: 0))
  }
}
