extension Scanner {
  /// Scans a number: an integer unless it has a fraction or an exponent. What may stand behind it is
  /// for the caller to judge.
  @inline(__always)
  mutating func scanNumber(_ first: UInt8) throws(ScanFault) {
    // SAFETY, for every access below: invariant 1. `cursor` moves past a byte only if it is a
    // digit or another character of a number, which the sentinel is not.
    var kind = TapeKind.integer
    var cursor = position
    if first == JSONByte.minus { cursor += 1 }
    if unsafe source[cursor] == JSONByte.zero {
      cursor += 1
    } else {
      try skipDigits(&cursor)
    }
    var byte = unsafe source[cursor]
    if byte == JSONByte.point {
      kind = .double
      cursor += 1
      try skipDigits(&cursor)
      byte = unsafe source[cursor]
    }
    if byte | 0x20 == 0x65 {
      kind = .double
      cursor += 1
      byte = unsafe source[cursor]
      if byte == JSONByte.plus || byte == JSONByte.minus { cursor += 1 }
      try skipDigits(&cursor)
    }
    appendScalar(kind, length: cursor - position)
  }

  /// Moves `cursor` behind one or more digits.
  @inline(__always)
  private mutating func skipDigits(_ cursor: inout Int) throws(ScanFault) {
    guard JSONByte.isDigit(unsafe source[cursor]) else {
      position = cursor
      throw invalid("a digit")
    }
    repeat { cursor += 1 } while JSONByte.isDigit(unsafe source[cursor])
  }
}
