import Foundation
import TestSupport

/// A headless browser, which renders a page as a reader's would.
struct Browser {
  /// The measurements of a page at one width, in CSS pixels.
  struct Look: Sendable, Equatable {
    let name: String
    let width: Int
    /// If it exceeds the width, the page scrolls sideways.
    let contentWidth: Int
    let contentHeight: Int
    let requests: Int
    /// Elements that scripts created; 0 for a page without scripts.
    let marks: Int
    /// Of visible ones.
    let smallestLetters: Double
  }

  struct Findings: Sendable {
    let looks: [Look]
    /// The console messages of the pages, including errors and blocked loads.
    let console: [String]
  }

  struct Trouble: Error { let status: Int32 }

  private static let names = ["chromium", "chromium-browser", "google-chrome", "chrome"]

  private let program: String

  /// The browser of this machine; nil where there is none.
  init?() {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let paths = Browser.names.flatMap { name in folders.map { "\($0)/\(name)" } }
    guard let path = paths.first(where: FileManager.default.isExecutableFile) else { return nil }
    program = path
  }

  /// Renders and measures `pages`, named HTML texts, each in a window of its width.
  func look(
    at pages: [(name: String, html: String, width: Int)], in directory: ScratchDirectory
  ) throws -> Findings {
    let frames = pages.map { page in
      "<iframe name=\"\(page.name)\" style=\"width:\(page.width)px;height:800px;border:0\" "
        + "srcdoc=\"\(Browser.escaped(page.html))\"></iframe>"
    }
    let script = try Golden.text("looks.js")
    let page = "<!doctype html><meta charset=utf-8>\(frames.joined())<script>\(script)</script>"
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
    else { throw Trouble(status: result.status) }
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
