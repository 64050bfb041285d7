import Pipeline

/// The times of the stages, and the options of the job.
extension ReportPage {
  /// Writes the times of the stages, in the order of the flow.
  func writeStages(to html: inout HTMLWriter) {
    section(
      "Stages",
      "Seconds of work, summed over all threads; the \(Report.words.job) took \(NumberFormat.tenths(seconds)) s.",
      to: &html
    ) { html in
      writeTable(
        "Stages",
        [
          ("Stage", .text), ("Seconds", .number), ("", .bar), ("Share", .number),
          ("Waited, s", .number), ("MB/s", .number),
        ], of: report.stages, to: &html
      ) { stage in
        let share = stage.seconds / report.stages.work
        let rate = Double(stage.bytes) / 1e6 / max(stage.seconds, 1e-9)
        return [
          .text(stage.name), .text(NumberFormat.thousandths(stage.seconds)), .share(share),
          .percent(share),
          .text(stage.stalled > 0 ? NumberFormat.thousandths(Double(stage.stalled) / 1e9) : "–"),
          .text(stage.bytes > 0 ? NumberFormat.grouped(Int(min(rate, 1e9))) : "–"),
        ]
      }
    }
  }

  /// Writes the options, as in `report.json`.
  func writeOptions(to html: inout HTMLWriter) {
    section("Options", to: &html) { html in
      var json = JSONWriter(.pretty)
      json.object { json in
        report.recorded.writeFields(to: &json)
        json.member("jobs", report.options.read.jobs)
      }
      html.element("pre") { html in html.lines(json.bytes.text) }
    }
  }
}
