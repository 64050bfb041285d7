/// Values of a line that is expected to have a certain form.
extension Tape {
  /// The number at `index`, when it is an integer from 0 to ``greatestCount``.
  package func count(at index: Int?) -> Int? {
    guard let index, self[index].kind == .integer, let number = Int(bytes(at: index).text),
      (0...Tape.greatestCount).contains(number)
    else { return nil }
    return number
  }

  /// The greatest valid count: sums of some of them fit in 64 bits.
  private static var greatestCount: Int { 1 << 53 }

  /// The text at `index`, when it is a string; valid as long as the line.
  package func string(at index: Int?) -> ByteView? {
    guard let index, self[index].kind == .string else { return nil }
    return bytes(at: index)
  }

  /// The time at `index`, when it has the form of the outputs.
  package func time(at index: Int?) -> Int? {
    guard let text = string(at: index), text.count == Timestamp.textLength else { return nil }
    return Timestamp.parseCanonical(text)
  }

  /// The indices of the items of the array at `index`; empty for anything else.
  package func items(of index: Int) -> [Int] {
    var items: [Int] = []
    forEachItem(of: index) { item, _ in items.append(item) }
    return items
  }
}

/// New text for scanned entries. The source bytes stay unchanged.
extension Tape {
  /// Replaces the text of the string at `index`, of 1 to 16 bytes, by the bytes of two words, of
  /// the same length.
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

  /// Replaces the text of the entry at `index` by what `write` appends to an empty buffer. Its kind
  /// becomes `.string` unless it is a key.
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
