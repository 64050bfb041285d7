import Pipeline

/// A table of aligned columns, for people.
struct TextTable {
  enum Alignment {
    case left
    case right
    /// On the left; where it is too long the middle is cut out, because it ends with a number.
    case location
  }

  /// A column of a table whose rows are alike.
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
    titles = columns.map(\.title)
    alignments = columns.map(\.alignment)
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

  /// The lines of the table: the titles, highlighted by `heading`, and the rows, with bad cells
  /// highlighted by `bad`. Columns of text are cut so that a line has at most `width` characters,
  /// if possible; numbers are not cut.
  func lines(
    width: Int? = nil, heading: (String) -> String = { $0 }, bad: (String) -> String = { $0 }
  ) -> [String] {
    let natural = titles.indices.map { column in
      rows.reduce(titles[column].count) { max($0, $1.cells[column].count) }
    }
    let widths = fitted(natural, to: width)
    return [heading(line(titles, widths))] + rows.map { line($0.cells, widths, $0.bad, bad) }
  }

  /// Least widths of columns, step by step: texts to the length of a time, the first text, and then
  /// all of them to a few characters.
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
