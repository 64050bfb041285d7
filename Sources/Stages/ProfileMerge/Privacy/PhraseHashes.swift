import Pipeline

/// Finds any of many phrases in one pass over the words of a text, as Karp and Rabin (1987) find
/// any of many words in one pass over its characters.
///
/// The words are hashed once. For each number of words that a phrase has, the hash of that many
/// last words follows from two sums. An automaton would need no such loop, but a node per word of a
/// phrase: 40 times the memory.
package struct PhraseHashes: Sendable {
  package struct Window: Sendable {
    /// By number of the word, modulo their count: the hash of the text before it, and where it
    /// begins.
    fileprivate var sums: [UInt64]
    fileprivate var starts: [Int]
    fileprivate var count = 0

    package mutating func reset() {
      count = 0
      sums[0] = 0
    }
  }

  /// 2^61 - 1, a prime.
  private static let modulus: UInt64 = 1 << 61 - 1
  /// What no input can know.
  private static let base = TableHash.secret.first % modulus

  /// The numbers of words that phrases have, ascending, and that power of the base.
  private var lengths: [(words: Int, power: UInt64)] = []
  private var hashes: Set<UInt64> = []
  /// A bit for each hash, so that most others are known at once.
  private var bits: [UInt64]

  init(_ phrases: [[UInt8]]) {
    var counts: Set<Int> = []
    var text = ByteBuffer()
    for phrase in phrases {
      text.removeAll()
      text.append(contentsOf: phrase)
      var (hash, words): (UInt64, Int) = (0, 0)
      for part in Words(text.view) {
        hash = Self.sum(Self.product(hash, Self.base), Self.hash(text[part.range]))
        words += 1
      }
      hashes.insert(hash)
      counts.insert(words)
    }
    var (power, words): (UInt64, Int) = (1, 0)
    for count in counts.sorted() {
      while words < count { (power, words) = (Self.product(power, Self.base), words + 1) }
      lengths.append((words, power))
    }
    bits = [UInt64](repeating: 0, count: Self.powerOfTwo(atLeast: hashes.count))
    for hash in hashes { bits[Int(hash >> 6) & (bits.count - 1)] |= 1 << (hash & 63) }
  }

  var window: Window {
    let count = Self.powerOfTwo(atLeast: (lengths.last?.words ?? 0) + 1)
    return Window(
      sums: Array(repeating: 0, count: count), starts: Array(repeating: 0, count: count))
  }

  /// Moves `window` past the next part of a text (``Words``), and returns whether the last words
  /// have the hash of a phrase, and `isPhrase` holds for them. Complexity: O(`range.count` +
  /// lengths of phrases in words).
  func advance(
    _ window: inout Window, past range: Range<Int>, of text: ByteView,
    _ isPhrase: (ByteView) -> Bool
  ) -> Bool {
    let mask = window.sums.count - 1
    let before = window.sums[window.count & mask]
    window.starts[window.count & mask] = range.lowerBound
    window.count += 1
    let sum = Self.sum(Self.product(before, Self.base), Self.hash(text[range]))
    window.sums[window.count & mask] = sum
    for (words, power) in lengths {
      if words > window.count { break }
      let first = (window.count - words) & mask
      let hash = Self.sum(sum, Self.modulus - Self.product(window.sums[first], power))
      if bits[Int(hash >> 6) & (bits.count - 1)] & 1 << (hash & 63) != 0, hashes.contains(hash),
        isPhrase(text[window.starts[first]..<range.upperBound])
      {
        return true
      }
    }
    return false
  }

  /// The hash of a word. `+`, as in the query of a URL, and a no-break space are spaces.
  private static func hash(_ word: ByteView) -> UInt64 {
    TableHash.of(word == "+" || word == "\u{A0}" ? " " : word) % modulus
  }

  private static func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
    a + b >= modulus ? a + b - modulus : a + b
  }

  private static func product(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let (high, low) = a.multipliedFullWidth(by: b)
    return sum(high << 3 | low >> 61, low & modulus)
  }

  private static func powerOfTwo(atLeast count: Int) -> Int {
    1 << (Int.bitWidth - max(count - 1, 0).leadingZeroBitCount)
  }
}
