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

  /// A heading below that of the section.
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
