import Pipeline
import Stages

/// A table of a report's page: a name per row, figures, and perhaps a bar.
struct ReportTable {
  /// What the cells of a column hold.
  enum Kind {
    /// Text of an input or of the program.
    case text
    /// The same, in the type of a source text; broken anywhere, if it has to be.
    case code
    /// A short name of a known form, in the same type.
    case name
    /// A figure, at the right.
    case number
    /// A bar for a share from 0 to 1. It shows what a figure beside it says.
    case bar
  }

  /// A cell; its kind is that of the column.
  enum Cell {
    case text(String)
    case share(Double)
  }

  private typealias Attribute = HTMLWriter.Attribute

  /// The columns; the first one names the row.
  let columns: [(title: String, kind: Kind)]
  private var rows: [[Cell]] = []

  /// A table without rows.
  init(_ columns: [(title: String, kind: Kind)]) { self.columns = columns }

  /// Adds a row with a cell for every column.
  mutating func add(_ row: [Cell]) {
    precondition(row.count == columns.count, "a row has a cell for every column")
    rows.append(row)
  }

  /// Writes the table. `caption` tells what it is to those who do not see what stands above it.
  func write(_ caption: String, to html: inout HTMLWriter) {
    // With two figures or fewer a row fits a telephone as it is; else it becomes a list there.
    let figures = columns.dropFirst().filter { $0.kind != .bar }
    let isNarrow = figures.count <= 2 && figures.allSatisfy { $0.kind == .number }
    html.element(
      "table", [Attribute("class", isNarrow ? "rows" : "cards"), Attribute("aria-label", caption)]
    ) { html in
      html.element("thead") { html in
        html.element("tr") { html in
          for column in columns {
            if column.title.isEmpty {
              html.element("td", style(column.kind), "")
            } else {
              html.element("th", [Attribute("scope", "col")] + style(column.kind), column.title)
            }
          }
        }
      }
      html.element("tbody") { html in
        for row in rows {
          html.element("tr") { html in write(row, to: &html) }
          html.endLine()
        }
      }
    }
  }

  private func write(_ row: [Cell], to html: inout HTMLWriter) {
    for (index, cell) in row.enumerated() {
      let column = columns[index]
      let attributes =
        index == 0
        ? [Attribute("scope", "row")] + style(column.kind)
        : [Attribute("data-label", column.title)] + style(column.kind)
      html.element(index == 0 ? "th" : "td", attributes) { html in
        switch cell {
        case .share(let share): ReportTable.writeBar(share, to: &html)
        case .text(let text):
          switch column.kind {
          case .code, .name:
            if !text.isEmpty { html.element("code", text) }
          case .text, .number, .bar: html.text(text)
          }
        }
      }
    }
  }

  private func style(_ kind: Kind) -> [Attribute] {
    switch kind {
    case .text, .code: []
    case .name: [Attribute("class", "name")]
    case .number: [Attribute("class", "number")]
    case .bar: [Attribute("class", "wide")]
    }
  }

  private static func writeBar(_ share: Double, to html: inout HTMLWriter) {
    // Not seen by readers of the text: the figure stands beside it.
    html.element("svg", [Attribute("class", "bar"), Attribute("aria-hidden", "true")]) { html in
      html.element(
        "rect", [Attribute("width", SVG.percent(share)), Attribute("height", "100%")], "")
    }
  }
}
