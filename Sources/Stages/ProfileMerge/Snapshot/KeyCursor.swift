import Pipeline

/// A range of sorted keys: from `lower` up to, not including, `upper`; nil means no limit.
///
/// The limits are whole key texts of one section. Their bytes belong to the plan that made the
/// range.
struct KeyRange {
  var lower: ByteView?
  var upper: ByteView?

  /// All keys.
  static var all: KeyRange { KeyRange(lower: nil, upper: nil) }

  /// Whether `key` is before the first key of the range.
  func startsAfter(_ key: ByteView) -> Bool { lower.map { key < $0 } ?? false }

  /// Whether `key` is after the last key of the range.
  func endsBefore(_ key: ByteView) -> Bool { upper.map { !(key < $0) } ?? false }
}

/// Iterates over the keys of one source in byte order, within a range. For one thread.
protocol KeyCursor: AnyObject {
  /// The key at the cursor; nil at the end. Valid until ``advance()``, as its states are.
  var key: ByteView? { get }

  /// The next state of the key at the cursor; `position` is 0 at first. Nil behind the last one.
  func state(_ position: inout UInt32) -> KeyState?

  /// Moves to the next key.
  /// - Throws: `corrupt`, `io`, for a source in a file.
  func advance() throws(Failure)
}

/// Iterates over several sources side by side: key by key, with all sources that have it. For one
/// thread.
///
/// A heap by the keys at the sources' cursors, so the cost per key is a logarithm of their number.
struct KWayMerge {
  /// The key at a cursor, and the number of the cursor.
  private struct Entry {
    let key: ByteView
    let cursor: Int
  }

  private let cursors: [any KeyCursor]
  /// A min-heap by key, without the sources of the current key.
  private var heap: [Entry] = []
  /// The sources that have the current key.
  private var current: [Int] = []
  /// The least key of all sources; nil at the end. Valid until ``advance()``.
  private(set) var key: ByteView?

  /// Begins at the least key of `cursors`.
  init(_ cursors: [any KeyCursor]) {
    self.cursors = cursors
    for number in cursors.indices { push(number) }
    takeNext()
  }

  /// Calls `body` with the states of all sources that have the current key.
  func forEach<Problem: Error>(_ body: (KeyState) throws(Problem) -> Void) throws(Problem) {
    for number in current {
      var position: UInt32 = 0
      while let state = cursors[number].state(&position) { try body(state) }
    }
  }

  /// Writes the states of the current key, each by itself.
  /// - Throws: `io`.
  func copy(to writer: RunWriter, section: KeySection, partition: Int) throws(Failure) {
    try forEach { state throws(Failure) in
      try writer.append(
        state, section: section, hash: XXH64.hash(state.key), partition: partition)
    }
  }

  /// The state of the current key, merged by `compactor`, which holds the records until the next
  /// merge; duplicates are counted into `duplicates`.
  func merged(
    by compactor: inout MutationCompactor, _ duplicates: inout DuplicateTally
  ) -> KeyState {
    guard let key else { preconditionFailure("a cursor is at its end") }
    compactor.begin()
    forEach { compactor.add($0.records) }
    compactor.finish(duplicates: &duplicates)
    return KeyState(key: key, records: compactor.bytes.view)
  }

  /// Moves to the next key.
  mutating func advance() throws(Failure) {
    for number in current {
      try cursors[number].advance()
      push(number)
    }
    takeNext()
  }

  private mutating func takeNext() {
    current.removeAll(keepingCapacity: true)
    key = heap.first?.key
    guard let key else { return }
    while let first = heap.first, first.key == key { current.append(pop()) }
  }

  /// Adds a cursor that is not at its end.
  private mutating func push(_ cursor: Int) {
    guard let key = cursors[cursor].key else { return }
    let entry = Entry(key: key, cursor: cursor)
    heap.append(entry)
    var child = heap.count - 1
    while child > 0, key < heap[(child - 1) / 2].key {
      heap[child] = heap[(child - 1) / 2]
      child = (child - 1) / 2
    }
    heap[child] = entry
  }

  /// Removes the cursor with the least key.
  private mutating func pop() -> Int {
    let first = heap[0].cursor
    let last = heap.removeLast()
    if heap.isEmpty { return first }
    var parent = 0
    while true {
      var least = 2 * parent + 1
      if least >= heap.count { break }
      if least + 1 < heap.count, heap[least + 1].key < heap[least].key { least += 1 }
      guard heap[least].key < last.key else { break }
      heap[parent] = heap[least]
      parent = least
    }
    heap[parent] = last
    return first
  }
}
