import Foundation

/// A headless browser, which renders a page as a reader's would.
package struct Browser {
  /// The measurements of a page at one width, in CSS pixels.
  package struct Look: Sendable, Equatable {
    package let name: String
    package let width: Int
    /// If it exceeds the width, the page scrolls sideways.
    package let contentWidth: Int
    package let contentHeight: Int
    package let requests: Int
    /// Elements that scripts created; 0 for a page without scripts.
    package let marks: Int
    /// Of visible ones.
    package let smallestLetters: Double
  }

  package struct Findings: Sendable {
    package let looks: [Look]
    /// The console messages of the pages, including errors and blocked loads.
    package let console: [String]
  }

  private static let names = ["chromium", "chromium-browser", "google-chrome", "chrome"]

  private let program: String

  /// The browser of this machine; nil where there is none.
  package init?() {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let paths = Browser.names.flatMap { name in folders.map { "\($0)/\(name)" } }
    guard let path = paths.first(where: FileManager.default.isExecutableFile) else { return nil }
    program = path
  }

  /// Renders and measures `pages`, named HTML texts, each in a window of its width.
  package func look(
    at pages: [(name: String, html: String, width: Int)], in directory: ScratchDirectory
  ) throws -> Findings {
    let frames = pages.map { page in
      "<iframe name=\"\(page.name)\" style=\"width:\(page.width)px;height:800px;border:0\" "
        + "srcdoc=\"\(Browser.escaped(page.html))\"></iframe>"
    }
    let page = "<!doctype html><meta charset=utf-8>\(frames.joined())\(Browser.script)"
    try directory.write(Array(page.utf8), to: "looks.html")
    let result = try RunProcess.bash(
      "\(program) --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
        + "--no-first-run --disable-extensions --disable-background-networking "
        + "--host-resolver-rules='MAP * ~NOTFOUND' --user-data-dir=\"$PWD/browser\" "
        + "--enable-logging=stderr --virtual-time-budget=5000 --timeout=60000 "
        + "--window-size=2000,1000 --dump-dom \"file://$PWD/looks.html\"",
      directory: directory)
    guard let start = result.text.range(of: "<pre id=\"looks\">"),
      let end = result.text.range(of: "</pre>", range: start.upperBound..<result.text.endIndex)
    else { throw RunProcess.Trouble(code: result.status) }
    let looks = try NaiveJSON(
      parsing: String(result.text[start.upperBound..<end.lowerBound])
        .replacing("&amp;", with: "&").replacing("&lt;", with: "<").replacing("&gt;", with: ">"))
    return Findings(
      looks: looks.items.map(Look.init),
      console: result.errors.split(separator: "\n").filter { $0.contains("CONSOLE") }
        .map(String.init))
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
  }

  /// Measures every frame when all have loaded, and writes what it found into the page.
  private static let script = """
    <script>
    addEventListener("load", () => {
      const looks = [...document.querySelectorAll("iframe")].map(frame => {
        const page = frame.contentDocument, root = page.documentElement;
        const sizes = [...page.querySelectorAll("body *")]
          .filter(e => [...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()))
          .filter(e => e.getClientRects().length && !e.closest("title,desc,style,thead"))
          .map(e => parseFloat(frame.contentWindow.getComputedStyle(e).fontSize));
        return {
          name: frame.name, width: frame.contentWindow.innerWidth,
          contentWidth: Math.max(root.scrollWidth, page.body.scrollWidth),
          contentHeight: root.scrollHeight,
          requests: frame.contentWindow.performance.getEntriesByType("resource").length,
          marks: page.querySelectorAll("mark").length, letters: Math.min(...sizes, 100)
        };
      });
      const out = document.createElement("pre");
      out.id = "looks";
      out.textContent = JSON.stringify(looks);
      document.body.replaceChildren(out);
    });
    </script>
    """
}

extension Browser.Look {
  fileprivate init(_ json: NaiveJSON) {
    name = json["name"]?.text ?? ""
    width = json["width"]?.integer ?? 0
    contentWidth = json["contentWidth"]?.integer ?? 0
    contentHeight = json["contentHeight"]?.integer ?? 0
    requests = json["requests"]?.integer ?? 0
    marks = json["marks"]?.integer ?? 0
    smallestLetters = json["letters"]?.real ?? 0
  }
}
