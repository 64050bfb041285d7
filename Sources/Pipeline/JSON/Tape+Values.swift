/// Values of a line that is expected to have a certain form.
extension Tape {
  /// The number at `index`, when it is an integer of 0 or more and of at most ``greatestCount``.
  package func count(at index: Int?) -> Int? {
    guard let index, self[index].kind == .integer, let number = Int(bytes(at: index).text),
      (0...Tape.greatestCount).contains(number)
    else { return nil }
    return number
  }

  /// The greatest number that anything is counted to: sums of some of them fit 64 bits.
  private static var greatestCount: Int { 1 << 53 }

  /// The text at `index`, when it is a string; valid as long as the line.
  package func string(at index: Int?) -> ByteView? {
    guard let index, self[index].kind == .string else { return nil }
    return bytes(at: index)
  }

  /// The time at `index`, when it is one in the form of the outputs.
  package func time(at index: Int?) -> Int? {
    guard let text = string(at: index), text.count == Timestamp.textLength else { return nil }
    return Timestamp.parseCanonical(text)
  }

  /// The indices of the items of the array at `index`; none for anything else.
  package func items(of index: Int) -> [Int] {
    guard self[index].kind == .array else { return [] }
    var items: [Int] = []
    var item = index + 1
    while item < Int(self[index].next) {
      items.append(item)
      item = Int(self[item].next)
    }
    return items
  }
}
