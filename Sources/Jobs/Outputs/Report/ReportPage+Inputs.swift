import Pipeline
import Stages

/// What was read, file by file.
extension ReportPage {
  /// Inputs that are shown.
  static let mostInputs = 100

  /// Writes the inputs that could not be read to their end, if there are any.
  func writeLost(to html: inout HTMLWriter) {
    let lost = merge.outcomes.filter { $0.lost != nil }
    guard !lost.isEmpty else { return }
    section(
      "Damaged inputs", "What lies behind the place named here did not count.", to: &html
    ) { html in
      var table = ReportTable([("Input", .code), ("Lost from byte", .number), ("Why", .text)])
      for outcome in lost.prefix(ReportPage.mostInputs) {
        table.add([
          .text(HTMLWriter.clipped(outcome.file.path)),
          .text(Figures.grouped(outcome.lost?.offset ?? 0)),
          .text(HTMLWriter.clipped(outcome.lost?.why ?? "")),
        ])
      }
      table.write("Damaged inputs", to: &html)
      writeRest(lost.count - ReportPage.mostInputs, "inputs", to: &html)
    }
  }

  /// Writes the inputs, in the order in which they were read.
  func writeInputs(to html: inout HTMLWriter) {
    section(
      "Inputs",
      "In the order of their paths. Of two duplicates in two files, either may be called the "
        + "duplicate.", to: &html
    ) { html in
      var table = ReportTable([
        ("Input", .code), ("Size", .number), ("Lines", .number), ("Dialects", .text),
        ("Events accepted", .number), ("Rejected parts", .number), ("Duplicates", .number),
        ("Lost", .text),
      ])
      for (index, outcome) in merge.outcomes.prefix(ReportPage.mostInputs).enumerated() {
        let ledger = merge.ledgers[index]
        let rejected = ledger.rejectedLines + ledger.rejected + ledger.refused
        table.add([
          .text(HTMLWriter.clipped(outcome.file.path)), .text(ReportPage.size(outcome)),
          .text(Figures.grouped(ledger.lines)), .text(dialects(ofInput: index)),
          .text(Figures.grouped(ledger.accepted)), .text(Figures.grouped(rejected)),
          .text(Figures.grouped(ledger.duplicates)),
          .text(
            outcome.lost == nil ? "–" : "from byte \(Figures.grouped(outcome.lost?.offset ?? 0))"),
        ])
      }
      table.write("Inputs", to: &html)
      writeRest(
        merge.outcomes.count - ReportPage.mostInputs,
        "inputs; all of them are in "
          + RunFiles.report, to: &html)
    }
    writePassedOver(to: &html)
  }

  /// Writes what was no input, if there is anything.
  private func writePassedOver(to html: inout HTMLWriter) {
    let passedOver = report.passedOver
    guard passedOver.count > 0 else { return }
    section(
      "Passed over",
      "Found in the directories that were named, and not read: hidden, or not named like a log. Name "
        + "them to have them read.", to: &html
    ) { html in
      var table = ReportTable([("Path", .code)])
      for path in passedOver.paths { table.add([.text(HTMLWriter.clipped(path))]) }
      table.write("Passed over", to: &html)
      writeRest(passedOver.count - passedOver.paths.count, "paths", to: &html)
    }
  }

  /// `v1 1,234, v2 5`: the lines of an input by their dialects.
  private func dialects(ofInput index: Int) -> String {
    let lines = merge.tally.dialects.lines
    guard index < lines.count else { return "–" }
    let counts = Dialect.allCases.compactMap { dialect in
      let count = lines[index][Int(dialect.number)]
      return count > 0 ? "\(dialect.name) \(Figures.grouped(count))" : nil
    }
    return counts.isEmpty ? "–" : counts.joined(separator: ", ")
  }

  /// Bytes on disk, and how they are compressed.
  private static func size(_ outcome: InputOutcome) -> String {
    guard let summary = outcome.summary else { return "–" }
    let bytes = Figures.bytes(summary.compressedBytes)
    return summary.compression == .none ? bytes : "\(bytes) \(summary.compression.rawValue)"
  }
}
