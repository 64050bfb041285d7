import Pipeline
import Stages

/// What was rejected, and why; what was lost from accepted records.
extension ReportPage {
  /// Number of unknown field names shown.
  private static var mostFields: Int { 20 }

  /// Writes the reasons, the most frequent first, with the first example of each.
  func writeRejects(to html: inout HTMLWriter) {
    let entries = NumberFormat.grouped(merge.rejects.lines)
    section(
      "Rejects by reason",
      merge.tally.reasons.isEmpty
        ? "Nothing was rejected."
        : "Rejected lines, events and operations: \(entries). One with two faults counts for both "
          + "reasons.", to: &html
    ) { html in
      write(merge.tally.reasons, "Reason", to: &html)
      writeExamples(to: &html)
    }
  }

  /// Writes the fault of the first line of each reason, and the line.
  private func writeExamples(to html: inout HTMLWriter) {
    let reasons = merge.tally.reasons.mostFrequentFirst(by: \.count)
    guard !reasons.isEmpty else { return }
    html.element("h3", "The first line of each")
    html.element("dl", ["class": "examples"]) { html in
      for reason in reasons {
        guard let sample = reason.samples.first else { continue }
        html.element("dt") { html in
          html.element("code", reason.code.text)
          if let message = sample.message { html.text(" \(HTMLWriter.clipped(message))") }
        }
        html.element("dd") { html in
          html.element("pre", sample.raw ?? "(withheld)")
        }
        html.endLine()
      }
    }
  }

  /// Writes the losses, the most frequent first, with the first example of each.
  func writeLosses(to html: inout HTMLWriter) {
    section(
      "Losses by code",
      merge.tally.losses.isEmpty
        ? "Nothing of the accepted records was dropped."
        : "Parts of accepted lines and events that were dropped.", to: &html
    ) { html in
      write(merge.tally.losses, "Loss", to: &html)
    }
  }

  /// Writes what is unusual about accepted values.
  func writeRemarks(to html: inout HTMLWriter) {
    let remarks = merge.tally.remarks
    guard !remarks.isEmpty else { return }
    section(
      "Remarks by code",
      "Accepted and kept unchanged, but perhaps wrong: dates before 1900 or after 2100, by key.",
      to: &html
    ) { html in
      write(remarks, "Remark", to: &html)
      write(merge.tally.implausibleDates.names, "Dates by key", "Key", "keys", to: &html)
    }
  }

  private func write(
    _ codes: [TallyFacts.CodeCount], _ title: String, to html: inout HTMLWriter
  ) {
    // There is at most one row for each code, and codes are few.
    let sorted = codes.mostFrequentFirst(by: \.count)
    guard let most = sorted.first?.count else { return }
    writeTable(
      "\(title) and count",
      [(title, .name), ("Count", .number), ("", .bar), ("First example", .code), ("Path", .code)],
      of: sorted, to: &html
    ) { code in
      [
        .text(code.code.text), .count(code.count), .share(Double(code.count) / Double(most)),
        .text(location(code.samples.first)), .input(code.samples.first?.path ?? ""),
      ]
    }
  }

  /// `logs/a.ndjson:12`
  private func location(_ sample: RunTally.Sample?) -> String {
    guard let sample else { return "" }
    let path = HTMLWriter.clipped(merge.outcomes[sample.input].file.path)
    return "\(path):\(sample.line)"
  }

  /// Writes the fields that no rule reads, the most frequent first.
  func writeUnknownFields(to html: inout HTMLWriter) {
    let fields = merge.tally.unknownFields.names
    let others = merge.tally.unknownFields.others
    guard !fields.isEmpty || others > 0 else { return }
    section(
      "Unknown fields",
      "Fields that no rule reads; they were omitted. --unknown-fields keep makes those of an "
        + "event its attributes, --unknown-fields reject rejects the event."
        + (others > 0
          ? " Fields with other names: \(NumberFormat.grouped(others))." : ""),
      to: &html
    ) { html in
      write(fields, "Unknown fields", "Field", "fields", to: &html)
    }
  }

  /// Writes a table of names, the most frequent first; nothing without any.
  private func write(
    _ names: [NamedCount], _ title: String, _ column: String, _ rest: String,
    to html: inout HTMLWriter
  ) {
    if names.isEmpty { return }
    let sorted = names.mostFrequentFirst(by: \.count)
    writeTable(
      title, [(column, .code), ("Count", .number), ("", .bar)], of: sorted,
      atMost: ReportPage.mostFields, rest: rest, to: &html
    ) {
      [.input($0.name), .count($0.count), .share(Double($0.count) / Double(sorted[0].count))]
    }
  }
}
