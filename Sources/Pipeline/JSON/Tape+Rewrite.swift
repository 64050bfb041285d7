extension Tape {
  /// Gives the entry at `index` new text: `write` reads the present text and appends the new one to
  /// an empty buffer. The source bytes stay as they are. The entry's kind becomes `.string` unless
  /// it is a key.
  package mutating func rewrite(
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
