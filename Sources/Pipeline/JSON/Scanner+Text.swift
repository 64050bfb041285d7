/// The repairs of a line that made it JSON.
package struct LineRepairs: OptionSet, BitwiseCopyable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  // Used for every line, where the generic forms of the protocol, such as `[]`, would take a sixth
  // of the instructions of `count`.
  package init() { rawValue = 0 }
  package var isEmpty: Bool { rawValue == 0 }

  /// Without NUL bytes and U+FEFF before the object.
  package static let prefix = LineRepairs(rawValue: 1)
  /// With U+FFFD for each maximal subpart that is not UTF-8.
  package static let utf8 = LineRepairs(rawValue: 2)
  /// With U+FFFD for each escaped half of a surrogate pair.
  package static let surrogate = LineRepairs(rawValue: 4)
  /// Without trailing commas: outside strings, a comma that only white space separates from `}` or
  /// `]`. Of two commas in a row the first stays.
  package static let trailingComma = LineRepairs(rawValue: 8)

  /// Whether texts changed, so that different ones may have become equal.
  package var changesTexts: Bool { rawValue & (Self.utf8.rawValue | Self.surrogate.rawValue) != 0 }
}

/// JSON that is not in the block: text in strings, and lines that are repaired first. It is in the
/// tape's `decoded` bytes, followed by a line feed. Its entries are marked as decoded; the bytes do
/// not move during the scan, as capacity is reserved before.
extension Scanner {
  /// Scans the text of the string at `node`, but not strings in it. A fault's offset counts in the
  /// text.
  package static func scan(textAt node: Int, into tape: Tape) -> ScanResult {
    precondition(tape[node].kind == .string, "only strings hold text")
    // Names in the text of a field follow the name of the field, as those of a value would.
    let name = node > 0 && tape[node - 1].kind == .key ? tape[node - 1].number : 0
    return scan(
      decoded: tape.endedText(of: tape[node]), into: tape,
      context: NextNamePredictor.context(closed: NextNamePredictor.context(after: name)))
  }

  /// Scans `line` with all repairs that it needs. Its repaired text, without the white space at its
  /// beginning, is added to the decoded bytes, also if it is not JSON. Complexity: O(`line.count`).
  package static func scan(
    repaired line: Range<Int>, into tape: Tape
  ) -> (result: ScanResult, repairs: LineRepairs, text: Range<Int>) {
    let start = tape.decoded.count
    let repairs = tape.appendRepaired(line)
    let text = start..<tape.decoded.count
    tape.decoded.append(JSONByte.lineFeed)
    return (scan(decoded: text, into: tape), repairs, text)
  }

  /// Scans `range` of the decoded bytes, which a line feed follows; the first name is at `context`.
  package static func scan(
    decoded range: Range<Int>, into tape: Tape, context: Int = NextNamePredictor.context(after: 0)
  ) -> ScanResult {
    let first = tape.count
    tape.decoded.reserve(range.count + decodingRoom)
    let result = scan(range, of: tape.decoded.view, into: tape, context: context)
    tape.markDecoded(from: first)
    return result
  }
}

extension Tape {
  /// The text of `entry` in the decoded bytes, followed by a line feed; copied there if needed.
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

  /// Appends the line to the decoded bytes with all repairs, and returns their kinds.
  fileprivate func appendRepaired(_ line: Range<Int>) -> LineRepairs {
    let start = decoded.count
    var repairs = LineRepairs()
    let text = source[line]
    let prefix = text.prefixBeforeJSON
    if prefix.isRepaired { repairs.insert(.prefix) }
    let rest = text.dropFirst(prefix.length)
    if UTF8Check.isValid(rest) {
      decoded.append(rest)
    } else {
      // The standard library replaces maximal subparts, as the Unicode standard recommends.
      decoded.append(text: rest.text)
      repairs.insert(.utf8)
    }
    var position = start
    /// The last comma, if only white space has followed.
    var comma: Int?
    var isInString = false
    while position < decoded.count {
      let byte = decoded[position]
      if isInString {
        if byte == JSONByte.quote { isInString = false }
        // What follows a backslash never ends the string.
        if byte == JSONByte.backslash { position += repairEscape(at: position, &repairs) }
      } else if byte == JSONByte.comma {
        comma = position
      } else if !JSONByte.isSpace(byte) {
        if let comma, byte == JSONByte.closeBrace || byte == JSONByte.closeBracket {
          decoded[comma] = JSONByte.space
          repairs.insert(.trailingComma)
        }
        comma = nil
        isInString = byte == JSONByte.quote
      }
      position += 1
    }
    return repairs
  }

  /// Replaces the escape at `position` of the decoded bytes if it is half of a surrogate pair;
  /// returns its length after the backslash.
  private func repairEscape(at position: Int, _ repairs: inout LineRepairs) -> Int {
    guard let unit = decoded.view.codeUnit(at: position), 0xD800...0xDFFF ~= unit else { return 1 }
    if unit < 0xDC00, let low = decoded.view.codeUnit(at: position + 6), 0xDC00...0xDFFF ~= low {
      return 11
    }
    for (offset, digit) in "FFFD".utf8.enumerated() { decoded[position + 2 + offset] = digit }
    repairs.insert(.surrogate)
    return 5
  }
}

extension ByteView {
  /// The length of the white space, NUL bytes and U+FEFF at the beginning of a line, and whether
  /// there is anything but white space.
  fileprivate var prefixBeforeJSON: (length: Int, isRepaired: Bool) {
    var length = 0
    var isRepaired = false
    while length < count {
      if JSONByte.isSpace(self[length]) {
        length += 1
      } else if self[length] == 0 {
        (length, isRepaired) = (length + 1, true)
      } else if dropFirst(length).starts(with: "\u{FEFF}") {
        (length, isRepaired) = (length + 3, true)
      } else {
        break
      }
    }
    return (length, isRepaired)
  }
}
