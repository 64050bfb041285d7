import CSIMD

extension Scanner {
  /// Scans a string whose opening quote stands at `position`. Without escapes the entry refers to
  /// the source; else its text is decoded. `span` is how many entries on its `next` points.
  @inline(__always)
  mutating func scanString(
    _ kind: TapeKind, span: Int, into decoded: inout ByteBuffer
  ) throws(ScanFault) {
    let opening = position
    position += 1
    let stop = skipPlain()
    if stop == JSONByte.quote {
      appendText(kind, start: opening + 1, length: position - opening - 1, span: span)
    } else {
      let first = decoded.count
      position = try Scanner.decode(self, from: opening + 1, into: &decoded)
      appendText(
        kind, start: first, length: decoded.count - first, span: span, flags: TapeEntry.decoded)
    }
    position += 1
  }

  /// Moves to the next quote, backslash or control character and returns it. The sentinel is a
  /// control character, so it stops there at the latest.
  @inline(__always)
  private mutating func skipPlain() -> UInt8 {
    // SAFETY: invariants 1 and 2. When 16 bytes hold no stop, the sentinel is not among them, so
    // `position` may move behind them and is still not behind `end`.
    while position <= lastVector {
      let stops = unsafe csimd_string_stops16(source + position)
      if stops != 0 {
        position += stops.trailingZeroBitCount
        return unsafe source[position]
      }
      position += 16
    }
    while true {
      let byte = unsafe source[position]
      if byte < JSONByte.space || byte == JSONByte.quote || byte == JSONByte.backslash {
        return byte
      }
      position += 1
    }
  }

  /// Appends the plain text of the string that begins at `first` and whose first stop, which is not
  /// the closing quote, stands at `scanner.position`; returns the position of the closing quote.
  @inline(never)
  private static func decode(
    _ scanner: Scanner, from first: Int, into decoded: inout ByteBuffer
  ) throws(ScanFault) -> Int {
    var scanner = scanner
    var run = first
    while true {
      let stop = unsafe scanner.source[scanner.position]
      // SAFETY: `run <= position <= end`, so the bytes between are readable.
      decoded.append(
        unsafe ByteView(base: scanner.source + run, count: scanner.position - run))
      switch stop {
      case JSONByte.quote:
        return scanner.position
      case JSONByte.backslash:
        try scanner.decodeEscape(into: &decoded)
        run = scanner.position
        _ = scanner.skipPlain()
      default:
        throw scanner.invalid(
          scanner.position == scanner.end
            ? "a closing quote" : "an escape sequence instead of a raw control character")
      }
    }
  }

  /// Appends what the escape at `position` stands for and moves behind it.
  private mutating func decodeEscape(into decoded: inout ByteBuffer) throws(ScanFault) {
    // SAFETY: the backslash is not the sentinel, so the byte after it is at `end` at the latest.
    let letter = unsafe source[position + 1]
    switch letter {
    case JSONByte.quote, JSONByte.backslash, JSONByte.slash: decoded.append(letter)
    case JSONByte.b: decoded.append(0x08)
    case JSONByte.f: decoded.append(0x0C)
    case JSONByte.n: decoded.append(JSONByte.lineFeed)
    case JSONByte.r: decoded.append(JSONByte.carriageReturn)
    case JSONByte.t: decoded.append(JSONByte.tab)
    case JSONByte.u:
      try decodeUnicodeEscape(into: &decoded)
      return
    default:
      throw invalid("a valid escape sequence")
    }
    position += 2
  }

  /// Appends the scalar of the `\uXXXX` at `position`, or of the pair of them that makes one scalar
  /// above U+FFFF, and moves behind it.
  private mutating func decodeUnicodeEscape(into decoded: inout ByteBuffer) throws(ScanFault) {
    guard let unit = hexUnit(at: position) else { throw invalid("four hexadecimal digits") }
    if let scalar = Unicode.Scalar(unit) {
      decoded.append(scalar)
      position += 6
      return
    }
    guard unit < 0xDC00, let low = hexUnit(at: position + 6), 0xDC00...0xDFFF ~= low,
      let scalar = Unicode.Scalar(0x1_0000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    else { throw invalid("a surrogate pair") }
    decoded.append(scalar)
    position += 12
  }

  /// The code unit of the `\uXXXX` at `offset`, or nil if none stands there. Each byte is looked at
  /// only if the one before it fitted, so none behind the sentinel is read.
  private func hexUnit(at offset: Int) -> UInt32? {
    guard unsafe source[offset] == JSONByte.backslash,
      unsafe source[offset + 1] == JSONByte.u
    else { return nil }
    var unit: UInt32 = 0
    for digit in offset + 2..<offset + 6 {
      guard let value = JSONByte.hexValue(unsafe source[digit]) else { return nil }
      unit = unit << 4 | value
    }
    return unit
  }
}
