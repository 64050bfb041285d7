import Pipeline

/// Keys of a log, from which the ranges of a run are chosen.
struct KeySample {
  /// Ranges of a run: 1 to 3 MiB each in a log of a night, which fits into the caches.
  static let usualRanges = 256

  /// Most bytes of states whose keys are added, about.
  private static let mostBytes = 8 << 20

  private let partitions: Int
  /// One of so many states is added.
  private let step: Int
  private var states = 0
  /// By list (``KeyRanges/list(_:_:)``): keys, and the bytes of their states.
  private var keys: [[(key: [UInt8], bytes: Int)]]

  /// A sample of states of `bytes` bytes.
  init(partitions: Int, of bytes: Int) {
    self.partitions = partitions
    step = 1 + bytes / Self.mostBytes
    keys = Array(repeating: [], count: partitions * KeySection.allCases.count)
  }

  /// Adds the keys of states.
  mutating func add(_ bytes: ByteView) {
    var offset = 0
    while let layout = KeyState.Layout(bytes, at: offset) {
      states += 1
      if states % step > 0 {
        offset = layout.end
        continue
      }
      let key = bytes[layout.key]
      guard let section = KeySection(of: key) else { return }
      let partition =
        partitions == 1 ? 0 : KeyHash.partition(XXH64.hash(key), of: partitions)
      keys[KeyRanges.list(partition, section)].append((key.array, layout.end - offset))
      offset = layout.end
    }
  }

  /// By list: keys that divide what was added into about `most` ranges of the same size.
  func splitters(_ most: Int = usualRanges) -> [[[UInt8]]] {
    let sizes = keys.map { $0.reduce(0) { $0 + $1.bytes } }
    let all = max(1, sizes.reduce(0, +))
    return keys.indices.map { list in
      Self.splitters(keys[list], size: sizes[list], ranges: max(1, most * sizes[list] / all))
    }
  }

  private static func splitters(
    _ keys: [(key: [UInt8], bytes: Int)], size: Int, ranges: Int
  ) -> [[UInt8]] {
    var splitters: [[UInt8]] = []
    var (sum, last) = (0, keys.first?.key)
    for (key, bytes) in keys.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      if sum >= (splitters.count + 1) * size / ranges, last != key { splitters.append(key) }
      (sum, last) = (sum + bytes, key)
    }
    return splitters
  }
}
