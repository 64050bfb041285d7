extension Scanner {
  /// Scans the number, `true`, `false` or `null` at `position`, and moves behind it.
  @inline(__always)
  func scanScalar(
    _ first: UInt8, _ position: inout Int, _ next: inout Int
  ) throws(ScanFault) {
    let (kind, length, flags) =
      Characters.isDigit(first) || first == JSONByte.minus
      ? try scanNumber(first, at: position) : try scanLiteral(first, at: position)
    append(
      TapeEntry(start: position, length: length, next: next &+ 1, kind: kind, flags: flags), &next)
    position &+= length
  }

  private func scanLiteral(
    _ first: UInt8, at position: Int
  ) throws(ScanFault) -> (kind: TapeKind, length: Int, flags: UInt8) {
    let (text, kind): (ByteView, TapeKind)
    switch first {
    case JSONByte.t: (text, kind) = ("true", .true)
    case JSONByte.f: (text, kind) = ("false", .false)
    case JSONByte.n: (text, kind) = ("null", .null)
    default: throw invalid("a value", at: position)
    }
    for length in 0..<text.count {
      // The bytes before this one are the literal's, so none of them is the sentinel.
      guard byte(at: position + length) == text[length] else {
        throw invalid("true, false or null", at: position + length)
      }
    }
    return (kind, text.count, 0)
  }

  /// Scans the number at `position`: an integer unless it has a fraction or an exponent. What may
  /// stand behind it is for the caller to judge.
  @inline(__always)
  private func scanNumber(
    _ first: UInt8, at position: Int
  ) throws(ScanFault) -> (kind: TapeKind, length: Int, flags: UInt8) {
    // `cursor` moves past a byte only if it is a digit or another character of a number, which the
    // sentinel is not.
    var kind = TapeKind.integer
    var flags: UInt8 = 0
    var cursor = position
    if first == JSONByte.minus { cursor &+= 1 }
    if self.byte(at: cursor) == JSONByte.zero {
      cursor &+= 1
    } else {
      cursor = try digitsEnd(cursor)
    }
    var byte = self.byte(at: cursor)
    if byte == JSONByte.point {
      kind = .double
      cursor = try digitsEnd(cursor &+ 1)
      byte = self.byte(at: cursor)
    }
    if byte | 0x20 == 0x65 {
      kind = .double
      flags = TapeEntry.exponent
      cursor &+= 1
      byte = self.byte(at: cursor)
      if byte == JSONByte.plus || byte == JSONByte.minus { cursor &+= 1 }
      cursor = try digitsEnd(cursor)
    }
    return (kind, cursor &- position, flags)
  }

  /// The position behind the one or more digits at `position`.
  @inline(__always)
  private func digitsEnd(_ position: Int) throws(ScanFault) -> Int {
    var cursor = position
    guard Characters.isDigit(self.byte(at: cursor)) else { throw invalid("a digit", at: cursor) }
    // Eight bytes at a time.
    while cursor <= lastVector {
      let digits = word(at: cursor) ^ DecimalDigits.zeros
      let others = DecimalDigits.others(in: digits)
      if others != 0 { return cursor &+ others.trailingZeroBitCount &>> 3 }
      cursor &+= 8
    }
    while Characters.isDigit(self.byte(at: cursor)) { cursor &+= 1 }
    return cursor
  }
}
