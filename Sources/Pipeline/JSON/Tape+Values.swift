/// Values of a line that is expected to have a certain form.
extension Tape {
  /// An integer up to ``greatestCount``: sums of some fit in 64 bits.
  package func count(at index: Int?) -> Int? {
    guard let index, self[index].kind == .integer, let number = Int(bytes(at: index).text),
      (0...Tape.greatestCount).contains(number)
    else { return nil }
    return number
  }

  private static var greatestCount: Int { 1 << 53 }

  /// The text of a string; valid as long as the line.
  package func string(at index: Int?) -> ByteView? {
    guard let index, self[index].kind == .string else { return nil }
    return bytes(at: index)
  }

  /// A time in the form of the outputs.
  package func time(at index: Int?) -> Int? {
    guard let text = string(at: index), text.count == Timestamp.textLength else { return nil }
    return Timestamp.parseCanonical(text)
  }

  /// Whether two values have the same compact text. Complexity: O(bytes of the smaller one).
  package func isSameValue(_ one: Int, _ other: Int) -> Bool {
    let count = Int(self[one].next) - one
    guard Int(self[other].next) - other == count else { return false }
    for offset in 0..<count {
      let (a, b) = (self[one + offset], self[other + offset])
      guard a.kind == b.kind, Int(a.next) - one == Int(b.next) - other else { return false }
      let isSame =
        switch a.kind {
        case .true, .false: true
        // A null may hold a fault.
        case .date, .null:
          a.milliseconds == b.milliseconds
            || (a.flags | b.flags) & TapeEntry.faulty == 0
              && a.kind == .null
        // Without entries for its content an object or array is its text.
        case .object, .array:
          (a.flags | b.flags) & TapeEntry.prevalidated == 0 || bytes(a) == bytes(b)
        case .key, .string, .integer, .double: bytes(a) == bytes(b)
        }
      if !isSame { return false }
    }
    return true
  }

  /// The items of an array; empty for anything else.
  package func items(of index: Int) -> [Int] {
    var items: [Int] = []
    forEachItem(of: index) { item, _ in items.append(item) }
    return items
  }
}

/// New text for scanned entries. The source bytes stay unchanged.
extension Tape {
  /// Replaces the text of the string at `index`, of 1 to 16 bytes, by two words of as many bytes.
  package func rewrite(_ index: Int, as head: UInt64, _ tail: UInt64) {
    let length = Int(self[index].length)
    let start = decoded.count
    precondition(1...16 ~= length, "two words hold 1 to 16 bytes")
    precondition(start + 16 <= Int(UInt32.max), "a block's texts exceed 4 GiB")
    decoded.append(word64: head)
    decoded.append(word64: tail)
    decoded.truncate(to: start + length)
    self[index].start = UInt32(start)
    self[index].flags |= TapeEntry.decoded
  }

  /// Replaces the text by what `write` appends. Any entry but a key becomes a string.
  package func rewrite(
    _ index: Int, _ write: (_ present: ByteView, _ text: inout ByteBuffer) -> Void
  ) {
    scratch.removeAll()
    write(bytes(at: index), &scratch)
    var entry = self[index]
    precondition(decoded.count + scratch.count <= Int(UInt32.max), "a block's texts exceed 4 GiB")
    entry.start = UInt32(decoded.count)
    entry.length = UInt32(scratch.count)
    entry.flags |= TapeEntry.decoded
    if entry.kind != .key { entry.kind = .string }
    decoded.append(scratch.view)
    self[index] = entry
  }
}
