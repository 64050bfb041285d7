/// Values by text; each text has a number in the order of insertion. A value type, for tables that
/// are copied, merged or passed from thread to thread.
///
/// Open addressing over a power of two of slots; a slot is 1 + the number of a text, 0 = free. At
/// most half of them are taken, so every probe ends.
package struct TextTable<Value: Sendable>: Sendable {
  private var slots = [UInt32](repeating: 0, count: 16)
  private var hashes: [UInt64] = []
  /// The texts, by number.
  package private(set) var texts: [[UInt8]] = []
  /// The values, by number.
  package var values: [Value] = []

  package init() {}

  /// Number of texts.
  package var count: Int { texts.count }

  /// The number of `text`, or nil. Complexity: O(`text.count`) on average.
  package func find(_ text: ByteView) -> Int? { find(text, TableHash.of(text)).number }

  /// The number of `text`; a new one gets `value`. Complexity: O(`text.count`) on average.
  package mutating func number(of text: ByteView, orAdd value: @autoclosure () -> Value) -> Int {
    let hash = TableHash.of(text)
    let (number, slot) = find(text, hash)
    if let number { return number }
    slots[slot] = UInt32(count + 1)
    hashes.append(hash)
    texts.append(text.array)
    values.append(value())
    if 2 * count > slots.count { grow() }
    return count - 1
  }

  /// The number of `text`, or its free slot.
  private func find(_ text: ByteView, _ hash: UInt64) -> (number: Int?, slot: Int) {
    var slot = home(hash)
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      if hashes[number] == hash, text == texts[number] { return (number, slot) }
      slot = (slot + 1) & (slots.count - 1)
    }
    return (nil, slot)
  }

  private func home(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash) & (slots.count - 1)
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: 2 * slots.count)
    for number in hashes.indices {
      var slot = home(hashes[number])
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(number + 1)
    }
  }
}

extension ByteView {
  /// Whether the view holds exactly `bytes`. Complexity: O(`count`).
  package static func == (view: ByteView, bytes: [UInt8]) -> Bool {
    guard view.count == bytes.count else { return false }
    for index in bytes.indices where view[index] != bytes[index] { return false }
    return true
  }
}
