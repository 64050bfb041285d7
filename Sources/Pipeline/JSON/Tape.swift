import Synchronization

/// The index of an entry in a list, or none; 4 bytes.
@frozen @usableFromInline
package struct OptionalIndex: BitwiseCopyable, Hashable, Comparable, Sendable {
  @usableFromInline let stored: Int32

  /// No entry.
  @inlinable package static var none: OptionalIndex { OptionalIndex(-1) }

  @inlinable
  package init(_ index: Int) { stored = Int32(truncatingIfNeeded: index) }

  /// Whether there is an entry.
  @inlinable package var exists: Bool { stored >= 0 }

  /// The index; for none, a value that traps in every list.
  @inlinable package var index: Int { Int(stored) }

  /// The next index: for a key, that of its value. Must exist.
  @inlinable package var next: OptionalIndex { OptionalIndex(index + 1) }

  /// The previous index: for a field's value, that of its key. Must not be the first.
  @inlinable package var previous: OptionalIndex { OptionalIndex(index - 1) }

  @inlinable
  package static func < (a: OptionalIndex, b: OptionalIndex) -> Bool { a.stored < b.stored }
}

/// The index of a value or a key on a ``Tape``, or none.
@usableFromInline
package typealias Node = OptionalIndex

/// The kind of a tape entry.
@frozen @usableFromInline
package enum TapeKind: UInt8, Sendable {
  /// `{`: fields follow as pairs (key entry, value entries) up to `next`.
  case object
  /// `[`: items follow up to `next`.
  case array
  /// The name of a field; the value's entries come right after it.
  case key
  case string
  /// A literal without fraction and exponent; its range is not checked yet.
  case integer
  /// A literal with fraction or exponent; its range is not checked yet.
  case double
  case `true`
  case `false`
  case null
  /// A time, milliseconds since 1970 in `payload`; made by relabelling, never by scanning.
  case date
}

/// One value or field name of a scanned line, 16 bytes.
///
/// ```
/// start 32 | length 32 | next 32 | kind 8 | form 4 flags 4 | number 16
/// ```
/// `start` and `length` are the bytes inside the quotes of a string or key, the source text of a
/// number, the whole source text of an object or array. They count from the beginning of the block,
/// or, with ``decoded``, from the beginning of the tape's `decoded` bytes.
@frozen @usableFromInline
package struct TapeEntry: BitwiseCopyable, Sendable {
  /// Offset of the bytes in the block or in the tape's `decoded` bytes.
  @usableFromInline package var start: UInt32
  /// Number of bytes.
  @usableFromInline package var length: UInt32
  /// Index of the entry after this value; for a key, after its value.
  @usableFromInline package var next: UInt32
  /// The kind of the entry.
  @usableFromInline package var kind: TapeKind
  /// Flags in the lower half, ``form`` in the upper.
  @usableFromInline package var flags: UInt8
  /// For a key: the number of its text in the tape's ``Tape/names``, as scanned; 0 = none.
  @usableFromInline package var number: UInt16

  /// Flag: the bytes are in the tape's `decoded` buffer, and need escaping when written.
  @inlinable package static var decoded: UInt8 { 1 }
  /// Flag, set by stages: the field or item is omitted from the canonical record.
  @inlinable package static var dropped: UInt8 { 2 }
  /// Flag of a value: the number has an exponent. The same bit as ``prevalidated`` of keys.
  @inlinable package static var exponent: UInt8 { 4 }
  /// Flag of a key, set by stages: the value is known to be valid, including its content. Of an
  /// object or array: the entry is the text of its fields or items, which have no entries.
  @inlinable package static var prevalidated: UInt8 { 4 }
  /// Flag, set by stages: a null for a value that could not be converted, see there.
  @inlinable package static var faulty: UInt8 { 8 }
  /// The bits of ``form`` in the flags.
  @usableFromInline static var formShift: UInt8 { 4 }

  @inlinable
  package init(
    start: Int = 0, length: Int = 0, next: Int = 0, kind: TapeKind, flags: UInt8 = 0,
    number: UInt16 = 0
  ) {
    self.start = UInt32(truncatingIfNeeded: start)
    self.length = UInt32(truncatingIfNeeded: length)
    self.next = UInt32(truncatingIfNeeded: next)
    self.kind = kind
    self.flags = flags
    self.number = number
  }

  /// Free for the stages, 0 to 15: the meaning of a key.
  @inlinable
  package var form: UInt8 {
    get { flags >> Self.formShift }
    set { flags = flags & (1 << Self.formShift - 1) | newValue << Self.formShift }
  }

  /// Whether the bytes are in the `decoded` buffer.
  @inlinable package var isDecoded: Bool { flags & Self.decoded != 0 }
  /// Whether a stage omitted the entry.
  @inlinable package var isDropped: Bool { flags & Self.dropped != 0 }
  /// Whether the number has an exponent.
  @inlinable package var hasExponent: Bool { flags & Self.exponent != 0 }

  /// For `.date`: milliseconds since 1970-01-01T00:00:00Z.
  @inlinable
  package var milliseconds: Int {
    get { Int(Int64(bitPattern: UInt64(start) | UInt64(length) << 32)) }
    set {
      let bits = UInt64(bitPattern: Int64(newValue))
      start = UInt32(truncatingIfNeeded: bits)
      length = UInt32(truncatingIfNeeded: bits >> 32)
    }
  }
}

/// The flat form of the scanned lines of one block: entries over the block's bytes, those of a line
/// in source order. Entries drafted for lines follow those of lines scanned before.
///
/// A tape belongs to one block and one thread at a time. `bind(to:)` begins a block. Views are
/// valid until the next `bind`, scan or decoding append.
@usableFromInline
package final class Tape {
  @usableFromInline var entries: PlainList<TapeEntry>
  @usableFromInline var source: ByteView
  /// Decoded strings: those that had escapes, or were rewritten by a stage.
  @usableFromInline package var decoded: ByteBuffer
  /// The field names of this block and those before it, each with a number.
  @usableFromInline package let names: InternTable
  /// Whether the last scanned text has white space between its tokens.
  @usableFromInline package internal(set) var hasSpaces: Bool
  @usableFromInline var scratch: ByteBuffer
  /// The number of the block, unique among the blocks of all tapes.
  @usableFromInline package private(set) var block: Int
  private static let blocks = Atomic<Int>(0)

  /// Most entries whose capacity is kept from block to block; a usual block needs fewer.
  private static var keptCapacity: Int { 1 << 20 }
  /// Most bytes of decoded text whose capacity is kept from block to block.
  private static var keptText: Int { 4 << 20 }

  /// An empty tape with capacity for `capacity` entries; without `numbersNames` names get no
  /// numbers.
  @inlinable
  package init(capacity: Int = 4096, numbersNames: Bool = true) {
    entries = PlainList(capacity: max(capacity, 64))
    source = ByteView("")
    decoded = ByteBuffer(capacity: 4096)
    names = InternTable(takesTexts: numbersNames)
    hasSpaces = false
    scratch = ByteBuffer(capacity: 256)
    block = Tape.nextBlock()
  }

  @usableFromInline
  static func nextBlock() -> Int { blocks.add(1, ordering: .relaxed).newValue }

  /// Number of entries.
  @inlinable package var count: Int { entries.count }

  /// Removes all entries and sets `source` as the bytes that the next ones refer to. Offsets have
  /// 32 bits, so a source of 4 GiB or more traps.
  package func bind(to source: ByteView) {
    precondition(source.count <= UInt32.max, "a tape's source cannot be longer than 4 GiB")
    entries.removeAll()
    block = Tape.nextBlock()
    self.source = source
    decoded.removeAll()
    // The capacity for one unusual block is not kept for all that follow.
    entries.shrink(to: Tape.keptCapacity)
    decoded.shrink(to: Tape.keptText)
    scratch.removeAll()
    scratch.shrink(to: Tape.keptText)
  }

  /// The entry at `index`.
  @inlinable
  package subscript(index: Int) -> TapeEntry {
    get { entries[index] }
    set { entries[index] = newValue }
  }

  /// The entry at `node`, which must exist.
  @inlinable
  package subscript(node: Node) -> TapeEntry {
    get { entries[node.index] }
    set { entries[node.index] = newValue }
  }

  /// The bytes of an entry: a string's or key's text, a number's or container's source.
  @inlinable
  package func bytes(_ entry: TapeEntry) -> ByteView {
    let range = Int(entry.start)..<Int(entry.start) + Int(entry.length)
    return entry.isDecoded ? decoded[range] : source[range]
  }

  /// The bytes of the entry at `index`.
  @inlinable
  package func bytes(at index: Int) -> ByteView { bytes(self[index]) }

  /// The bytes of the entry at `node`, which must exist.
  @inlinable
  package func bytes(at node: Node) -> ByteView { bytes(self[node]) }

  /// The bytes of a text of 1 to 16 bytes as two words, missing ones zero (see
  /// ``InternTable/words(_:_:length:)``); nil for other texts, for decoded ones, and for those at
  /// the very end of the block. Complexity: O(1).
  @inlinable @inline(__always)
  package func words(of entry: TapeEntry) -> (head: UInt64, tail: UInt64)? {
    let (start, length) = (Int(entry.start), Int(entry.length))
    guard UInt(bitPattern: length &- 1) < 16, !entry.isDecoded, start + 16 <= source.count else {
      return nil
    }
    return InternTable.words(source.word64(at: start), source.word64(at: start + 8), length: length)
  }

  /// The number of the entry's text in `table`; see ``InternTable/number(of:)``.
  @inlinable @inline(__always)
  package func number(of entry: TapeEntry, in table: InternTable) -> UInt16 {
    if let (head, tail) = words(of: entry) {
      let number = table.quickNumber(head, tail, length: Int(entry.length))
      if number != 0 { return number }
    }
    return table.number(of: bytes(entry))
  }

  /// The bytes `range` of the block.
  @inlinable
  package func sourceBytes(_ range: Range<Int>) -> ByteView { source[range] }

  /// The byte at `offset` of the block.
  @inlinable @inline(__always)
  package func sourceByte(at offset: Int) -> UInt8 { source[offset] }

  /// Appends an entry and returns its index.
  @inlinable @discardableResult
  package func append(_ entry: TapeEntry) -> Int {
    entries.append(entry)
    return count - 1
  }

  /// Removes the entries from `count` on.
  @inlinable
  package func truncate(to count: Int) { entries.truncate(to: count) }

  /// Reserves capacity for `extra` more entries. Complexity: amortised O(1) per entry appended.
  @inlinable
  func reserve(_ extra: Int) {
    entries.reserve(extra)
    precondition(entries.capacity <= Int32.max, "a tape cannot hold so many entries")
  }
}
