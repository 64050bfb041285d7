import Pipeline

/// Ranges of keys in the order in which they are published: by partition, section and text. Each
/// key belongs to one range, by comparison with the splitters between them, so no choice of keys
/// can make one range the home of all unless it holds all of them. Immutable.
///
/// ```
/// list (partition 0, custom)  │ range 0 │ splitter │ range 1 │ splitter │ range 2 │
/// list (partition 0, install) │ range 3 │ …
/// ```
struct KeyRanges: ~Copyable, Sendable {
  /// The ranges of one section of one partition.
  struct List: BitwiseCopyable {
    /// Number of its first range; its splitters are those from ``splitters`` on.
    var first = 0
    var splitters = 0
    var count = 0
    /// What all its splitters begin with: so many bytes of the first one.
    var shared = 0
  }

  /// A splitter: the first key of a range.
  struct Splitter: BitwiseCopyable {
    /// The bytes after the shared ones, big-endian.
    let word: UInt64
    /// Where its text begins in ``texts``, and the length.
    let start: UInt32
    let length: UInt32
  }

  let partitions: Int
  private var lists: PlainList<List>
  private var splitters = PlainList<Splitter>()
  private var texts = ByteBuffer()
  private(set) var count = 0

  /// A range for each section of each partition; those with the number `n` are divided at the keys
  /// `keys[n]`, which are in order.
  init(partitions: Int, _ keys: [[[UInt8]]] = []) {
    self.partitions = partitions
    lists = PlainList(repeating: List(), count: partitions * KeySection.allCases.count)
    for number in lists.indices {
      let keys = number < keys.count ? keys[number] : []
      var list = List(first: count, splitters: splitters.count, count: keys.count)
      if let first = keys.first, let last = keys.last, keys.count > 1 {
        while list.shared < min(first.count, last.count), first[list.shared] == last[list.shared] {
          list.shared += 1
        }
      }
      for key in keys {
        let start = texts.count
        texts.append(contentsOf: key)
        let text = texts.view.dropFirst(start)
        splitters.append(
          Splitter(
            word: text.dropFirst(list.shared).head64.byteSwapped, start: UInt32(start),
            length: UInt32(key.count)))
      }
      lists[number] = list
      count += keys.count + 1
    }
  }

  /// By list: the keys at which it is divided.
  var keys: [[[UInt8]]] {
    lists.indices.map { number in
      let list = lists[number]
      return (list.splitters..<list.splitters + list.count).map { text($0).array }
    }
  }

  static func list(_ partition: Int, _ section: KeySection) -> Int {
    partition * KeySection.allCases.count + section.rawValue
  }

  func ranges(_ partition: Int, _ section: KeySection) -> Range<Int> {
    let list = lists[Self.list(partition, section)]
    return list.first..<list.first + list.count + 1
  }

  func range(of key: ByteView, _ section: KeySection, hash: UInt64) -> Int {
    let partition = partitions == 1 ? 0 : KeyHash.partition(hash, of: partitions)
    return range(of: key, in: lists[Self.list(partition, section)])
  }

  /// The range of the section that has the key, or would have it. Complexity: O(log ranges).
  func range(of key: ByteView, _ partition: Int, _ section: KeySection) -> Int {
    range(of: key, in: lists[Self.list(partition, section)])
  }

  private func range(of key: ByteView, in list: List) -> Int {
    if list.count == 0 { return list.first }
    let known = text(list.splitters)
    if list.shared > 0, key.count < list.shared || key[0..<list.shared] != known[0..<list.shared] {
      return key < known ? list.first : list.first + list.count
    }
    let word = key.dropFirst(list.shared).head64.byteSwapped
    // The splitters up to the word, without jumps: every second would be mispredicted.
    var (end, left) = (list.splitters, list.count)
    while left > 0 {
      let half = (left + 1) / 2
      end = splitters[end + half - 1].word <= word ? end + half : end
      left -= half
    }
    if end > list.splitters, splitters[end - 1].word == word {
      // A key that is a splitter is the first of its range.
      end = (list.splitters..<end).binarySearch { !(key < text($0)) }
    }
    return list.first + end - list.splitters
  }

  private func text(_ number: Int) -> ByteView {
    let splitter = splitters[number]
    return texts.view[Int(splitter.start)..<Int(splitter.start + splitter.length)]
  }
}
