/// JSON that is not in the block as it is: text of strings, and lines that are fixed first.
///
/// Such text stands in the tape's `decoded` bytes, with a line feed behind it for the scanner. The
/// entries come behind those that are there and are marked as decoded, all of them: their offsets
/// count in the `decoded` bytes, which do not move while they are scanned, as room is made before.
extension Scanner {
  /// Scans the text of the string at tape index `node`.
  ///
  /// After `.value(root:)` the entries from `root` to the tape's end are the value; after `.fault`,
  /// whose offset counts in the text, the tape has its entries as before. Every call reads the text
  /// once. Strings in it are not scanned in turn, so what it costs is bounded by the line.
  /// Complexity: O(length of the string).
  package static func scan(textAt node: Int, into tape: Tape) -> ScanResult {
    precondition(tape[node].kind == .string, "only strings hold text")
    // Names in the text of a member follow on that member's, as those of a value would.
    let name = node > 0 && tape[node - 1].kind == .key ? tape[node - 1].number : 0
    return scan(
      decoded: tape.endedText(of: tape[node]), into: tape,
      context: NextNamePredictor.context(closed: NextNamePredictor.context(after: name)))
  }

  /// Scans `line` without the commas that stand before a closing brace or bracket: in the order of
  /// the line a comma, then perhaps white space, then `}` or `]`, outside strings. nil when there
  /// is none of them, or when the line is no JSON all the same.
  ///
  /// One pass: of two commas in a row the first stays. Complexity: O(`line.count`).
  package static func scan(withoutTrailingCommas line: Range<Int>, into tape: Tape) -> Int? {
    let start = tape.decoded.count
    guard tape.appendWithoutTrailingCommas(line) else { return nil }
    let end = tape.decoded.count
    tape.decoded.append(JSONByte.lineFeed)
    if case .value(let root) = scan(
      decoded: start..<end, into: tape, context: NextNamePredictor.context(after: 0))
    {
      return root
    }
    tape.decoded.truncate(to: start)
    return nil
  }

  /// Scans `range` of the decoded bytes, which a line feed follows; the first name is at `context`.
  private static func scan(decoded range: Range<Int>, into tape: Tape, context: Int) -> ScanResult {
    let first = tape.count
    tape.decoded.reserve(range.count + decodingRoom)
    let result = scan(range, of: tape.decoded.view, into: tape, context: context)
    tape.markDecoded(from: first)
    return result
  }
}

extension Tape {
  /// The range of the text of `entry` in the decoded bytes, with a line feed behind it; copied
  /// there if need be.
  fileprivate func endedText(of entry: TapeEntry) -> Range<Int> {
    let start = Int(entry.start)
    let length = Int(entry.length)
    if entry.isDecoded {
      let end = start + length
      if end == decoded.count { decoded.append(JSONByte.lineFeed) }
      if decoded[end] == JSONByte.lineFeed { return start..<end }
    }
    let copy = decoded.count
    // With room for the whole, so that a view of the buffer itself can be appended.
    decoded.reserve(length + 1)
    precondition(copy + length < Int(UInt32.max), "a block's texts exceed 4 GiB")
    decoded.append(bytes(entry))
    decoded.append(JSONByte.lineFeed)
    return copy..<copy + length
  }

  fileprivate func markDecoded(from first: Int) {
    for index in first..<count { entries[index].flags |= TapeEntry.decoded }
  }

  /// Appends the line to the decoded bytes with spaces for trailing commas; false without any.
  fileprivate func appendWithoutTrailingCommas(_ line: Range<Int>) -> Bool {
    let start = decoded.count
    decoded.append(source[line])
    var position = start
    var hasCommas = false
    /// The last comma, if only white space has come since.
    var comma: Int?
    var isInString = false
    while position < decoded.count {
      let byte = decoded[position]
      if isInString {
        // The byte behind a backslash means nothing, whatever it is.
        if byte == JSONByte.backslash { position += 1 }
        if byte == JSONByte.quote { isInString = false }
      } else if byte == JSONByte.comma {
        comma = position
      } else if !JSONByte.isSpace(byte) {
        if let comma, byte == JSONByte.closeBrace || byte == JSONByte.closeBracket {
          decoded[comma] = JSONByte.space
          hasCommas = true
        }
        comma = nil
        isInString = byte == JSONByte.quote
      }
      position += 1
    }
    if !hasCommas { decoded.truncate(to: start) }
    return hasCommas
  }
}
