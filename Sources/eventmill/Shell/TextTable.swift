import Pipeline

/// A table of aligned columns, for people.
struct TextTable {
  enum Alignment {
    case left, right
    /// On the left; where it is too long the middle is cut out, because it ends with a number.
    case location
  }

  struct Column<Row> {
    let title: String
    let alignment: Alignment
    let cell: (Row) -> String

    /// A text, or a dash where there is none.
    static func text(_ title: String, _ text: @escaping (Row) -> String?) -> Column {
      Column(title: title, alignment: .left) { text($0) ?? "-" }
    }

    /// A file and the number of a line in it.
    static func location(_ title: String, _ text: @escaping (Row) -> String?) -> Column {
      Column(title: title, alignment: .location) { text($0) ?? "-" }
    }

    /// A text with a number in it.
    static func right(_ title: String, _ text: @escaping (Row) -> String) -> Column {
      Column(title: title, alignment: .right, cell: text)
    }

    static func number(_ title: String, _ number: @escaping (Row) -> Int) -> Column {
      .right(title) { NumberFormat.grouped(number($0)) }
    }
  }

  private let titles: [String]
  private let alignments: [Alignment]
  private var rows: [(cells: [String], bad: Set<Int>)] = []

  init(_ columns: [(title: String, alignment: Alignment)]) {
    (titles, alignments) = (columns.map(\.title), columns.map(\.alignment))
  }

  /// A table of `rows`; the cells of a row in the columns `bad` are highlighted.
  init<Row>(
    of rows: some Sequence<Row>, _ columns: [Column<Row>], bad: (Row) -> Set<Int> = { _ in [] }
  ) {
    self.init(columns.map { ($0.title, $0.alignment) })
    for row in rows { add(columns.map { $0.cell(row) }, bad: bad(row)) }
  }

  /// Adds a row with a cell for each column; those in the columns `bad` are highlighted.
  mutating func add(_ cells: [String], bad: Set<Int> = []) {
    precondition(cells.count == titles.count, "a row has as many cells as the table has columns")
    rows.append((cells, bad))
  }

  /// The lines: titles and rows. Texts are cut so that a line has at most `width` characters, if
  /// possible; numbers are not cut.
  func lines(
    width: Int? = nil, heading: (String) -> String = { $0 }, bad: (String) -> String = { $0 }
  ) -> [String] {
    let natural = titles.indices.map { column in
      rows.reduce(titles[column].count) { max($0, $1.cells[column].count) }
    }
    let widths = fitted(natural, to: width)
    return [heading(line(titles, widths))] + rows.map { line($0.cells, widths, $0.bad, bad) }
  }

  /// Least widths of columns, step by step: texts, the first text, and then all of them.
  private static let narrowest = (time: 24, text: 8)
  private static let gap = 2

  private func fitted(_ natural: [Int], to width: Int?) -> [Int] {
    guard let width else { return natural }
    var widths = natural
    let texts = widths.indices.filter { alignments[$0] != .right }
    let steps = [
      (texts, Self.narrowest.time), (Array(texts.prefix(1)), Self.narrowest.text),
      (texts, Self.narrowest.text),
    ]
    var excess = widths.reduce(Self.gap * (widths.count - 1), +) - width
    for (columns, least) in steps {
      while excess > 0, let widest = columns.max(by: { widths[$0] < widths[$1] }),
        widths[widest] > least
      {
        widths[widest] -= 1
        excess -= 1
      }
    }
    return widths
  }

  private func line(
    _ cells: [String], _ widths: [Int], _ marked: Set<Int> = [], _ bad: (String) -> String = { $0 }
  ) -> String {
    var text = ""
    for column in cells.indices {
      let cell = cut(cells[column], to: widths[column], alignments[column])
      let padding = String(repeating: " ", count: max(0, widths[column] - cell.count))
      let shown = marked.contains(column) ? bad(cell) : cell
      if column > 0 { text += String(repeating: " ", count: Self.gap) }
      switch alignments[column] {
      case .left, .location: text += column == cells.count - 1 ? shown : shown + padding
      case .right: text += padding + shown
      }
    }
    return text
  }

  private func cut(_ cell: String, to width: Int, _ alignment: Alignment) -> String {
    guard alignment != .right, cell.count > width else { return cell }
    let end = alignment == .location ? (width - 1) / 2 : 0
    return cell.prefix(width - 1 - end) + "…" + cell.suffix(end)
  }
}

/// Words in lines of a width.
enum TextFill {
  /// Columns of the names that stand before the lines of a summary.
  private static let nameWidth = 12

  /// The lines of `text` behind `start`. Only a single word may make one longer than `width`. All
  /// but the first begin with `indent` spaces. Color codes have no width.
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

/// Numbers as a line of blocks, each as high as its number.
enum Sparkline {
  private static let blocks = Array("▁▂▃▄▅▆▇█")

  /// A character for each of `counts`; the greatest one fills it, and 0 is a blank.
  static func text(_ counts: [Int]) -> String {
    let most = counts.max() ?? 0
    return String(
      counts.map { count in
        guard count > 0 else { return " " }
        let level = Int((Double(count) / Double(most) * Double(blocks.count)).rounded(.up))
        return blocks[min(max(level, 1), blocks.count) - 1]
      })
  }
}
