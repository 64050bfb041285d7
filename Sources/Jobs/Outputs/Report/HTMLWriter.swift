import Pipeline

/// Writes HTML: elements are closures, so they are always closed, and every text and every value of
/// an attribute is escaped, except text of the program in ``constant(_:)``.
struct HTMLWriter: ~Copyable {
  /// The attributes of an element, in order; those with the value nil are omitted.
  struct Attributes: ExpressibleByDictionaryLiteral {
    fileprivate let all: [(name: StaticString, value: String?)]

    init(dictionaryLiteral all: (StaticString, String?)...) { self.all = all }
  }

  /// Longest text from an input (a path, a name) that is shown whole, in Unicode scalars.
  static let longestText = 240

  private var buffer = ByteBuffer(capacity: 64 << 10)

  consuming func finish() -> ByteBuffer { buffer }

  mutating func constant(_ text: StaticString) { buffer.append(ByteView(text)) }

  mutating func element(
    _ name: StaticString, _ attributes: Attributes = [:], _ content: (inout HTMLWriter) -> Void
  ) {
    open(name, attributes)
    content(&self)
    buffer.append(text: "</\(name)>")
  }

  mutating func element(_ name: StaticString, _ attributes: Attributes, _ text: String) {
    element(name, attributes) { $0.text(text) }
  }

  mutating func element(_ name: StaticString, _ text: String) { element(name, [:], text) }

  /// Writes the start of the element `name`; some elements have no content and no end.
  private mutating func open(_ name: StaticString, _ attributes: Attributes) {
    buffer.append(text: "<\(name)")
    for case (let name, let value?) in attributes.all {
      buffer.append(text: " \(name)=\"")
      text(value)
      buffer.append(UInt8(ascii: "\""))
    }
    buffer.append(UInt8(ascii: ">"))
  }

  mutating func lines(_ text: String) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      self.text(String(line))
      endLine()
    }
  }

  /// Ends a line of the source, for readability.
  mutating func endLine() { buffer.append(UInt8(ascii: "\n")) }
}

extension HTMLWriter {
  private static let entities: [Unicode.Scalar: String] = [
    "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
  ]
  private static let special = entities.keys.map { UInt8(ascii: $0) }

  /// Writes text, escaped for use between tags and between double quotes. Invisible characters are
  /// made visible, as `\u{202E}`: HTML does not allow control characters, and others could disguise
  /// a path.
  mutating func text(_ text: String) {
    // Most texts are names and numbers. Looking at each scalar of them takes 3 % of a short run.
    let isPlain = text.utf8.allSatisfy { 0x20..<0x7F ~= $0 && !Self.special.contains($0) }
    if isPlain { return buffer.append(text: text) }
    for scalar in text.unicodeScalars {
      if let entity = Self.entities[scalar] {
        buffer.append(text: entity)
      } else if scalar.isVisible {
        buffer.append(scalar)
      } else {
        buffer.append(text: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}")
      }
    }
  }

  /// A share from 0 to 1 as a length or a position; other values are clamped. With percentages a
  /// drawing fills the available width, and its letters keep their size.
  static func percent(_ share: Double) -> String {
    NumberFormat.thousandths(min(max(share.isFinite ? share : 0, 0), 1) * 100) + "%"
  }

  /// Writes a rectangle of a drawing, by shares of its size.
  mutating func rect(
    _ style: String? = nil, x: Double? = nil, y: Double? = nil, width: Double,
    height: String = "100%"
  ) {
    element(
      "rect",
      [
        "class": style, "x": x.map(Self.percent), "y": y.map(Self.percent),
        "width": Self.percent(width), "height": height,
      ], "")
  }

  /// A text from an input, cut in the middle when very long: both ends of a path are informative.
  static func clipped(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard scalars.count > longestText else { return text }
    return "\(Substring(scalars.prefix(longestText / 2)))…"
      + "\(Substring(scalars.suffix(longestText / 2)))"
  }
}

/// A key figure: its name, its value, and a remark.
typealias PageTile = (name: String, value: String, more: String)

extension HTMLWriter {
  static func page(_ title: String, _ body: (inout HTMLWriter) -> Void) -> ByteBuffer {
    var html = HTMLWriter()
    html.constant("<!doctype html>\n")
    html.element("html", ["lang": "en"]) { html in
      html.writeHead(title)
      html.element("body") { html in body(&html) }
    }
    html.endLine()
    return html.finish()
  }

  private mutating func writeHead(_ title: String) {
    element("head") { html in
      html.open("meta", ["charset": "utf-8"])
      // A second line of defence: whatever got into the page, nothing would be loaded or run.
      html.open(
        "meta",
        [
          "http-equiv": "Content-Security-Policy",
          "content":
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
        ])
      html.open("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
      html.open("meta", ["name": "color-scheme", "content": "light dark"])
      html.element("title", title)
      html.element("style") { $0.buffer.append(contentsOf: PackageResources.page_css) }
    }
    endLine()
  }

  mutating func title(_ title: String, _ verdict: String, _ style: String) {
    element("div", ["class": "title"]) { html in
      html.element("h1", title)
      html.element("span", ["class": "verdict \(style)"], verdict)
    }
  }

  mutating func tiles(_ tiles: [PageTile]) {
    element("dl", ["class": "tiles"]) { html in
      for tile in tiles {
        html.element("div") { html in
          html.element("dt", tile.name)
          html.element("dd", ["class": "value"], tile.value)
          html.element("dd", ["class": "more"], tile.more)
        }
      }
    }
    endLine()
  }

  /// Writes a paragraph: texts and code in turn.
  mutating func paragraph(_ texts: String...) {
    element("p") { html in
      for (index, text) in texts.enumerated() {
        index.isMultiple(of: 2) ? html.text(text) : html.element("code", text)
      }
    }
  }

  mutating func program(_ tool: ToolVersion) {
    element("p", "eventmill \(tool.version), commit \(tool.commit), libzstd \(tool.zstd)")
  }
}
