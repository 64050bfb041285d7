import Pipeline

/// Values by text; each text has a number in the order of insertion. A value type, for tables that
/// are copied, merged or passed from thread to thread.
struct ValuesByText<Value: Sendable>: Sendable {
  /// The numbers by the hashes of the texts; where one is taken, the next hash stands for it.
  private var numbers: [UInt64: Int] = [:]
  /// The texts, by number.
  private(set) var texts: [[UInt8]] = []
  /// The values, by number.
  var values: [Value] = []

  /// Number of texts.
  var count: Int { texts.count }

  /// The number of `text`, or nil. Complexity: O(`text.count`) on average.
  func find(_ text: ByteView) -> Int? { place(of: text).number }

  /// The number of `text`; a new one gets `value`. Complexity: O(`text.count`) on average.
  mutating func number(of text: ByteView, orAdd value: @autoclosure () -> Value) -> Int {
    let (hash, number) = place(of: text)
    if let number { return number }
    numbers[hash] = count
    texts.append(text.array)
    values.append(value())
    return count - 1
  }

  private func place(of text: ByteView) -> (hash: UInt64, number: Int?) {
    var hash = TableHash.of(text)
    while let number = numbers[hash] {
      if text == texts[number] { return (hash, number) }
      hash &+= 1
    }
    return (hash, nil)
  }
}
