import Pipeline

/// The parts that all pages have.
extension HTMLWriter {
  /// A page with the content that `body` writes.
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
      html.void("meta", ["charset": "utf-8"])
      // A second line of defence: whatever got into the page, nothing would be loaded or run.
      html.void(
        "meta",
        [
          "http-equiv": "Content-Security-Policy",
          "content":
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
        ])
      html.void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
      html.void("meta", ["name": "color-scheme", "content": "light dark"])
      html.element("title", title)
      html.element("style") { html in html.constant(PackageResources.page_css) }
    }
    endLine()
  }

  /// Writes the title of the page, and its result in two words with their style.
  mutating func title(_ title: String, _ verdict: String, _ style: String) {
    element("div", ["class": "title"]) { html in
      html.element("h1", title)
      html.element("span", ["class": "verdict \(style)"], verdict)
    }
  }

  /// Writes the key figures of the page.
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

  /// Writes the program that has made the page.
  mutating func program(_ tool: ToolVersion) {
    element("p", "eventmill \(tool.version), commit \(tool.commit), libzstd \(tool.zstd)")
  }
}
