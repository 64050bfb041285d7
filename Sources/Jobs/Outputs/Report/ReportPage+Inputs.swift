import Pipeline
import Stages

extension InputOutcome {
  /// What is missing of the input, for a page.
  var lossText: String {
    lost.map { "from byte \(NumberFormat.grouped($0.offset ?? 0))" }
      ?? cutShort.map { "cut short in line \(NumberFormat.grouped($0))" } ?? "–"
  }
}

/// The inputs, file by file.
extension ReportPage {
  /// Number of inputs shown.
  static var mostInputs: Int { 100 }

  /// Writes the inputs that could not be read to their end, if there are any.
  func writeLost(to html: inout HTMLWriter) {
    let lost = merge.outcomes.filter { $0.lost != nil }
    guard !lost.isEmpty else { return }
    section(
      "Damaged inputs", "The bytes after the given offset were not counted.", to: &html
    ) { html in
      writeTable(
        "Damaged inputs", [("Input", .code), ("Lost from byte", .number), ("Why", .text)],
        of: lost, atMost: ReportPage.mostInputs, rest: "inputs", to: &html
      ) { [.input($0.file.path), .count($0.lost?.offset ?? 0), .input($0.lost?.why ?? "")] }
    }
  }

  /// Writes the inputs, in reading order.
  func writeInputs(to html: inout HTMLWriter) {
    section(
      "Inputs",
      "In the order of their paths. Of two duplicates in two files, either may be called the "
        + "duplicate.", to: &html
    ) { html in
      writeTable(
        "Inputs",
        [
          ("Input", .code), ("Size", .number), ("Lines", .number), ("Dialects", .text),
          ("Events accepted", .number), ("Rejected parts", .number), ("Duplicates", .number),
          ("Lost", .text),
        ], of: merge.outcomes.indices, atMost: ReportPage.mostInputs,
        rest: "inputs; all of them are in \(RunFiles.report)", to: &html
      ) { index in
        let (outcome, ledger) = (merge.outcomes[index], merge.ledgers[index])
        return [
          .input(outcome.file.path), .text(ReportPage.size(outcome)), .count(ledger.lines),
          .text(dialects(ofInput: index)), .count(ledger.accepted),
          .count(ledger.rejectedLines + ledger.rejected + ledger.refused),
          .count(ledger.duplicates),
          .text(outcome.lossText),
        ]
      }
    }
    writePassedOver(to: &html)
  }

  /// Writes the ignored files, if there are any.
  func writePassedOver(to html: inout HTMLWriter) {
    let ignoredFiles = report.ignoredFiles
    guard ignoredFiles.count > 0 else { return }
    section(
      "Ignored files",
      "Found in the named directories, and not read, because they do not seem to be logs. Name "
        + "them explicitly to read them.", to: &html
    ) { html in
      writeTable(
        "Ignored files", [("Path", .code), ("What it is", .text)], of: ignoredFiles.files, to: &html
      ) {
        [.input($0.path), .text($0.what)]
      }
      writeRest(ignoredFiles.count - ignoredFiles.files.count, "paths", to: &html)
    }
  }

  /// `v1 1,234, v2 5`: the lines of an input by their dialects.
  private func dialects(ofInput index: Int) -> String {
    let counts = merge.tally.dialects.lines(ofInput: index).map { dialect, count in
      "\(dialect.name) \(NumberFormat.grouped(count))"
    }
    return counts.isEmpty ? "–" : counts.joined(separator: ", ")
  }

  /// Bytes on disk, and the compression.
  private static func size(_ outcome: InputOutcome) -> String {
    guard let summary = outcome.summary else { return "–" }
    let bytes = NumberFormat.bytes(summary.compressedBytes)
    return summary.compression == .none ? bytes : "\(bytes) \(summary.compression.rawValue)"
  }
}
