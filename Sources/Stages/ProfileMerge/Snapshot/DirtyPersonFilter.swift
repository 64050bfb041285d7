package import Pipeline

/// The people whose profiles may differ from those of the previous snapshot: a set that may say yes
/// too often and never no (a Bloom filter), so that it takes the same memory however many they are.
///
/// A yes too many has a profile rendered that could have been copied: the same bytes, some work.
/// One thread while it is filled, then any number.
package struct DirtyPersonFilter: Sendable {
  /// Words of a filter, a power of two: 16 MiB, 13 bits for each of ten million people.
  package static let usualWords = 1 << 21

  /// None as long as nobody is in it: most filters of a short run stay empty.
  private var words: [UInt64] = []
  private let mask: Int
  /// Whether nobody is in it.
  package var isEmpty: Bool { words.isEmpty }

  /// Nobody.
  package init(words count: Int = DirtyPersonFilter.usualWords) {
    precondition(count > 0 && count & (count - 1) == 0, "a filter has a power of two of words")
    mask = count - 1
  }

  /// Adds the person whose key text has the hash `hash`.
  package mutating func insert(_ hash: UInt64) {
    if isEmpty { words = Array(repeating: 0, count: mask + 1) }
    let mark = KeyHash.mark(hash)
    words[word(mark)] |= Self.bits(mark)
  }

  /// Whether the person whose key text has the hash `hash` may be in the set.
  func contains(_ hash: UInt64) -> Bool { contains(mark: KeyHash.mark(hash)) }

  /// Whether a person with the mark `mark` (``KeyHash/mark(_:)``) may be in the set.
  func contains(mark: UInt32) -> Bool {
    let bits = Self.bits(mark)
    return !isEmpty && words[word(mark)] & bits == bits
  }

  /// Takes in everybody of a filter of the same size.
  package mutating func merge(_ other: DirtyPersonFilter) {
    precondition(mask == other.mask, "filters of one size can be merged")
    guard !isEmpty else { return words = other.words }
    for index in other.words.indices { words[index] |= other.words[index] }
  }

  /// Appends the filter to `bytes`, 8 bytes for each of its words.
  package func append(to bytes: inout ByteBuffer) {
    bytes.append(words64: isEmpty ? Array(repeating: 0, count: mask + 1) : words)
  }

  /// The filter that ``append(to:)`` has written; nil when `bytes` are none of the usual size.
  package init?(_ bytes: ByteView) {
    guard bytes.count == 8 * Self.usualWords else { return nil }
    self.init()
    if !bytes.isZero { words = bytes.words64 }
  }

  private func word(_ mark: UInt32) -> Int { Int(mark >> 11) & mask }

  /// Two bits of a word, by the 11 bits of the mark that do not tell the word.
  private static func bits(_ mark: UInt32) -> UInt64 {
    1 << UInt64(mark & 63) | 1 << UInt64(mark >> 5 & 63)
  }
}
