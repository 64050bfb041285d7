import Pipeline

/// A stretch of sorted keys: from `lower` up to, not including, `upper`; nil is without a limit.
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

/// Goes through the keys of one source in the order of their bytes, within a range. For one thread.
protocol KeyCursor: AnyObject {
  /// What the source knows of the key at the cursor; nil at the end. Valid until ``advance()``.
  var head: KeyState? { get }

  /// Goes on to the next key.
  /// - Throws: `corrupt`, `io`, for a source in a file.
  func advance() throws(Failure)
}

/// Goes through several sources side by side: key by key, with all that know it. For one thread.
///
/// A heap by the keys of the sources' heads, so that many sources cost a logarithm.
struct KWayMerge {
  /// A heap: no parent has a greater key than its children.
  private var heap: [any KeyCursor] = []
  /// The sources that know the current key.
  private var current: [any KeyCursor] = []
  /// The least key of all sources; nil at the end. Valid until ``advance()``.
  private(set) var key: ByteView?

  /// Begins at the least key of `cursors`.
  init(_ cursors: [any KeyCursor]) {
    for cursor in cursors where cursor.head != nil { push(cursor) }
    takeNext()
  }

  /// Calls `body` with what each source knows of the current key.
  func forEach(_ body: (KeyState) -> Void) {
    for cursor in current {
      if let state = cursor.head { body(state) }
    }
  }

  /// Everything that is known of the current key, merged by `compactor`, which holds the records
  /// until it merges the next; duplicates are counted into `duplicates`.
  func merged(
    by compactor: inout MutationCompactor, _ duplicates: inout DuplicateTally
  ) -> KeyState {
    guard let key else { preconditionFailure("nothing is behind the end") }
    var state = KeyState(key: key)
    compactor.begin()
    forEach { known in
      state.merge(known)
      compactor.add(known.records)
    }
    compactor.finish(clear: state.clear, duplicates: &duplicates)
    state.records = compactor.bytes.view
    return state
  }

  /// What is known of the current key if only a table knows it: then its texts stay where they are.
  var stableState: KeyState? {
    current.count == 1 && current[0] is PlaceCursor ? current[0].head : nil
  }

  /// Goes on to the next key.
  mutating func advance() throws(Failure) {
    for cursor in current {
      try cursor.advance()
      if cursor.head != nil { push(cursor) }
    }
    takeNext()
  }

  private mutating func takeNext() {
    current.removeAll(keepingCapacity: true)
    key = heap.first?.head?.key
    guard let key else { return }
    while let first = heap.first, first.head?.key == key { current.append(pop()) }
  }

  private func precedes(_ a: Int, _ b: Int) -> Bool {
    guard let first = heap[a].head?.key, let second = heap[b].head?.key else {
      preconditionFailure("a cursor at its end is in no heap")
    }
    return first < second
  }

  private mutating func push(_ cursor: any KeyCursor) {
    heap.append(cursor)
    var child = heap.count - 1
    while child > 0, precedes(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func pop() -> any KeyCursor {
    heap.swapAt(0, heap.count - 1)
    let first = heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if precedes(child, least) { least = child }
      }
      if least == parent { return first }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
