/// A growing list of plain values with one owner: an access costs only a bounds check (no reference
/// count, no uniqueness check).
///
/// Invariant: `0 <= count <= capacity`, and the first `count` elements at `base` are initialised.
/// Not for two threads at once.
@safe @frozen @usableFromInline
package struct PlainList<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  // @unchecked because a list is the only owner of its elements, and changes them only while it has
  // a single user.
  @usableFromInline var base: UnsafeMutablePointer<Element>
  @usableFromInline var used: Int
  @usableFromInline var capacity: Int

  /// An empty list with capacity for `capacity` elements.
  @inlinable
  package init(capacity: Int = 64) {
    precondition(capacity >= 0, "a list cannot have a negative capacity")
    self.capacity = max(capacity, 1)
    unsafe base = UnsafeMutablePointer<Element>.allocate(capacity: self.capacity)
    used = 0
  }

  /// A list of `count` copies of `element`.
  @inlinable
  package init(repeating element: Element, count: Int) {
    self.init(capacity: count)
    unsafe base.initialize(repeating: element, count: count)
    used = count
  }

  @inlinable
  deinit { unsafe base.deallocate() }

  /// Number of elements.
  @inlinable package var count: Int { used }

  /// Whether the list is empty.
  @inlinable package var isEmpty: Bool { used == 0 }

  /// The indices of all elements.
  @inlinable package var indices: Range<Int> { 0..<used }

  /// The element at `index`.
  @inlinable
  package subscript(index: Int) -> Element {
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

  /// How many elements pass `test`. Complexity: O(``count``).
  @inlinable
  package func count(where test: (Element) -> Bool) -> Int {
    var found = 0
    // SAFETY: as above.
    for index in 0..<used where test(unsafe base[index]) { found += 1 }
    return found
  }

  /// Appends an element. Complexity: amortised O(1).
  @inlinable
  package mutating func append(_ element: Element) {
    if used == capacity { grow() }
    unsafe (base + used).initialize(to: element)
    used += 1
  }

  /// Appends copies of the elements `range`. Complexity: O(`range.count`), amortised.
  @inlinable
  package mutating func appendCopy(of range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= used, "no such elements")
    reserve(range.count)
    // SAFETY: the elements are initialised, and need not be moved.
    unsafe append(from: base + range.lowerBound, range.count)
  }

  /// Appends copies of `count` elements; traps when the list must grow and they are its own.
  @unsafe @inlinable
  mutating func append(from source: UnsafePointer<Element>, _ count: Int) {
    if capacity - used < count {
      precondition(
        unsafe !holds(source), "what a list holds cannot be appended to the list it moves")
      grow(count)
    }
    unsafe (base + used).update(from: source, count: count)
    used += count
  }

  /// Whether `element` is in this list's memory.
  @unsafe @inlinable
  func holds(_ element: UnsafePointer<Element>) -> Bool {
    unsafe element >= UnsafePointer(base) && element < UnsafePointer(base + capacity)
  }

  /// Appends up to `room` elements that `fill` writes; it returns their number.
  @unsafe @inlinable @inline(__always)
  mutating func append<Failure: Error>(
    room: Int, _ fill: (UnsafeMutablePointer<Element>) throws(Failure) -> Int
  ) throws(Failure) {
    reserve(room)
    let count = try unsafe fill(base + used)
    precondition(UInt(bitPattern: count) <= UInt(bitPattern: room), "more was written than fits")
    used += count
  }

  /// Reserves capacity for `extra` more elements. Complexity: amortised O(1) per element appended.
  @inlinable
  package mutating func reserve(_ extra: Int) {
    if capacity - used < extra { grow(extra) }
  }

  /// Sets the number of elements after elements were written at ``base``.
  @unsafe @inlinable
  mutating func initialized(to count: Int) {
    precondition(count >= used && count <= capacity, "more elements than there is room for")
    used = count
  }

  /// Inserts an element at `index`. Complexity: O(``count`` - `index`).
  @inlinable
  package mutating func insert(_ element: Element, at index: Int) {
    precondition(index >= 0 && index <= used, "index outside the list")
    if used == capacity { grow() }
    // SAFETY: there is capacity for one more, and the elements from `index` on are initialised.
    unsafe (base + index + 1).update(from: base + index, count: used - index)
    unsafe base[index] = element
    used += 1
  }

  /// Removes the elements from `start` on for which `isRemoved` is true; the others keep their
  /// order. Complexity: O(``count`` - `start`).
  @inlinable
  package mutating func removeAll(
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

  /// Sorts the elements from `start` on, up to `end` if that is given; allocates for many of them.
  @inlinable
  package mutating func sort(
    from start: Int = 0, to end: Int? = nil, by precedes: (Element, Element) -> Bool
  ) {
    let end = end ?? used
    precondition(start >= 0 && start <= end && end <= used, "no such elements")
    // SAFETY: the first `used` elements are initialised.
    var range = unsafe UnsafeMutableBufferPointer(start: base + start, count: end - start)
    unsafe range.sort(by: precedes)
  }

  /// Sets all elements to `element`. Complexity: O(``count``).
  @inlinable
  package mutating func fill(with element: Element) {
    // SAFETY: the first `used` elements are initialised.
    unsafe base.update(repeating: element, count: used)
  }

  /// Removes all elements and keeps the capacity.
  @inlinable package mutating func removeAll() { used = 0 }

  /// Removes the elements from `count` on.
  @inlinable
  package mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= used, "cannot truncate to more than there is")
    used = count
  }

  /// Releases capacity above `limit` elements, when the list is empty and larger than that.
  @inlinable
  package mutating func shrink(to limit: Int) {
    if used == 0, capacity > limit { giveBack(to: limit) }
  }

  @usableFromInline @inline(never)
  mutating func giveBack(to limit: Int) {
    unsafe base.deallocate()
    capacity = max(limit, 1)
    unsafe base = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
  }

  @usableFromInline @inline(never)
  mutating func grow(_ extra: Int = 1) {
    capacity = max(used + extra, capacity * 2)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    unsafe larger.moveInitialize(from: base, count: used)
    unsafe base.deallocate()
    unsafe base = larger
  }
}
