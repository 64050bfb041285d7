import Pipeline

/// A column of a table of a page: its title, and what it has of a row. The first one names the row.
struct Column<Row> {
  let title: String
  /// The class of its cells.
  fileprivate let style: String?
  /// Writes the content of a cell.
  fileprivate let write: (Row, inout HTMLWriter) -> Void

  /// Text from an input or of the program.
  static func text(_ title: String, _ text: @escaping (Row) -> String) -> Column {
    Column(title: title, style: nil) { $1.text(text($0)) }
  }

  /// The same, in a monospaced font; may be broken anywhere.
  static func code(
    _ title: String, style: String? = nil, _ text: @escaping (Row) -> String
  ) -> Column {
    Column(title: title, style: style) { row, html in
      let text = text(row)
      if !text.isEmpty { html.element("code", text) }
    }
  }

  /// Text from an input in that font, cut when it is very long.
  static func input(_ title: String, _ text: @escaping (Row) -> String) -> Column {
    code(title) { HTMLWriter.clipped(text($0)) }
  }

  /// A short name of a known form, in the same font.
  static func name(_ title: String, _ text: @escaping (Row) -> String) -> Column {
    code(title, style: "name", text)
  }

  /// A number, right-aligned.
  static func number(_ title: String, _ text: @escaping (Row) -> String) -> Column {
    Column(title: title, style: "number") { $1.text(text($0)) }
  }

  static func count(_ title: String, _ count: @escaping (Row) -> Int) -> Column {
    number(title) { NumberFormat.grouped(count($0)) }
  }

  /// A share in percent.
  static func percent(_ title: String, _ share: @escaping (Row) -> Double) -> Column {
    number(title) { NumberFormat.percent(share($0)) }
  }

  /// A bar for a share from 0 to 1, which repeats a number beside it.
  static func bar(_ share: @escaping (Row) -> Double) -> Column {
    Column(title: "", style: "wide") { row, html in
      // Hidden from screen readers: the number is beside it.
      html.element("svg", ["class": "bar", "aria-hidden": "true"]) { html in
        html.element("rect", ["width": HTMLWriter.percent(share(row)), "height": "100%"], "")
      }
    }
  }
}

extension PagePart {
  /// A table with a row for each of the first `most` of `items`. Below it is the number of the
  /// others, which `rest` names. Nil without items, unless it is there `always`. `caption`
  /// describes it for readers who do not see its surroundings.
  static func table<Items: Collection>(
    _ caption: String, of items: Items, atMost most: Int = .max, rest: String = "",
    always: Bool = false, _ columns: Column<Items.Element>...
  ) -> PagePart? {
    if items.isEmpty, !always { return nil }
    return PagePart { html in
      write(items.prefix(most), columns, caption, to: &html)
      Self.rest(items.count - most, rest)?.write(&html)
    }
  }

  private static func write<Row>(
    _ rows: some Sequence<Row>, _ columns: [Column<Row>], _ caption: String,
    to html: inout HTMLWriter
  ) {
    // With two numbers or fewer a row fits a small screen; else it becomes a list there.
    let figures = columns.dropFirst().filter { $0.style != "wide" }
    let isNarrow = figures.count <= 2 && figures.allSatisfy { $0.style == "number" }
    html.element("table", ["class": isNarrow ? "rows" : "cards", "aria-label": caption]) { html in
      html.element("thead") { html in
        html.element("tr") { html in
          for column in columns {
            if column.title.isEmpty {
              html.element("td", ["class": column.style], "")
            } else {
              html.element("th", ["scope": "col", "class": column.style], column.title)
            }
          }
        }
      }
      html.element("tbody") { html in
        for row in rows {
          html.element("tr") { html in write(row, columns, to: &html) }
          html.endLine()
        }
      }
    }
  }

  private static func write<Row>(
    _ row: Row, _ columns: [Column<Row>], to html: inout HTMLWriter
  ) {
    for (index, column) in columns.enumerated() {
      let isFirst = index == 0
      html.element(
        isFirst ? "th" : "td",
        [
          "scope": isFirst ? "row" : nil, "data-label": isFirst ? nil : column.title,
          "class": column.style,
        ]
      ) { column.write(row, &$0) }
    }
  }
}
