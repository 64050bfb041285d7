import Pipeline

/// A table of a report's page: a name per row, numbers, and perhaps a bar.
struct ReportTable {
  /// The content of a column.
  enum Kind {
    /// Text from an input or of the program.
    case text
    /// The same, in a monospaced font; may be broken anywhere.
    case code
    /// A short name of a known form, in the same font.
    case name
    /// A number, right-aligned.
    case number
    /// A bar for a share from 0 to 1, which repeats a number beside it.
    case bar

    /// The class of its cells.
    fileprivate var style: String? {
      switch self {
      case .text, .code: nil
      case .name: "name"
      case .number: "number"
      case .bar: "wide"
      }
    }
  }

  /// A cell; its kind is that of the column.
  enum Cell: ExpressibleByStringInterpolation {
    case text(String)
    case share(Double)

    init(stringLiteral text: String) { self = .text(text) }

    /// A count.
    static func count(_ count: Int) -> Cell { .text(NumberFormat.grouped(count)) }
    /// A share in percent.
    static func percent(_ share: Double) -> Cell { .text(NumberFormat.percent(share)) }
    /// A text from an input, cut when it is very long.
    static func input(_ text: String) -> Cell { .text(HTMLWriter.clipped(text)) }
  }

  /// The columns; the first one names the row.
  let columns: [(title: String, kind: Kind)]
  /// A cell for every column in each.
  let rows: [[Cell]]

  /// Writes the table. `caption` describes it for readers who do not see its surroundings.
  func write(_ caption: String, to html: inout HTMLWriter) {
    // With two numbers or fewer a row fits a small screen; else it becomes a list there.
    let figures = columns.dropFirst().filter { $0.kind != .bar }
    let isNarrow = figures.count <= 2 && figures.allSatisfy { $0.kind == .number }
    html.element(
      "table", ["class": isNarrow ? "rows" : "cards", "aria-label": caption]
    ) { html in
      html.element("thead") { html in
        html.element("tr") { html in
          for column in columns {
            if column.title.isEmpty {
              html.element("td", ["class": column.kind.style], "")
            } else {
              html.element("th", ["scope": "col", "class": column.kind.style], column.title)
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
    precondition(row.count == columns.count, "a row has a cell for every column")
    for (index, (cell, column)) in zip(row, columns).enumerated() {
      let isFirst = index == 0
      html.element(
        isFirst ? "th" : "td",
        [
          "scope": isFirst ? "row" : nil, "data-label": isFirst ? nil : column.title,
          "class": column.kind.style,
        ]
      ) { html in
        switch cell {
        case .share(let share): ReportTable.writeBar(share, to: &html)
        case .text(let text) where column.kind == .code || column.kind == .name:
          if !text.isEmpty { html.element("code", text) }
        case .text(let text): html.text(text)
        }
      }
    }
  }

  private static func writeBar(_ share: Double, to html: inout HTMLWriter) {
    // Hidden from screen readers: the number is beside it.
    html.element("svg", ["class": "bar", "aria-hidden": "true"]) { html in
      html.element("rect", ["width": HTMLWriter.percent(share), "height": "100%"], "")
    }
  }
}
