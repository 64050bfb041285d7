/// JSON that is not in the block: text in strings, and lines that are repaired first.
///
/// Such text is in the tape's `decoded` bytes, followed by a line feed for the scanner. Its entries
/// are appended to the existing ones, all marked as decoded: their offsets count in the `decoded`
/// bytes, which do not move during the scan, as capacity is reserved before.
extension Scanner {
  /// Scans the text of the string at tape index `node`.
  ///
  /// After `.value(root:)` the entries from `root` to the tape's end are the value; after `.fault`,
  /// whose offset counts in the text, the tape has the same entries as before. Every call reads the
  /// text once. Strings in it are not scanned in turn, so the cost is bounded by the line.
  /// Complexity: O(length of the string).
  package static func scan(textAt node: Int, into tape: Tape) -> ScanResult {
    precondition(tape[node].kind == .string, "only strings hold text")
    // Names in the text of a field follow the name of the field, as those of a value would.
    let name = node > 0 && tape[node - 1].kind == .key ? tape[node - 1].number : 0
    return scan(
      decoded: tape.endedText(of: tape[node]), into: tape,
      context: NextNamePredictor.context(closed: NextNamePredictor.context(after: name)))
  }

  /// Scans `line` without its trailing commas: outside strings, a comma that only white space
  /// separates from `}` or `]`. Returns nil when there are none, or when the line is still not
  /// JSON.
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

  /// Scans `range` of the decoded bytes, which is followed by a line feed; the first name is at
  /// `context`.
  private static func scan(decoded range: Range<Int>, into tape: Tape, context: Int) -> ScanResult {
    let first = tape.count
    tape.decoded.reserve(range.count + decodingRoom)
    let result = scan(range, of: tape.decoded.view, into: tape, context: context)
    tape.markDecoded(from: first)
    return result
  }
}

extension Tape {
  /// The range of the text of `entry` in the decoded bytes, followed by a line feed; copied there
  /// if needed.
  fileprivate func endedText(of entry: TapeEntry) -> Range<Int> {
    let start = Int(entry.start)
    let length = Int(entry.length)
    if entry.isDecoded {
      let end = start + length
      if end == decoded.count { decoded.append(JSONByte.lineFeed) }
      if decoded[end] == JSONByte.lineFeed { return start..<end }
    }
    let copy = decoded.count
    // Reserved at once, so that a view of the buffer itself can be appended.
    decoded.reserve(length + 1)
    precondition(copy + length < Int(UInt32.max), "a block's texts exceed 4 GiB")
    decoded.append(bytes(entry))
    decoded.append(JSONByte.lineFeed)
    return copy..<copy + length
  }

  fileprivate func markDecoded(from first: Int) {
    for index in first..<count { entries[index].flags |= TapeEntry.decoded }
  }

  /// Appends the line to the decoded bytes with spaces for trailing commas; false if there are
  /// none.
  fileprivate func appendWithoutTrailingCommas(_ line: Range<Int>) -> Bool {
    let start = decoded.count
    decoded.append(source[line])
    var position = start
    var hasCommas = false
    /// The last comma, if only white space has followed.
    var comma: Int?
    var isInString = false
    while position < decoded.count {
      let byte = decoded[position]
      if isInString {
        // The byte after a backslash never ends the string.
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
