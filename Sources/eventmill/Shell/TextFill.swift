/// Words in lines of a width.
enum TextFill {
  /// Columns of the names that stand before the lines of a summary.
  private static let nameWidth = 12

  /// The lines of `text` behind `start`. Only a single word may make one longer than `width`. All
  /// but the first begin with `indent` spaces. Colour codes have no width.
  static func lines(_ text: some StringProtocol, behind start: String, indent: Int, width: Int)
    -> [String]
  {
    var lines = [start]
    var column = start.count
    var isFirst = true
    for word in text.split(separator: " ") {
      let length = visibleCount(word)
      if !isFirst, column + 1 + length > width {
        lines.append(String(repeating: " ", count: indent) + word)
        column = indent + length
      } else {
        lines[lines.count - 1] += (isFirst ? "" : " ") + word
        column += length + (isFirst ? 0 : 1)
      }
      isFirst = false
    }
    return lines
  }

  /// The wrapped lines of a summary line: a name and its text, or text alone.
  static func lines(ofSummary line: String, width: Int) -> [String] {
    if visibleCount(line) <= width { return [line] }
    let name = line.prefix(nameWidth)
    let isNamed = name.last == " "
    return lines(
      isNamed ? line.dropFirst(nameWidth) : line[...], behind: isNamed ? String(name) : "",
      indent: nameWidth, width: width)
  }

  private static func visibleCount(_ text: some StringProtocol) -> Int {
    var (count, isCode) = (0, false)
    for character in text {
      if character == "\u{1B}" { isCode = true }
      if !isCode { count += 1 }
      if character == "m" { isCode = false }
    }
    return count
  }
}
