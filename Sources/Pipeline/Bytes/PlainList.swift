// All memory that the program owns by hand: lists, buffers, tables and chunks of plain values.

/// A growing list of plain values with one owner: an access costs only a bounds check (no reference
/// count, no uniqueness check).
///
/// Invariant: `0 <= count <= capacity`, and the first `count` elements at `base` are initialised.
/// Not for two threads at once.
@safe @frozen @usableFromInline
package struct PlainList<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  // @unchecked: a list is the only owner of its elements, and has a single user when they change.
  @usableFromInline var base: UnsafeMutablePointer<Element>
  @usableFromInline var used: Int
  @usableFromInline var capacity: Int

  @inlinable package init(capacity: Int = 64) {
    precondition(capacity >= 0, "a list cannot have a negative capacity")
    self.capacity = max(capacity, 1)
    unsafe base = UnsafeMutablePointer<Element>.allocate(capacity: self.capacity)
    used = 0
  }

  @inlinable package init(repeating element: Element, count: Int) {
    self.init(capacity: count)
    unsafe base.initialize(repeating: element, count: count)
    used = count
  }

  @inlinable deinit { unsafe base.deallocate() }
  @inlinable package var count: Int { used }
  @inlinable package var isEmpty: Bool { used == 0 }
  @inlinable package var indices: Range<Int> { 0..<used }

  @inlinable package subscript(index: Int) -> Element {
    get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: used), "no such element")
      // SAFETY: `index` is below `used`, so the element is initialised.
      return unsafe base[index]
    }
    _modify {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: used), "no such element")
      // SAFETY: as above.
      yield unsafe &base[index]
    }
  }

  @inlinable package func count(where test: (Element) -> Bool) -> Int {
    var found = 0
    for index in 0..<used where test(self[index]) { found += 1 }
    return found
  }

  @inlinable package mutating func append(_ element: Element) {
    if used == capacity { grow() }
    unsafe (base + used).initialize(to: element)
    used += 1
  }

  /// Appends copies of the elements `range`, which may have to move.
  @inlinable package mutating func appendCopy(of range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= used, "no such elements")
    reserve(range.count)
    // SAFETY: the elements are initialised, and need not be moved.
    unsafe append(from: base + range.lowerBound, range.count)
  }

  /// Appends copies of `count` elements; traps when the list must grow and they are its own.
  @unsafe @inlinable mutating func append(from source: UnsafePointer<Element>, _ count: Int) {
    if capacity - used < count {
      precondition(
        unsafe !holds(source), "what a list holds cannot be appended to the list it moves")
      grow(count)
    }
    unsafe (base + used).update(from: source, count: count)
    used += count
  }

  /// Whether `element` is in this list's memory.
  @unsafe @inlinable func holds(_ element: UnsafePointer<Element>) -> Bool {
    unsafe element >= UnsafePointer(base) && element < UnsafePointer(base + capacity)
  }

  /// Appends up to `room` elements that `fill` writes; it returns their number.
  @unsafe @inlinable @inline(__always) package mutating func append<Failure: Error>(
    room: Int, _ fill: (UnsafeMutablePointer<Element>) throws(Failure) -> Int
  ) throws(Failure) {
    reserve(room)
    let count = try unsafe fill(base + used)
    precondition(UInt(bitPattern: count) <= UInt(bitPattern: room), "more was written than fits")
    used += count
  }

  @inlinable package mutating func reserve(_ extra: Int) {
    if capacity - used < extra { grow(extra) }
  }

  /// Sets the number of elements after elements were written at ``base``.
  @unsafe @inlinable mutating func initialized(to count: Int) {
    precondition(count >= used && count <= capacity, "more elements than there is room for")
    used = count
  }

  @inlinable package mutating func insert(_ element: Element, at index: Int) {
    precondition(index >= 0 && index <= used, "index outside the list")
    if used == capacity { grow() }
    // SAFETY: there is capacity for one more, and the elements from `index` on are initialised.
    unsafe (base + index + 1).update(from: base + index, count: used - index)
    unsafe base[index] = element
    used += 1
  }

  /// Removes the elements from `start` on that `isRemoved`; the others keep their order.
  @inlinable package mutating func removeAll(
    from start: Int = 0, where isRemoved: (Element) -> Bool
  ) {
    precondition(start >= 0 && start <= used, "no such elements")
    var kept = start
    for index in start..<used {
      let element = self[index]
      if isRemoved(element) { continue }
      self[kept] = element
      kept += 1
    }
    used = kept
  }

  /// Sorts the elements from `start` on; allocates for many of them.
  @inlinable package mutating func sort(
    from start: Int = 0, to end: Int? = nil, by precedes: (Element, Element) -> Bool
  ) {
    let end = end ?? used
    precondition(start >= 0 && start <= end && end <= used, "no such elements")
    // SAFETY: the first `used` elements are initialised.
    var range = unsafe UnsafeMutableBufferPointer(start: base + start, count: end - start)
    unsafe range.sort(by: precedes)
  }

  @inlinable package mutating func fill(with element: Element) {
    // SAFETY: the first `used` elements are initialised.
    unsafe base.update(repeating: element, count: used)
  }

  @inlinable package mutating func removeAll() { used = 0 }

  @inlinable package mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= used, "cannot truncate to more than there is")
    used = count
  }

  /// Releases capacity above `limit` elements, when the list is empty and larger than that.
  @inlinable package mutating func shrink(to limit: Int) {
    if used == 0, capacity > limit { self = PlainList(capacity: limit) }
  }

  @usableFromInline @inline(never) mutating func grow(_ extra: Int = 1) {
    capacity = max(used + extra, capacity * 2)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    unsafe larger.moveInitialize(from: base, count: used)
    unsafe base.deallocate()
    unsafe base = larger
  }
}

// MARK: - Bytes

extension PlainList<UInt8> {
  /// Valid until the buffer changes.
  @inlinable package var view: ByteView { unsafe ByteView(base: UnsafePointer(base), count: used) }

  /// Appends the bytes of `view`; traps when the buffer must grow and `view` shows its own bytes.
  @inlinable
  package mutating func append(_ view: ByteView) { unsafe append(from: view.base, view.count) }

  @inlinable func holds(_ view: ByteView) -> Bool { unsafe holds(view.base) }

  /// Appends the lowest `length` bytes of `word`, little-endian.
  @inlinable @inline(__always)
  mutating func append<Word: FixedWidthInteger & BitwiseCopyable>(_ word: Word, length: Int) {
    unsafe append(room: Word.bitWidth / 8) { start in
      unsafe UnsafeMutableRawPointer(start).storeBytes(of: word.littleEndian, as: Word.self)
      return length
    }
  }

  /// Replaces the four bytes from `offset` on by those of `word`, little-endian.
  @inlinable package mutating func replace(word32 word: UInt32, at offset: Int) {
    precondition(offset >= 0 && offset <= used &- 4, "word outside the buffer")
    // SAFETY: the line above checked that there are four bytes.
    unsafe UnsafeMutableRawPointer(base + offset).storeBytes(
      of: word.littleEndian, as: UInt32.self)
  }

  /// Whether `first` follows the content, and there is capacity for `room` bytes.
  func isPadded(_ room: Int, with first: UInt8) -> Bool {
    // SAFETY: with capacity for a byte after the content it can be read.
    unsafe capacity - used >= room && base[used] == first
  }
}

// MARK: - Tables

/// The slots of a hash table, a power of two of them. An index is masked to their number: probing
/// continues at the first one, without a check.
///
/// Invariant: `slots` has `mask + 1` elements. Not for two threads at once, except reading.
@safe @frozen @usableFromInline package struct SlotTable<Slot: BitwiseCopyable>: ~Copyable {
  @usableFromInline let slots: PlainList<Slot>
  @usableFromInline let mask: Int

  @inlinable package init(repeating slot: Slot, count: Int) {
    precondition(count > 0 && count & (count - 1) == 0, "a table has a power of two of slots")
    slots = PlainList(repeating: slot, count: count)
    mask = count - 1
  }

  @inlinable var count: Int { mask + 1 }

  @inlinable package subscript(index: Int) -> Slot {
    @inline(__always) _read { yield unsafe slots.base[index & mask] }
    @inline(__always) nonmutating _modify { yield unsafe &slots.base[index & mask] }
  }

  @inlinable func fill(with slot: Slot) { unsafe slots.base.update(repeating: slot, count: count) }
}

// MARK: - Chunks

/// Bytes in chunks of 1 MiB that never move: growing copies nothing, so gigabytes of them have no
/// moment in which they exist twice. Those of one call of ``take(_:)`` are contiguous; they hold
/// any bits until they are written.
///
/// Invariant: an access is within bytes that were added together, which is checked. Not for two
/// threads at once, except reading.
@safe @frozen @usableFromInline package struct ByteChunks: ~Copyable {
  @usableFromInline static var bits: Int { 20 }
  @inlinable static var size: Int { 1 << bits }

  /// The addresses that are not taken of those added last.
  @usableFromInline var unused = 0..<0
  @usableFromInline var starts: [UnsafeMutablePointer<UInt8>] = unsafe []
  /// The first chunk of each allocation.
  @usableFromInline var blocks: [UnsafeMutablePointer<UInt8>] = unsafe []
  @inlinable package init() {}
  @inlinable deinit { for index in unsafe blocks.indices { unsafe blocks[index].deallocate() } }

  /// A copy of `bytes`, valid as long as the chunks.
  package mutating func store(_ bytes: ByteView) -> ByteView {
    let address = take(bytes.count)
    write(bytes, at: address)
    return view(address, bytes.count)
  }

  /// Takes `length` bytes; returns their address.
  @inlinable mutating func take(_ length: Int) -> Int {
    if length > unused.count { add(length) }
    let address = unused.lowerBound
    unused = address + length..<unused.upperBound
    return address
  }

  /// Adds `length` bytes or more, whole chunks of them, and leaves the rest of those before.
  @usableFromInline @inline(never) mutating func add(_ length: Int) {
    let first = unsafe starts.count << Self.bits
    let chunks = (length + Self.size - 1) >> Self.bits
    // Aligned to the two cache lines that processors fetch together.
    let block = unsafe UnsafeMutableRawPointer.allocate(
      byteCount: chunks << Self.bits, alignment: 128
    ).bindMemory(to: UInt8.self, capacity: chunks << Self.bits)
    unsafe blocks.append(block)
    for chunk in 0..<chunks { unsafe starts.append(block + chunk << Self.bits) }
    unused = first..<first + chunks << Self.bits
  }

  /// Where `length` bytes begin at `address`; traps unless they were added together.
  @unsafe @inlinable @inline(__always)
  func start(of address: Int, _ length: Int) -> UnsafeMutablePointer<UInt8> {
    let offset = address & (Self.size - 1)
    let end = UInt(bitPattern: offset &+ length)
    precondition(
      end <= UInt(bitPattern: Self.size) || areTogether(address, length),
      "bytes that were not added together")
    return unsafe starts[address >> Self.bits] + offset
  }

  @usableFromInline @inline(never) func areTogether(_ address: Int, _ length: Int) -> Bool {
    let (first, last) = (address >> Self.bits, (address + length - 1) >> Self.bits)
    return unsafe length > 0 && starts[last] - starts[first] == (last - first) << Self.bits
  }

  /// `length` bytes, which must have been written; valid until they are overwritten.
  @inlinable func view(_ address: Int, _ length: Int) -> ByteView {
    if length == 0 { return ByteView("") }
    return unsafe ByteView(base: start(of: address, length), count: length)
  }

  @inlinable func write(_ bytes: ByteView, at address: Int) {
    if bytes.count == 0 { return }
    unsafe start(of: address, bytes.count).update(from: bytes.base, count: bytes.count)
  }

  @inlinable func write<Value: BitwiseCopyable>(_ value: Value, at address: Int) {
    unsafe UnsafeMutableRawPointer(start(of: address, MemoryLayout<Value>.size))
      .storeBytes(of: value, as: Value.self)
  }
}

// MARK: - Objects

/// A list of objects that are kept alive elsewhere. Access does not count references, which would
/// cost as much as a small operation itself.
///
/// Invariant: the creator keeps the objects alive as long as the list is used.
@safe @frozen @usableFromInline package struct BorrowedList<Object: AnyObject> {
  @usableFromInline let objects: [Unmanaged<Object>]

  /// The caller keeps `objects` alive.
  @inlinable package init(_ objects: [Object]) {
    unsafe self.objects = objects.map { unsafe Unmanaged.passUnretained($0) }
  }

  @inlinable package var count: Int { unsafe objects.count }

  @inlinable @inline(__always)
  package func with<Result>(_ index: Int, _ body: (Object) -> Result) -> Result {
    unsafe objects[index]._withUnsafeGuaranteedRef { body($0) }
  }
}
