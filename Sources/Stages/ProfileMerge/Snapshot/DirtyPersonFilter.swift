package import Pipeline

/// The people whose profiles may differ from those of the previous snapshot: a Bloom filter, with
/// false positives but no false negatives, sized by the number of people.
///
/// A false positive renders a profile that could have been copied: the same bytes, some work. A
/// small filter also keeps the marks of its people, so that it can grow, and be merged into filters
/// of any size. One thread while it is filled, then any number.
package struct DirtyPersonFilter: Sendable {
  /// Words of the smallest filter; each larger one has 8 times as many.
  private static let fewestWords = 1 << 6
  /// Words of the largest filter, which keeps no marks: 16 MiB, 13 bits for each of ten million
  /// people.
  private static let mostWords = 1 << 21
  package static let longest = 8 * mostWords
  /// People for each word, 16 bits each, from which on a larger filter is made.
  private static let peoplePerWord = 4

  private var words: [UInt64] = []
  private var marks: [UInt32] = []
  package var isEmpty: Bool { words.isEmpty }
  private var isLargest: Bool { words.count == Self.mostWords }
  package init() {}

  /// Adds the person whose key text has the hash `hash`. Complexity: amortised O(1).
  package mutating func insert(_ hash: UInt64) { insert(mark: KeyHash.mark(hash)) }

  private mutating func insert(mark: UInt32) {
    if isEmpty { words = Array(repeating: 0, count: Self.fewestWords) }
    if !isLargest {
      // What is said of a person is often consecutive.
      if marks.last == mark { return }
      let most = Self.peoplePerWord * words.count
      if marks.count == most {
        marks = Array(Set(marks))
        if marks.count > most / 2 { grow(to: 8 * words.count) }
      }
    }
    if !isLargest { marks.append(mark) }
    set(mark)
  }

  private mutating func set(_ mark: UInt32) { words[word(mark)] |= Self.bits(mark) }

  private mutating func grow(to count: Int) {
    words = Array(repeating: 0, count: count)
    for mark in marks { set(mark) }
    if isLargest { marks = [] }
  }

  func contains(_ hash: UInt64) -> Bool { contains(mark: KeyHash.mark(hash)) }

  /// Whether a person with the mark `mark` (``KeyHash/mark(_:)``) may be in the set.
  func contains(mark: UInt32) -> Bool {
    let bits = Self.bits(mark)
    return !isEmpty && words[word(mark)] & bits == bits
  }

  package mutating func merge(_ other: DirtyPersonFilter) {
    guard other.isLargest else {
      for mark in other.marks { insert(mark: mark) }
      return
    }
    if !isLargest { grow(to: Self.mostWords) }
    for index in other.words.indices { words[index] |= other.words[index] }
  }

  /// Appends the filter to `bytes`: the marks in ascending order, 4 bytes each, or the words of the
  /// largest filter, 8 bytes each. The marks never take as many bytes as that filter.
  package func append(to bytes: inout ByteBuffer) {
    if isLargest { return words.forEach { bytes.append(word64: $0) } }
    var last: UInt32?
    for mark in marks.sorted() where mark != last {
      bytes.append(word32: mark)
      last = mark
    }
  }

  /// Reads what ``append(to:)`` wrote; nil when `bytes` are invalid.
  package init?(_ bytes: ByteView) {
    if bytes.count == Self.longest {
      words = (0..<Self.mostWords).map { bytes.word64(at: 8 * $0) }
      return
    }
    guard bytes.count % 4 == 0, bytes.count < Self.longest else { return nil }
    for offset in stride(from: 0, to: bytes.count, by: 4) { insert(mark: bytes.word32(at: offset)) }
  }

  private func word(_ mark: UInt32) -> Int { Int(mark >> 11) & (words.count - 1) }

  /// Two bits of a word, by the 11 bits of the mark that do not select the word.
  private static func bits(_ mark: UInt32) -> UInt64 {
    1 << UInt64(mark & 63) | 1 << UInt64(mark >> 5 & 63)
  }
}
