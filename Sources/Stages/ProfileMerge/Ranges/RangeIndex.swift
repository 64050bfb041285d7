import Pipeline

/// The keys of one range in order, each with its states, which are where the log has put them.
/// Immutable.
struct RangeIndex: ~Copyable, Sendable {
  /// A key, in a form for fast sorting.
  struct Key: BitwiseCopyable {
    /// The bytes after those that all keys begin with, big-endian.
    var word: UInt64 = 0
    /// The first state; others follow in ``states``.
    var state: UInt32
  }

  struct State: BitwiseCopyable {
    let chunk: UInt32
    let offset: UInt32
    /// The number of the next one of the key, plus 1; 0 = none.
    var next: UInt32 = 0
  }

  // Never changed. Swift 6.2 refuses to call `sort()` beside a constant here.
  private var chunks: [Frozen<ByteBuffer>]
  private var keys: [Key] = []
  private var states = PlainList<State>()

  /// The index of `chunks`. Complexity: O(n + k log k) for n states of k keys.
  init(_ chunks: [Frozen<ByteBuffer>]) {
    self.chunks = chunks
    var index = HashIndex()
    for (number, chunk) in chunks.enumerated() {
      let bytes = chunk.value.view
      var offset = 0
      while let layout = KeyState.Layout(bytes, at: offset) {
        let key = bytes[layout.key]
        let new = UInt32(keys.count)
        let (known, isNew) = index.findOrInsert(TableHash.of(key), new) {
          text(keys[Int($0)]) == key
        }
        var state = State(chunk: UInt32(number), offset: UInt32(offset))
        if isNew {
          keys.append(Key(state: UInt32(states.count)))
        } else {
          let first = Int(keys[Int(known)].state)
          state.next = states[first].next
          states[first].next = UInt32(states.count + 1)
        }
        states.append(state)
        offset = layout.end
      }
      precondition(offset == bytes.count, "a log is a list of states")
    }
    sort()
  }

  private mutating func sort() {
    var keys = keys
    self.keys = []
    guard let first = keys.first.map({ text($0) }) else { return }
    var shared = first.count
    for key in keys {
      let text = text(key)
      shared = min(shared, text.count)
      while text[0..<shared] != first[0..<shared] { shared -= 1 }
    }
    for index in keys.indices {
      keys[index].word = text(keys[index]).dropFirst(shared).head64.byteSwapped
    }
    keys.sort { $0.word != $1.word ? $0.word < $1.word : text($0) < text($1) }
    self.keys = keys
  }

  var count: Int { keys.count }
  var stateCount: Int { states.count }
  subscript(number: Int) -> ByteView { text(keys[number]) }

  private func text(_ key: Key) -> ByteView {
    let state = states[Int(key.state)]
    let bytes = chunks[Int(state.chunk)].value.view
    guard let layout = KeyState.Layout(bytes, at: Int(state.offset)) else {
      preconditionFailure("a log is a list of states")
    }
    return bytes[layout.key]
  }

  /// The number of the first key that is not before `key`. Complexity: O(log keys).
  func first(from key: ByteView) -> Int { keys.indices.binarySearch { text(keys[$0]) < key } }

  /// The next state of the key `number`; `position` is 0 at first.
  func state(of number: Int, _ position: inout UInt32) -> KeyState? {
    let next = position == 0 ? keys[number].state : states[Int(position - 1)].next &- 1
    guard next < .max else { return nil }
    position = next + 1
    let state = states[Int(next)]
    var offset = Int(state.offset)
    return KeyState(chunks[Int(state.chunk)].value.view, at: &offset)
  }

  /// The keys with one state each. Duplicates are counted into `duplicates`.
  func joined(_ duplicates: inout DuplicateTally) -> Frozen<ByteBuffer> {
    var compactor = MutationCompactor()
    var bytes = ByteBuffer()
    for number in keys.indices {
      compactor.begin()
      var position: UInt32 = 0
      while let state = state(of: number, &position) { compactor.add(state.records) }
      compactor.finish(duplicates: &duplicates)
      KeyState(key: self[number], records: compactor.bytes.view).append(to: &bytes)
    }
    var exact = ByteBuffer(capacity: bytes.count)
    exact.append(bytes.view)
    return Frozen(exact)
  }
}
