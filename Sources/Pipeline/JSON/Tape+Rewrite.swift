extension Tape {
  /// Gives the string at `index`, of 1 to 16 bytes, the bytes of two words of the same length.
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

  /// Gives the entry at `index` new text: `write` reads the present text and appends the new one to
  /// an empty buffer. The source bytes stay as they are. The entry's kind becomes `.string` unless
  /// it is a key.
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
