/// A table of aligned columns, for people.
struct TextTable {
  enum Alignment {
    case left
    case right
  }

  private let titles: [String]
  private let alignments: [Alignment]
  private var rows: [[String]] = []

  init(_ columns: [(title: String, alignment: Alignment)]) {
    titles = columns.map(\.title)
    alignments = columns.map(\.alignment)
  }

  /// Adds a row, which has a cell for each column.
  mutating func add(_ cells: [String]) {
    precondition(cells.count == titles.count, "a row has as many cells as the table has columns")
    rows.append(cells)
  }

  /// The lines of the table: the titles, which `heading` makes stand out, and the rows.
  func lines(heading: (String) -> String = { $0 }) -> [String] {
    let widths = titles.indices.map { column in
      rows.reduce(titles[column].count) { max($0, $1[column].count) }
    }
    return [heading(line(titles, widths))] + rows.map { line($0, widths) }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var text = ""
    for column in cells.indices {
      let padding = String(repeating: " ", count: widths[column] - cells[column].count)
      if column > 0 { text += "  " }
      switch alignments[column] {
      case .left: text += column == cells.count - 1 ? cells[column] : cells[column] + padding
      case .right: text += padding + cells[column]
      }
    }
    return text
  }
}
