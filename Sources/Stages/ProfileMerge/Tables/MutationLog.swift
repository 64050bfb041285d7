import Pipeline

/// The mutations of a group of keys, in order of arrival: a chain of extents, each linked to the
/// previous one.
///
/// ```
/// extent = previous extent (8 bytes) │ record │ record │ … │ end (16 zero bytes, if they fit)
/// ```
/// Records are appended and never searched, so that consecutive writes are adjacent, for any key.
/// See ``ProfileTables`` for how they are sorted by key.
struct MutationLog: BitwiseCopyable {
  /// Bytes before the first record of an extent.
  static let linkLength = 8
  /// Lines of the first extent, and of the greatest regular ones (64 KiB).
  private static let extentLines = 32...1024

  /// The extent being written.
  private var last = Extent.none
  /// Bytes written to it.
  private var position: UInt32 = 0
  /// Its capacity.
  private var capacity: UInt32 = 0
  /// Bytes of all records.
  private(set) var length = 0
  /// Bytes of records that remained after the last merge.
  var mergedLength = 0

  /// Whether there are no records.
  var isEmpty: Bool { length == 0 }

  /// Appends a record. Complexity: O(`record.length`).
  mutating func append(_ record: Mutation, in arena: inout ExtentArena) {
    if Int(position) + record.length > Int(capacity) { grow(by: record.length, in: &arena) }
    record.write(to: last, at: Int(position), of: arena)
    position += UInt32(truncatingIfNeeded: record.length)
    length += record.length
  }

  /// Adds an extent with capacity for a record of `length` bytes.
  private mutating func grow(by length: Int, in arena: inout ExtentArena) {
    if Int(position) + Mutation.headLength <= Int(capacity) {
      arena.write((0, 0), "", to: last, at: Int(position))
    }
    let before = last
    let range = MutationLog.extentLines
    let lines = min(max(before.lines * 2, range.lowerBound), range.upperBound)
    last = arena.allocate(max(MutationLog.linkLength + length, lines * ExtentArena.lineSize))
    arena.write(before.word, to: last, at: 0)
    position = UInt32(MutationLog.linkLength)
    capacity = UInt32(truncatingIfNeeded: last.capacity)
  }

  /// Calls `body` with owner and bytes of every record, unordered.
  func forEach(
    in arena: borrowing ExtentArena, _ body: (_ owner: Int, _ record: ByteView) -> Void
  ) {
    var (extent, end) = (last, Int(position))
    while !extent.isNone {
      let bytes = arena[extent, end]
      var offset = MutationLog.linkLength
      while let record = Mutation.Head(bytes, at: &offset) {
        body(record.owner, bytes[record.bytes])
      }
      extent = MutationLog.before(extent, in: arena)
      end = extent.capacity
    }
  }

  /// Removes all records.
  mutating func removeAll(in arena: inout ExtentArena) {
    while !last.isNone {
      let before = MutationLog.before(last, in: arena)
      arena.free(last)
      last = before
    }
    self = MutationLog()
  }

  /// The extent before `extent`.
  private static func before(_ extent: Extent, in arena: borrowing ExtentArena) -> Extent {
    Extent(word: arena[extent, linkLength].word64(at: 0))
  }
}
