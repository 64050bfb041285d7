import Pipeline

/// A range of sorted keys: from `lower` up to, not including, `upper`; nil means no limit.
///
/// The limits are whole key texts of one section. Their bytes belong to the plan that made the
/// range.
struct KeyRange {
  var lower: ByteView?
  var upper: ByteView?

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

  func advance() throws(Failure)
}

/// Iterates over several sources side by side: key by key, with all sources that have it. For one
/// thread.
///
/// The cost per key is a logarithm of the number of sources, in comparisons.
struct KWayMerge {
  private struct Entry {
    let key: ByteView
    let cursor: Int
  }

  private let cursors: [any KeyCursor]
  /// The sources that do not have the current key, by their keys, the least last.
  private var others: [Entry] = []
  private var current: [Int] = []
  /// The least key of all sources; nil at the end. Valid until ``advance()``.
  private(set) var key: ByteView?

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

  mutating func advance() throws(Failure) {
    for number in current {
      try cursors[number].advance()
      push(number)
    }
    takeNext()
  }

  private mutating func takeNext() {
    current.removeAll(keepingCapacity: true)
    key = others.last?.key
    guard let key else { return }
    while let last = others.last, last.key == key { current.append(others.removeLast().cursor) }
  }

  private mutating func push(_ cursor: Int) {
    guard let key = cursors[cursor].key else { return }
    let index = others.indices.binarySearch { key < others[$0].key }
    others.insert(Entry(key: key, cursor: cursor), at: index)
  }
}

extension [SortedRun] {
  /// Cursors over the keys of a piece in those that have some. With `isShared`, each piece of the
  /// section is read once, to its end (``SortedRun/share(frame:_:from:_:)``).
  func cursors(
    _ piece: KeyRangeTask, isShared: Bool, _ reader: KeyFrameReader
  ) throws(Failure) -> [any KeyCursor] {
    var cursors: [any KeyCursor] = []
    for run in self {
      if let cursor = try RunCursor(run, piece, isShared: isShared, reader) {
        cursors.append(cursor)
      }
    }
    return cursors
  }
}
