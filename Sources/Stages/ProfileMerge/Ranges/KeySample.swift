import Pipeline

/// Keys of a log, from which the ranges of a run are chosen.
struct KeySample: ~Copyable {
  /// Ranges of a run: 1 to 3 MiB each in a log of a night, which fits into the caches.
  static let usualRanges = 256
  /// A key, and the bytes of states that it stands for.
  private struct Entry {
    let key: Range<Int>
    let bytes: Int
  }

  private let partitions: Int
  /// A key is added for so many bytes of states, and those since the last one.
  private let step: Int
  private var passed = 0
  private var texts = ByteBuffer()
  /// By list (``KeyRanges/list(_:_:)``).
  private var entries: [[Entry]]

  /// A sample with a key for each `step` bytes of states.
  init(partitions: Int, every step: Int = 1) {
    (self.partitions, self.step) = (partitions, step)
    entries = Array(repeating: [], count: partitions * KeySection.allCases.count)
  }

  /// Adds keys of states.
  mutating func add(_ bytes: ByteView) {
    var offset = 0
    while let layout = KeyState.Layout(bytes, at: offset) {
      passed += layout.end - offset
      offset = layout.end
      if passed < step { continue }
      add(bytes[layout.key], bytes: passed)
      passed = 0
    }
  }

  /// Adds the keys of the first states of a chunk of `bytes` bytes, at most `most` of them, which
  /// stand for the others. The `beginning` may end within a state.
  mutating func add(beginning: ByteView, of bytes: Int, most: Int) {
    var keys: [Range<Int>] = []
    var offset = 0
    while keys.count < most, let layout = KeyState.Layout(beginning, at: offset, isWhole: false) {
      keys.append(layout.key)
      offset = layout.end
    }
    for key in keys { add(beginning[key], bytes: bytes / keys.count) }
  }

  /// Adds a key with `bytes` bytes of states, its own or of those around it.
  mutating func add(_ key: ByteView, bytes: Int) {
    guard let section = KeySection(of: key) else { return }
    let partition = partitions == 1 ? 0 : KeyHash.partition(XXH64.hash(key), of: partitions)
    let start = texts.count
    texts.append(key)
    entries[KeyRanges.list(partition, section)].append(
      Entry(key: start..<texts.count, bytes: bytes))
  }

  /// Bytes of the states that the keys stand for.
  var bytes: Int { entries.joined().reduce(0) { $0 + $1.bytes } }

  /// By list: keys that divide what was added into about `most` ranges of the same size.
  func splitters(_ most: Int = usualRanges) -> [[[UInt8]]] {
    let sizes = entries.map { $0.reduce(0) { $0 + $1.bytes } }
    let all = max(1, sizes.reduce(0, +))
    return entries.indices.map { list in
      splitters(entries[list], size: sizes[list], ranges: max(1, most * sizes[list] / all))
    }
  }

  private func splitters(_ entries: [Entry], size: Int, ranges: Int) -> [[UInt8]] {
    var splitters: [[UInt8]] = []
    var (sum, last) = (0, entries.first.map { texts[$0.key] } ?? "")
    for entry in entries.sorted(by: { texts[$0.key] < texts[$1.key] }) {
      let key = texts[entry.key]
      if sum >= (splitters.count + 1) * size / ranges, last != key { splitters.append(key.array) }
      (sum, last) = (sum + entry.bytes, key)
    }
    return splitters
  }
}
