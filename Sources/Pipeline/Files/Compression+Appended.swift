extension Compression {
  /// The first magic bytes of a compression in `text`, whole lines and the beginning of another,
  /// that are at the beginning of a line or follow an object, and their position; nil without any.
  /// Complexity: O(`text.count`), many bytes at a time where none is a hint.
  static func findAppended(in text: inout ByteBuffer) -> (position: Int, form: Compression)? {
    /// The line searched last, and where compressed bytes may begin in it.
    var (lineEnd, possible): (Int, Int?) = (0, nil)
    var next = 0
    while let hint = text.view.magicHint(from: next) {
      next = hint + 1
      for position in stride(from: hint - 3, through: hint, by: 3) where position >= 0 {
        let form = Compression.detect(text.view.dropFirst(position))
        if form == .none { continue }
        if position >= lineEnd {
          let start = text[0..<position].lastIndex(of: JSONByte.lineFeed).map { $0 + 1 } ?? 0
          let rest = text.view.dropFirst(position)
          lineEnd = position + (rest.firstIndex(of: JSONByte.lineFeed) ?? rest.count)
          possible = endOfObject(in: start..<lineEnd, of: &text)
        }
        if position == possible { return (position, form) }
      }
    }
    return nil
  }

  /// The position of the first byte of the line that is not white space, or of the first one behind
  /// the object that begins there; nil if there is none, or the object is not complete.
  private static func endOfObject(in line: Range<Int>, of text: inout ByteBuffer) -> Int? {
    guard let first = line.first(where: { !JSONByte.isSpace(text[$0]) }) else { return nil }
    guard text[first] == JSONByte.openBrace else { return first }
    let isLast = line.upperBound == text.count
    // A scanned line ends with a line feed.
    if isLast { text.append(JSONByte.lineFeed) }
    defer { if isLast { text.truncate(to: line.upperBound) } }
    let tape = Tape(numbersNames: false)
    tape.bind(to: text.view)
    guard case .fault(let fault) = Scanner.scan(line: line, into: tape), fault.kind == .moreText
    else { return nil }
    return line.lowerBound + fault.offset
  }
}
