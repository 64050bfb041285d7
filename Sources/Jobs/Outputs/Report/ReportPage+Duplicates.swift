import Pipeline

/// Events that were delivered more than once.
extension ReportPage where Report == RunReport {
  /// Writes the inputs with events that others had delivered, and skipped inputs.
  func writeDuplicates(to html: inout HTMLWriter) {
    let redeliveries = report.redeliveries
    let alreadyRead = report.selection.alreadyRead
    let grown = report.merge.outcomes.filter { $0.file.start != nil }
    guard !redeliveries.isEmpty || !alreadyRead.isEmpty || !grown.isEmpty else { return }
    section(
      "Delivered again",
      "Events with an id that was counted before, and logs that were read before.",
      to: &html
    ) { html in
      if !redeliveries.isEmpty {
        writeTable(
          "Duplicates by input",
          [
            ("Dropped from", .code), ("Counted in", .code), ("Earlier night", .text),
            ("Events", .number),
          ], of: redeliveries, atMost: ReportPage.mostInputs, rest: "pairs of inputs", to: &html
        ) {
          [
            .input($0.input), .input($0.counted ?? "unknown"), $0.isEarlier ? "yes" : "no",
            .count($0.events),
          ]
        }
      }
      if !alreadyRead.isEmpty {
        writeTable(
          "Skipped files", [("Skipped", .code), ("Same content, read as", .code)],
          of: alreadyRead, atMost: ReportPage.mostInputs, rest: "files", to: &html
        ) { [.input($0.path), .input($0.earlier)] }
      }
      if !grown.isEmpty {
        writeTable(
          "Grown files", [("Read", .code), ("Lines read before", .number)],
          of: grown, atMost: ReportPage.mostInputs, rest: "files", to: &html
        ) { [.input($0.file.path), .count($0.file.start?.lines ?? 0)] }
      }
    }
  }

  /// Writes how the folders of earlier nights differ from what was read, if they do.
  func writeLateFiles(to html: inout HTMLWriter) {
    let files = report.late.outcomes.flatMap { text, paths in paths.map { ($0, text) } }
    guard !files.isEmpty else { return }
    section(
      "Late files", "What differs from what earlier nights have read.",
      to: &html
    ) { html in
      writeTable(
        "Late files", [("File", .code), ("Tonight", .text)], of: files,
        atMost: ReportPage.mostInputs, rest: "files; all of them are in \(RunFiles.report)",
        to: &html
      ) { [.input($0.0), .text($0.1)] }
    }
  }
}
