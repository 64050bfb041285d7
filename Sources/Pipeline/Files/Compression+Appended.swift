extension Compression {
  /// The first magic bytes of a compression in `text`, whole lines and the beginning of another,
  /// that are at the beginning of a line, or follow an object or the beginning of a torn one, and
  /// their position; nil without any. With `added`, the same for records over several lines, in
  /// what was added there: JSON has no such bytes but those of bzip2, which count at the beginning
  /// of a line, and behind a bracket.
  /// Complexity: O(`text.count`), many bytes at a time where none is a hint.
  static func findAppended(
    in text: inout ByteBuffer, toRecordsFrom added: Int? = nil
  ) -> (position: Int, form: Compression)? {
    let recordEnds = [JSONByte.lineFeed, JSONByte.closeBrace, JSONByte.closeBracket]
    /// The end of the line searched last, and where compressed bytes may begin in it.
    var (lineEnd, possible): (Int, ClosedRange<Int>?) = (0, nil)
    var next = max((added ?? 0) - longestMagic, 0)
    while let hint = text.view.magicHint(from: next) {
      next = hint + 1
      for position in stride(from: hint - 3, through: hint, by: 3) where position >= 0 {
        let form = Compression.detect(text.view.dropFirst(position))
        if form == .none { continue }
        if added != nil {
          if form == .bzip2, position > 0, !recordEnds.contains(text[position - 1]) { continue }
          return (position, form)
        }
        if position >= lineEnd {
          let start = text[0..<position].lastIndex(of: JSONByte.lineFeed).map { $0 + 1 } ?? 0
          let rest = text.view.dropFirst(position)
          lineEnd = position + (rest.firstIndex(of: JSONByte.lineFeed) ?? rest.count)
          possible = ends(in: start..<lineEnd, of: &text)
        }
        if possible?.contains(position) ?? false { return (position, form) }
      }
    }
    return nil
  }

  /// The position of the first byte of the line that is not white space, or of the first one behind
  /// the object that begins there, or those of all valid UTF-8 of a torn one that is followed by
  /// something else; nil if the object is whole, or the line is text.
  private static func ends(in line: Range<Int>, of text: inout ByteBuffer) -> ClosedRange<Int>? {
    guard let first = line.first(where: { !JSONByte.isSpace(text[$0]) }) else { return nil }
    guard text[first] == JSONByte.openBrace else { return first...first }
    let isLast = line.upperBound == text.count
    // A scanned line ends with a line feed.
    if isLast { text.append(JSONByte.lineFeed) }
    defer { if isLast { text.truncate(to: line.upperBound) } }
    let tape = Tape(numbersNames: false)
    tape.bind(to: text.view)
    guard case .fault(let fault) = Scanner.scan(line: line, into: tape) else { return nil }
    if fault.kind == .moreText {
      let end = line.lowerBound + fault.offset
      return end...end
    }
    let end = line.lowerBound + text[line].utf8Length
    return first < end && end < line.upperBound ? first + 1...end : nil
  }
}
