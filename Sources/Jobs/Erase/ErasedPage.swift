import Pipeline

/// The page of an output without erased people (`report.html`): what was erased, and the figures of
/// its run. Made from its `report.json`, which names no erased person, and without lines of logs.
struct ErasedPage {
  let report: JSONValue
  let tool: ToolVersion

  private static let mostRows = 50

  func html() -> ByteBuffer {
    let run = report["run"]
    let words = (["night", "started", "ended"] as [StaticString]).map { run?[$0]?.text ?? "" }
    return HTMLWriter.page("Eventmill run: people erased") { html in
      html.element("header") { html in
        html.title("Eventmill run", "people erased", "good")
        html.element(
          "p", ["class": "soft"],
          "Copy of night \(HTMLWriter.clipped(words[0])), run from \(words[1]) to \(words[2])")
        html.tiles([
          ("Profiles", figure("profiles"), ""),
          ("Requests", NumberFormat.grouped(report["erasures"]?.items.count ?? 0), ""),
          ("Lines", figure("ledger", "lines", "total"), "of the run"),
          ("Events", figure("ledger", "events", "accepted"), "of the run"),
        ])
      }
      html.element("main") { html in
        for section in sections { section?.write(isLinked: false, to: &html) }
      }
      html.element("footer") { html in
        html.paragraph(
          "Counts of lines, events and rejects are those of the run. More are in ",
          RunFiles.report, ".")
        html.program(tool)
      }
    }
  }

  private func figure(_ names: StaticString...) -> String {
    let value = names.reduce(report as JSONValue?) { value, name in value?[name] }
    return value?.count.map { NumberFormat.grouped($0) } ?? ""
  }

  private var sections: [PageSection?] {
    let events = (report["top_events"]?.items ?? []).compactMap { event in
      event["name"]?.text.flatMap { name in event["events"].map { (name: name, value: $0) } }
    }
    let ledger = { (part: StaticString) in
      counts("Counted \(part)", report["ledger"]?[part]?.members ?? [])
    }
    return [
      PageSection(
        "Erased",
        .table(
          "Erased", of: report["erasures"]?.items ?? [], atMost: Self.mostRows, always: true,
          .text("Request") { "line \($0["line"]?.count ?? 0)" },
          .text("Of") { $0["of"]?.text ?? "" },
          .text("Known") { $0["known"]?.bool == true ? "yes" : "nothing matched" },
          count("attributes"), count("event_names"), count("events"), count("links"),
          count("devices"))),
      ledger("lines"), ledger("events"), ledger("operations"),
      counts("Rejected parts", report["rejects"]?["reasons"]?.members ?? []),
      counts("Most frequent events", events, areCode: true),
    ]
  }

  private func count(_ name: StaticString) -> Column<JSONValue> {
    .count("\(name)".replacing("_", with: " ")) { $0[name]?.count ?? 0 }
  }

  /// A section with a table of counts; nil without any.
  private func counts(
    _ title: String, _ counts: [(name: String, value: JSONValue)], areCode: Bool = false
  ) -> PageSection? {
    PageSection(
      title,
      .table(
        title, of: counts, atMost: Self.mostRows,
        areCode ? .input("Of", \.name) : .text("Of") { HTMLWriter.clipped($0.name) },
        .count("Number") { $0.value.count ?? 0 }))
  }
}
