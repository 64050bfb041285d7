/// Predicts the next name from earlier lines: comparing it is cheaper than a lookup.
///
/// A *context* is the previous name and the number of containers that have ended since. Two names
/// are remembered for each. A wrong guess costs time only. Owned by an ``InternTable``, whose
/// numbers they are. Not for two threads at once.
@frozen @usableFromInline package struct NextNamePredictor: ~Copyable {
  /// Number of contexts, a power of two.
  @usableFromInline static var most: Int { 512 }

  @frozen @usableFromInline package struct Guess: BitwiseCopyable {
    /// The words of the name (``InternTable/words(_:_:length:)``), which match no bytes at first.
    @usableFromInline var head: UInt64 = 1
    @usableFromInline var tail: UInt64 = 0
    /// The bits of the words that belong to the name.
    @usableFromInline var headMask: UInt64 = 0
    @usableFromInline var tailMask: UInt64 = 0
    /// Bytes of the name, 1 to 16; 0 for no guess.
    @usableFromInline package var length: UInt16 = 0
    @usableFromInline package var number: UInt16 = 0

    @inlinable init() {}

    /// Whether the name is the beginning of the 16 bytes `low`, `high`.
    @inlinable @inline(__always) package func begins(_ low: UInt64, _ high: UInt64) -> Bool {
      ((low & headMask) ^ head) | ((high & tailMask) ^ tail) == 0
    }
  }

  /// The name that was learnt last, and the one before it.
  @frozen @usableFromInline struct Pair: BitwiseCopyable {
    @usableFromInline var first = Guess()
    @usableFromInline var second = Guess()

    @inlinable init() {}
  }

  /// Number of misses since two names are remembered.
  @usableFromInline var misses: UInt8 = 0
  /// One pair until something is learnt: many tables never learn.
  @usableFromInline var pairs = SlotTable(repeating: Pair(), count: 1)

  @inlinable init() {}

  /// The context after the name with that number, 0 = the beginning.
  @inlinable @inline(__always)
  package static func context(after number: UInt16) -> Int { Int(number) }

  /// The context when a container has ended there.
  @inlinable @inline(__always)
  package static func context(closed context: Int) -> Int { context &+ 97 }

  /// Makes room for what will be learnt; ``pairs`` stay where they are from then on.
  mutating func prepare() {
    if pairs.mask == 0 { pairs = SlotTable(repeating: Pair(), count: Self.most) }
  }

  /// Records that the name, 1 to 16 bytes with these words, came at `context`. Of two names only
  /// every eighth miss replaces one: where many alternate, learning each would cost more than it
  /// saves.
  package mutating func learn(
    _ head: UInt64, _ tail: UInt64, length: Int, number: UInt16, at context: Int
  ) {
    prepare()
    if pairs[context].second.length > 0 {
      misses &+= 1
      if misses & 7 > 0 { return }
    }
    var pair = pairs[context]
    // It may have been missed because of the bytes around it.
    if pair.first.number == number { return }
    var guess = Guess()
    (guess.head, guess.tail) = (head, tail)
    (guess.headMask, guess.tailMask) = InternTable.words(~0, ~0, length: length)
    guess.length = UInt16(truncatingIfNeeded: length)
    guess.number = number
    (pair.first, pair.second) = (guess, pair.first)
    pairs[context] = pair
  }

  /// As numbers get another meaning.
  func removeAll() { pairs.fill(with: Pair()) }
}
