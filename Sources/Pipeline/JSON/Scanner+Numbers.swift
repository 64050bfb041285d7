extension Scanner {
  /// Scans the number at `position`: an integer unless it has a fraction or an exponent.
  @inline(__always) func scanNumber(
    _ first: UInt8, at position: Int
  ) throws(ScanFault) -> (kind: TapeKind, length: Int, flags: UInt8) {
    // `cursor` moves only past characters of a number, so it stops at the sentinel.
    var kind = TapeKind.integer
    var flags: UInt8 = 0
    var cursor = position
    if first == JSONByte.minus { cursor &+= 1 }
    if source[cursor] == JSONByte.zero {
      cursor &+= 1
    } else {
      cursor = try digitsEnd(cursor)
    }
    var byte = source[cursor]
    if byte == JSONByte.point {
      kind = .double
      cursor = try digitsEnd(cursor &+ 1)
      byte = source[cursor]
    }
    if byte | 0x20 == 0x65 {
      kind = .double
      flags = TapeEntry.exponent
      cursor &+= 1
      byte = source[cursor]
      if byte == JSONByte.plus || byte == JSONByte.minus { cursor &+= 1 }
      cursor = try digitsEnd(cursor)
    }
    return (kind, cursor &- position, flags)
  }

  /// The position after the digits at `position`, at least one.
  @inline(__always) private func digitsEnd(_ position: Int) throws(ScanFault) -> Int {
    var cursor = position
    guard Characters.isDigit(source[cursor]) else { throw invalid("a digit", at: cursor) }
    // Eight bytes at a time.
    while cursor <= lastVector {
      let digits = source.word(at: cursor) ^ DecimalDigits.zeros
      let others = DecimalDigits.others(in: digits)
      if others != 0 { return cursor &+ others.trailingZeroBitCount &>> 3 }
      cursor &+= 8
    }
    while Characters.isDigit(source[cursor]) { cursor &+= 1 }
    return cursor
  }
}
