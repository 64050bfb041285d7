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
        writeErasures(to: &html)
        for part in ["lines", "events", "operations"] as [StaticString] {
          write("Counted \(part)", report["ledger"]?[part]?.members ?? [], to: &html)
        }
        write("Rejected parts", report["rejects"]?["reasons"]?.members ?? [], to: &html)
        write(
          "Most frequent events",
          (report["top_events"]?.items ?? []).compactMap { event in
            guard let name = event["name"]?.text, let events = event["events"] else { return nil }
            return (name, events)
          }, .code, to: &html)
      }
      html.element("footer") { html in
        html.element("p") { html in
          html.text("Counts of lines, events and rejects are those of the run. More are in ")
          html.element("code", RunFiles.report)
          html.text(".")
        }
        html.program(tool)
      }
    }
  }

  private func figure(_ names: StaticString...) -> String {
    let value = names.reduce(report as JSONValue?) { value, name in value?[name] }
    return value?.count.map { NumberFormat.grouped($0) } ?? ""
  }

  private func writeErasures(to html: inout HTMLWriter) {
    let columns: [StaticString] = ["attributes", "event_names", "events", "links", "devices"]
    let rows = (report["erasures"]?.items ?? []).map { request in
      [
        .text("line \(request["line"]?.count ?? 0)"), .text(request["of"]?.text ?? ""),
        .text(request["known"]?.bool == true ? "yes" : "nothing matched"),
      ] + columns.map { ReportTable.Cell.count(request[$0]?.count ?? 0) }
    }
    section("Erased", rows: rows.count, to: &html) { html in
      ReportTable(
        columns: [("Request", .text), ("Of", .text), ("Known", .text)]
          + columns.map { ("\($0)".replacing("_", with: " "), .number) },
        rows: Array(rows.prefix(Self.mostRows))
      ).write("Erased", to: &html)
    }
  }

  /// Writes a section with a table of counts; none without any.
  private func write(
    _ title: String, _ counts: [(name: String, value: JSONValue)],
    _ kind: ReportTable.Kind = .text, to html: inout HTMLWriter
  ) {
    guard !counts.isEmpty else { return }
    section(title, rows: counts.count, to: &html) { html in
      ReportTable(
        columns: [("Of", kind), ("Number", .number)],
        rows: counts.prefix(Self.mostRows).map { [.input($0.name), .count($0.value.count ?? 0)] }
      ).write(title, to: &html)
    }
  }

  private func section(
    _ title: String, rows: Int, to html: inout HTMLWriter, _ table: (inout HTMLWriter) -> Void
  ) {
    html.element("section") { html in
      html.element("h2", title)
      table(&html)
      let more = rows - Self.mostRows
      if more > 0 { html.element("p", ["class": "note"], "and \(NumberFormat.grouped(more)) more") }
    }
    html.endLine()
  }
}
