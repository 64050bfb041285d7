import Synchronization

/// The index of an entry, or none; 4 bytes.
@frozen @usableFromInline
package struct OptionalIndex: BitwiseCopyable, Hashable, Comparable, Sendable {
  @usableFromInline let stored: Int32

  @inlinable package static var none: OptionalIndex { OptionalIndex(-1) }

  @inlinable package init(_ index: Int) { stored = Int32(truncatingIfNeeded: index) }
  @inlinable package var exists: Bool { stored >= 0 }

  /// For none, a value that traps in every list.
  @inlinable package var index: Int { Int(stored) }

  /// The next index: for a key, that of its value. Must exist.
  @inlinable package var next: OptionalIndex { OptionalIndex(index + 1) }

  /// The previous index: for a field's value, that of its key. Must not be the first.
  @inlinable package var previous: OptionalIndex { OptionalIndex(index - 1) }

  @inlinable
  package static func < (a: OptionalIndex, b: OptionalIndex) -> Bool { a.stored < b.stored }
}

/// The index of a value or a key on a ``Tape``, or none.
@usableFromInline package typealias Node = OptionalIndex

@frozen @usableFromInline package enum TapeKind: UInt8, Sendable {
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
@frozen @usableFromInline package struct TapeEntry: BitwiseCopyable, Sendable {
  /// In the block or in the tape's `decoded` bytes.
  @usableFromInline package var start: UInt32
  @usableFromInline package var length: UInt32
  /// Index of the entry after this value; for a key, after its value.
  @usableFromInline package var next: UInt32
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
  @usableFromInline static var formShift: UInt8 { 4 }

  @inlinable package init(
    start: Int = 0, length: Int = 0, next: Int = 0, kind: TapeKind, flags: UInt8 = 0,
    number: UInt16 = 0
  ) {
    self.start = UInt32(truncatingIfNeeded: start)
    self.length = UInt32(truncatingIfNeeded: length)
    self.next = UInt32(truncatingIfNeeded: next)
    (self.kind, self.flags, self.number) = (kind, flags, number)
  }

  /// Free for the stages, 0 to 15: the meaning of a key.
  @inlinable package var form: UInt8 {
    get { flags >> Self.formShift }
    set { flags = flags & (1 << Self.formShift - 1) | newValue << Self.formShift }
  }

  @inlinable package var isDecoded: Bool { flags & Self.decoded != 0 }
  @inlinable package var isDropped: Bool { flags & Self.dropped != 0 }
  @inlinable package var hasExponent: Bool { flags & Self.exponent != 0 }

  /// For `.date`: milliseconds since 1970-01-01T00:00:00Z.
  @inlinable package var milliseconds: Int {
    get { Int(Int64(bitPattern: UInt64(start) | UInt64(length) << 32)) }
    set {
      let bits = UInt64(bitPattern: Int64(newValue))
      start = UInt32(truncatingIfNeeded: bits)
      length = UInt32(truncatingIfNeeded: bits >> 32)
    }
  }
}

/// The flat form of the scanned lines of one block, entries in source order. Those drafted for
/// lines follow those of lines scanned before.
///
/// Belongs to one block and one thread at a time. `bind(to:)` begins a block. Views are valid until
/// the next `bind`, scan or decoding append.
@usableFromInline package final class Tape {
  @usableFromInline var entries: PlainList<TapeEntry>
  @usableFromInline var source: ByteView = ""
  /// Decoded strings: those that had escapes, or were rewritten by a stage.
  @usableFromInline package var decoded = ByteBuffer(capacity: 4096)
  /// The field names so far, each with a number.
  @usableFromInline package let names: InternTable
  /// Whether the last scanned text has white space between its tokens.
  @usableFromInline package internal(set) var hasSpaces = false
  @usableFromInline var scratch = ByteBuffer(capacity: 256)
  /// The number of the block, unique among the blocks of all tapes.
  @usableFromInline package private(set) var block = Tape.nextBlock()

  private static let blocks = Atomic<Int>(0)

  /// Most entries, and bytes of decoded text, whose capacity is kept; a usual block needs fewer.
  private static var keptCapacity: Int { 1 << 20 }
  private static var keptText: Int { 4 << 20 }

  /// Without `numbersNames` names get no numbers.
  @inlinable package init(capacity: Int = 4096, numbersNames: Bool = true) {
    entries = PlainList(capacity: max(capacity, 64))
    names = InternTable(takesTexts: numbersNames)
  }

  @usableFromInline static func nextBlock() -> Int { blocks.add(1, ordering: .relaxed).newValue }

  @inlinable package var count: Int { entries.count }

  /// Removes all entries; the next ones refer to `source`. Offsets have 32 bits, so 4 GiB trap.
  package func bind(to source: ByteView) {
    precondition(source.count <= UInt32.max, "a tape's source cannot be longer than 4 GiB")
    entries.removeAll()
    block = Tape.nextBlock()
    self.source = source
    decoded.removeAll()
    scratch.removeAll()
    // The capacity for one unusual block is not kept for all that follow.
    entries.shrink(to: Tape.keptCapacity)
    decoded.shrink(to: Tape.keptText)
    scratch.shrink(to: Tape.keptText)
  }

  @inlinable package subscript(index: Int) -> TapeEntry {
    get { entries[index] }
    set { entries[index] = newValue }
  }

  /// The node must exist, as in ``bytes(at:)``.
  @inlinable package subscript(node: Node) -> TapeEntry {
    get { entries[node.index] }
    set { entries[node.index] = newValue }
  }

  /// A string's or key's text, a number's or container's source.
  @inlinable package func bytes(_ entry: TapeEntry) -> ByteView {
    let range = Int(entry.start)..<Int(entry.start) + Int(entry.length)
    return entry.isDecoded ? decoded[range] : source[range]
  }

  @inlinable package func bytes(at index: Int) -> ByteView { bytes(self[index]) }
  @inlinable package func bytes(at node: Node) -> ByteView { bytes(self[node]) }

  /// A text of 1 to 16 bytes as two words (``InternTable/words(_:_:length:)``); nil for other
  /// texts, for decoded ones, and for those at the very end of the block.
  @inlinable @inline(__always)
  package func words(of entry: TapeEntry) -> (head: UInt64, tail: UInt64)? {
    let (start, length) = (Int(entry.start), Int(entry.length))
    guard UInt(bitPattern: length &- 1) < 16, !entry.isDecoded, start + 16 <= source.count else {
      return nil
    }
    return InternTable.words(source.word64(at: start), source.word64(at: start + 8), length: length)
  }

  /// See ``InternTable/number(of:)``.
  @inlinable @inline(__always)
  package func number(of entry: TapeEntry, in table: InternTable) -> UInt16 {
    if let (head, tail) = words(of: entry) {
      let number = table.quickNumber(head, tail, length: Int(entry.length))
      if number != 0 { return number }
    }
    return table.number(of: bytes(entry))
  }

  @inlinable package func sourceBytes(_ range: Range<Int>) -> ByteView { source[range] }
  @inlinable @inline(__always) package func sourceByte(at offset: Int) -> UInt8 { source[offset] }

  @inlinable @discardableResult package func append(_ entry: TapeEntry) -> Int {
    entries.append(entry)
    return count - 1
  }

  @inlinable package func truncate(to count: Int) { entries.truncate(to: count) }

  /// Reserves capacity for `extra` more entries.
  @inlinable func reserve(_ extra: Int) {
    entries.reserve(extra)
    precondition(entries.capacity <= Int32.max, "a tape cannot hold so many entries")
  }
}
