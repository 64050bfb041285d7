import Pipeline
import Stages

/// What was delivered more than once.
extension ReportPage {
  /// Writes which inputs held events that others had delivered, and inputs that were passed over.
  func writeDuplicates(to html: inout HTMLWriter) {
    let redeliveries = report.redeliveries
    guard !redeliveries.isEmpty || !report.selection.skipped.isEmpty else { return }
    section(
      "Delivered again",
      "Events with an id that counted already, and files that an earlier night had read.",
      to: &html
    ) { html in
      writeRedeliveries(redeliveries, to: &html)
      writeSkipped(to: &html)
    }
  }

  private func writeRedeliveries(
    _ redeliveries: [RunReport.Redelivery], to html: inout HTMLWriter
  ) {
    guard !redeliveries.isEmpty else { return }
    var table = ReportTable([
      ("Dropped from", .code), ("Counted in", .code), ("Earlier night", .text),
      ("Events", .number),
    ])
    for redelivery in redeliveries.prefix(ReportPage.mostInputs) {
      table.add([
        .text(HTMLWriter.clipped(redelivery.input)),
        .text(redelivery.counted.map { HTMLWriter.clipped($0) } ?? "not known"),
        .text(redelivery.isEarlier ? "yes" : "no"), .text(Figures.grouped(redelivery.events)),
      ])
    }
    table.write("Duplicates by input", to: &html)
    writeRest(redeliveries.count - ReportPage.mostInputs, "pairs of inputs", to: &html)
  }

  private func writeSkipped(to html: inout HTMLWriter) {
    let skipped = report.selection.skipped
    guard !skipped.isEmpty else { return }
    var table = ReportTable([("Not read", .code), ("Read before as", .code)])
    for input in skipped.prefix(ReportPage.mostInputs) {
      table.add([
        .text(HTMLWriter.clipped(input.path)), .text(HTMLWriter.clipped(input.earlier)),
      ])
    }
    table.write("Files that were not read again", to: &html)
    writeRest(skipped.count - ReportPage.mostInputs, "files", to: &html)
  }
}
