extension Scanner {
  /// The position of the next quote, backslash or control character, such as the sentinel.
  @inline(__always) func plainEnd(_ position: Int) -> Int {
    var position = position
    // When 16 bytes hold no stop, the sentinel is not among them, so `position` may move past them
    // without exceeding `end`.
    while position <= lastVector {
      let stops = source.stringStops16(at: position)
      if stops != 0 { return position &+ stops.trailingZeroBitCount }
      position &+= 16
    }
    return lastPlainEnd(position)
  }

  @inline(never) private func lastPlainEnd(_ position: Int) -> Int {
    var position = position
    while true {
      let byte = source[position]
      if byte < JSONByte.space || byte == JSONByte.quote || byte == JSONByte.backslash {
        return position
      }
      position += 1
    }
  }

  /// Decodes the string or key that begins at `first`, with its first escape (or fault) at `stop`;
  /// returns its entry, not yet appended, and the position of the closing quote.
  @inline(never) func decode(
    _ kind: TapeKind, from first: Int, stop: Int, next: Int, _ decoded: inout ByteBuffer
  ) throws(ScanFault) -> (TapeEntry, quote: Int) {
    let start = decoded.count
    let quote = try decode(from: first, stop: stop, into: &decoded)
    let entry = TapeEntry(
      start: start, length: decoded.count - start, next: next, kind: kind, flags: TapeEntry.decoded)
    // So that the text of a string can be scanned without a copy; its quotes make up for the byte.
    if kind == .string { decoded.append(JSONByte.lineFeed) }
    return (entry, quote)
  }

  private func decode(
    from first: Int, stop: Int, into decoded: inout ByteBuffer
  ) throws(ScanFault) -> Int {
    decoded.append(source.view(from: first, to: stop))
    var position = stop
    while true {
      position = appendRuns(from: position, to: &decoded)
      switch source[position] {
      case JSONByte.quote:
        return position
      case JSONByte.backslash:
        do throws(EscapeFault) {
          position += try source.view(from: position, to: end).decodeEscape(at: 0, to: &decoded)
        } catch { throw invalid(error.expected, at: position) }
      default:
        throw invalid(
          position == end
            ? "a closing quote" : "an escape sequence instead of a raw control character",
          at: position)
      }
    }
  }

  /// Bytes of room needed after the decoded text, which is never longer than its source.
  static let decodingRoom = 32

  /// Appends the bytes from `position` on, with each `\"` decoded, up to the next other quote,
  /// backslash or control character, and returns its position.
  ///
  /// JSON in a string consists of short runs between such escapes. 64 bytes are classified
  /// together; each run is then copied with the bytes after it, 32 at a time, so that its length
  /// only decides where the next one goes.
  private func appendRuns(from start: Int, to decoded: inout ByteBuffer) -> Int {
    var position = start
    var isStop = false
    // SAFETY: 32 more bytes can be read after each 64, which the loop checks; a copy begins among
    // the 64. Copies write at most as many bytes as were read, and up to 32 more. No byte at or
    // after the first stop counts, so `position` does not exceed `end`, as in `plainEnd`.
    unsafe decoded.append(room: end - start + Self.decodingRoom) { base in
      var out = unsafe base
      while position <= lastVector - 80, !isStop {
        let (run, gaps, stops) = quotedRun(at: position)
        isStop = stops
        var from = position
        position &+= run
        var rest = gaps
        while rest != 0 {
          let gap = position &- run &+ rest.trailingZeroBitCount
          unsafe copy(from, gap, &out)
          from = gap &+ 1
          rest &= rest &- 1
        }
        unsafe copy(from, position, &out)
      }
      return unsafe out - base
    }
    if isStop { return position }
    // Near the end of the source only up to the next escape of any kind.
    let stop = lastPlainEnd(position)
    decoded.append(source.view(from: position, to: stop))
    return stop
  }

  /// The number of the 64 bytes before ``appendRuns``' first stop, the backslashes before quotes
  /// among them as bits, and whether there is a stop.
  @inline(__always) private func quotedRun(
    at position: Int
  ) -> (run: Int, backslashes: UInt64, isStop: Bool) {
    let (controls, quotes, backslashes) = source.stringParts64(at: position)
    // Only a quote after each backslash, and a backslash before each quote.
    let others = controls | ((backslashes &<< 1) ^ quotes)
    // A backslash in the last byte is processed together with its quote.
    var run = 64 &- Int(backslashes &>> 63)
    let isStop = others != 0
    if isStop {
      run = others.trailingZeroBitCount
      // What follows a backslash is part of its escape.
      if run > 0, backslashes &>> UInt64(run &- 1) & 1 != 0 { run &-= 1 }
    }
    let before: UInt64 = run == 64 ? ~0 : (1 &<< UInt64(run)) &- 1
    return (run, backslashes & before, isStop)
  }

  /// Copies the bytes from `start` to `end` to `out`, which moves past them.
  @inline(__always)
  private func copy(_ start: Int, _ end: Int, _ out: inout UnsafeMutablePointer<UInt8>) {
    var start = start
    while true {
      unsafe UnsafeMutableRawPointer(out).copyMemory(
        from: source.start(of: 32, at: start), byteCount: 32)
      let count = end &- start
      if count <= 32 {
        unsafe out += count
        return
      }
      unsafe out += 32
      start &+= 32
    }
  }
}
