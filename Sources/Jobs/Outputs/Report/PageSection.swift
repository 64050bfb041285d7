import Pipeline

/// A section of a page: a heading, perhaps a sentence below it, and its parts.
struct PageSection {
  let title: String
  private let note: String
  /// Whether a reader opens it.
  private let isFolded: Bool
  private let parts: [PagePart]

  /// Nil without any of the `parts`, unless it is there `always`.
  init?(
    _ title: String, note: String = "", always: Bool = false, isFolded: Bool = false,
    _ parts: PagePart?...
  ) {
    (self.title, self.note, self.parts) = (title, note, parts.compactMap { $0 })
    self.isFolded = isFolded
    if self.parts.isEmpty, !always { return nil }
  }

  /// Its link target: `events-over-time`.
  var anchor: String {
    title.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
  }

  /// Writes it, with its link target if it `isLinked`.
  func write(isLinked: Bool = true, to html: inout HTMLWriter) {
    html.element("section", ["id": isLinked ? anchor : nil]) { html in
      guard isFolded else {
        html.element("h2", title)
        return writeContent(to: &html)
      }
      html.element("details") { html in
        html.element("summary") { $0.element("h2", title) }
        writeContent(to: &html)
      }
    }
    html.endLine()
  }

  private func writeContent(to html: inout HTMLWriter) {
    if !note.isEmpty { PagePart.note(note).write(&html) }
    for part in parts { part.write(&html) }
  }
}

/// A part of a section.
struct PagePart {
  let write: (inout HTMLWriter) -> Void

  init(_ write: @escaping (inout HTMLWriter) -> Void) { self.write = write }

  static func heading(_ text: String) -> PagePart { PagePart { $0.element("h3", text) } }

  /// A sentence beside the content.
  static func note(_ text: String) -> PagePart {
    PagePart { $0.element("p", ["class": "note"], text) }
  }

  /// Some of them; nil without any.
  static func notes(_ texts: [String]) -> PagePart? {
    texts.isEmpty ? nil : PagePart { html in for text in texts { note(text).write(&html) } }
  }

  /// The number of omitted items, if any.
  static func rest(_ count: Int, _ what: String) -> PagePart? {
    count > 0
      ? note("and \(NumberFormat.grouped(count)) more" + (what.isEmpty ? "" : " \(what)")) : nil
  }
}

/// A column of a table of a page: its title, and what it has of a row. The first one names the row.
struct Column<Row> {
  let title: String
  fileprivate let style: String?
  fileprivate let write: (Row, inout HTMLWriter) -> Void

  static func text(_ title: String, _ text: @escaping (Row) -> String) -> Column {
    Column(title: title, style: nil) { $1.text(text($0)) }
  }

  /// A monospaced text; may be broken anywhere.
  static func code(
    _ title: String, style: String? = nil, _ text: @escaping (Row) -> String
  ) -> Column {
    Column(title: title, style: style) { row, html in
      let text = text(row)
      if !text.isEmpty { html.element("code", text) }
    }
  }

  /// A monospaced text from an input, cut when it is very long.
  static func input(_ title: String, _ text: @escaping (Row) -> String) -> Column {
    code(title) { HTMLWriter.clipped(text($0)) }
  }

  /// A monospaced short name of a known form.
  static func name(_ title: String, _ text: @escaping (Row) -> String) -> Column {
    code(title, style: "name", text)
  }

  static func number(_ title: String, _ text: @escaping (Row) -> String) -> Column {
    Column(title: title, style: "number") { $1.text(text($0)) }
  }

  static func count(_ title: String, _ count: @escaping (Row) -> Int) -> Column {
    number(title) { NumberFormat.grouped(count($0)) }
  }

  static func percent(_ title: String, _ share: @escaping (Row) -> Double) -> Column {
    number(title) { NumberFormat.percent(share($0)) }
  }

  /// A bar for a share from 0 to 1, which repeats a number beside it.
  static func bar(_ share: @escaping (Row) -> Double) -> Column {
    Column(title: "", style: "wide") { row, html in
      // Hidden from screen readers: the number is beside it.
      html.element("svg", ["class": "bar", "aria-hidden": "true"]) { $0.rect(width: share(row)) }
    }
  }
}

extension PagePart {
  /// A table of the first `most` of `items`, and below it the number of the others, which `rest`
  /// names. Nil without items, unless it is there `always`. `caption` is for readers who do not see
  /// its surroundings.
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

  private static func write<Row>(_ row: Row, _ columns: [Column<Row>], to html: inout HTMLWriter) {
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
