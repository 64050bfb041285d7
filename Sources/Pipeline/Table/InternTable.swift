/// Numbers short texts that occur repeatedly, such as the field names of a log: 1, 2, 3, … in the
/// order of first occurrence.
///
/// Open addressing over slots that identify a text of up to 16 bytes completely:
///
/// ```
/// head 64 | tail 64 | length 16 | number 16 | offset in `texts` 32      number 0 = empty
/// ```
/// `head` is the first eight bytes, `tail` the next eight, missing bytes zero. For a longer text
/// `tail` is a hash, and the bytes are compared in `texts`: names may differ only in the middle.
/// The home slot depends on secret numbers of this process (``TableHash``), so no input can make
/// texts collide.
///
/// Texts longer than ``longest``, and those after ``most``, get none. Not thread-safe.
@usableFromInline package final class InternTable {
  /// In bytes.
  @inlinable package static var longest: Int { 64 }
  @inlinable package static var most: Int { 2048 }
  /// Number of slots at first, a power of two.
  @usableFromInline static var smallest: Int { 256 }

  @frozen @usableFromInline struct Slot: BitwiseCopyable {
    @usableFromInline var head: UInt64 = 0
    @usableFromInline var tail: UInt64 = 0
    @usableFromInline var length: UInt16 = 0
    @usableFromInline var number: UInt16 = 0
    @usableFromInline var position: UInt32 = 0

    @inlinable init() {}
  }

  /// At most half of them are taken, so every probe ends.
  @usableFromInline var slots = SlotTable(repeating: Slot(), count: InternTable.smallest)
  /// The shift that turns a mixed word into a slot number.
  @usableFromInline var shift = UInt64(64 - InternTable.smallest.trailingZeroBitCount)
  /// The offset of each text in `texts`, by number - 1, and the end of the last one.
  @usableFromInline var starts = PlainList<UInt32>(repeating: 0, count: 1)
  @usableFromInline var texts = ByteBuffer(capacity: 1 << 11)
  @usableFromInline let takesTexts: Bool
  @usableFromInline let secret: TableHash.Secret = TableHash.secret
  /// Predictions of the next name, for callers that read names in order.
  @usableFromInline var guesses = NextNamePredictor()

  /// With `takesTexts` false every text gets the number 0.
  @inlinable package init(takesTexts: Bool = true) { self.takesTexts = takesTexts }

  @inlinable package var count: Int { starts.count - 1 }
  @inlinable package var isFull: Bool { count == InternTable.most }

  /// The text with that number, 1 to ``count``; valid until the next one gets a number.
  @inlinable package func text(_ number: Int) -> ByteView {
    texts[Int(starts[number - 1])..<Int(starts[number])]
  }

  /// The number of `text`, which gets one; 0 when it is empty or too long, or the table is full.
  @usableFromInline package func number(of text: ByteView) -> UInt16 {
    let length = text.count
    guard length > 0, length <= InternTable.longest else { return 0 }
    let head = text.head64
    let tail = length > 16 ? TableHash.of(text) : text.dropFirst(min(length, 8)).head64
    return number(of: text, head, tail) { length <= 16 || self.isSame(text, $0) }
  }

  /// The same for a text of 1 to ``longest`` bytes with these words, if `isSame` for the rest.
  @inline(__always) private func number(
    of text: ByteView, _ head: UInt64, _ tail: UInt64, isSame: (_ position: UInt32) -> Bool
  ) -> UInt16 {
    let position = slots.position(from: home(head, tail)) { slot in
      slot.number == 0
        || (slot.head ^ head) | (slot.tail ^ tail) == 0 && Int(slot.length) == text.count
          && isSame(slot.position)
    }
    let number = slots[position].number
    return number == 0 ? add(text, head, tail, at: position) : number
  }

  /// The number of a text of 1 to 16 bytes that is in its home slot; 0: call ``number(of:)``.
  @inlinable @inline(__always)
  package func quickNumber(_ head: UInt64, _ tail: UInt64, length: Int) -> UInt16 {
    let slot = slots[home(head, tail)]
    let isSame = (slot.head ^ head) | (slot.tail ^ tail) == 0 && Int(slot.length) == length
    return isSame ? slot.number : 0
  }

  /// The same for a name after that of `position`, where it is expected from now on if it has up to
  /// 16 bytes. `low` and `high` are the 16 bytes where it begins.
  @inline(__always)
  func number(of name: ByteView, _ low: UInt64, _ high: UInt64, learntAt position: Int) -> UInt16 {
    guard UInt(bitPattern: name.count &- 1) < 16 else { return number(of: name) }
    let (head, tail) = InternTable.words(low, high, length: name.count)
    let number = self.number(of: name, head, tail) { _ in true }
    if number != 0 { guesses.learn(head, tail, length: name.count, number: number, at: position) }
    return number
  }

  package func removeAll() {
    shift = UInt64(64 - InternTable.smallest.trailingZeroBitCount)
    slots = SlotTable(repeating: Slot(), count: InternTable.smallest)
    starts.truncate(to: 1)
    texts.removeAll()
    guesses.removeAll()
  }

  @inlinable @inline(__always) func home(_ head: UInt64, _ tail: UInt64) -> Int {
    let mixed = TableHash.fold(head ^ secret.first, tail ^ secret.second)
    return Int(truncatingIfNeeded: mixed &>> shift)
  }

  private func isSame(_ text: ByteView, _ position: UInt32) -> Bool {
    texts[Int(position)..<Int(position) + text.count] == text
  }

  @inline(never)
  private func add(_ text: ByteView, _ head: UInt64, _ tail: UInt64, at position: Int) -> UInt16 {
    if isFull || !takesTexts { return 0 }
    var slot = Slot()
    slot.head = head
    slot.tail = tail
    slot.length = UInt16(text.count)
    slot.number = UInt16(count + 1)
    slot.position = UInt32(texts.count)
    slots[position] = slot
    texts.append(text)
    starts.append(UInt32(texts.count))
    if count * 2 >= slots.count { grow() }
    return slot.number
  }

  private func grow() {
    shift -= 1
    slots = slots.grown(Slot(), isFree: { $0.number == 0 }) { home($0.head, $0.tail) }
  }
}

/// The words that identify a text of up to 16 bytes, for ``InternTable/quickNumber(_:_:length:)``.
extension InternTable {
  /// The first `length` bytes (1 to 16) of the 16 bytes `low`, `high`, the others zero.
  @inlinable @inline(__always) package static func words(
    _ low: UInt64, _ high: UInt64, length: Int
  ) -> (head: UInt64, tail: UInt64) {
    let bits = UInt64(truncatingIfNeeded: length &* 8)
    let head = length >= 8 ? low : low & (~0 &>> (64 &- bits))
    let tail = length > 8 ? high & (~0 &>> (128 &- bits)) : 0
    return (head, tail)
  }
}
