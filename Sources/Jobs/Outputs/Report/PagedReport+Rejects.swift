import Pipeline
import Stages

/// What was rejected, and why; what was lost from accepted records.
extension PagedReport {
  private static var mostFields: Int { 20 }

  var rejectsSection: PageSection? {
    let reasons = ingest.tally.reasons.mostFrequentFirst(by: \.count)
    return PageSection(
      "Rejects by reason",
      note: reasons.isEmpty
        ? "Nothing was rejected."
        : "Rejected lines, events and operations: \(NumberFormat.grouped(ingest.rejects.lines)). "
          + "One with two faults counts for both reasons.", always: true,
      table(reasons, "Reason"), reasons.isEmpty ? nil : .heading("The first line of each"),
      .examples(reasons.filter { !$0.samples.isEmpty }) { reason, html in
        if let message = reason.samples[0].message { html.text(" \(HTMLWriter.clipped(message))") }
      } lines: {
        $1.text($0.samples[0].raw ?? "(withheld)")
      })
  }

  var lossesSection: PageSection? {
    let losses = ingest.tally.losses
    return PageSection(
      "Losses by code",
      note: losses.isEmpty
        ? "Nothing of the accepted records was dropped."
        : "Parts of accepted lines and events that were dropped.", always: true,
      table(losses, "Loss"))
  }

  var remarksSection: PageSection? {
    PageSection(
      "Remarks by code",
      note: "Accepted and kept unchanged, but perhaps wrong: dates before 1900 or after 2100, "
        + "by key.",
      table(ingest.tally.remarks, "Remark"),
      table(ingest.tally.implausibleDates.names, "Dates by key", "Key", "keys"))
  }

  var unknownFieldsSection: PageSection? {
    let fields = ingest.tally.unknownFields
    return PageSection(
      "Unknown fields",
      note: "Fields that no rule reads; they were omitted. --unknown-fields keep makes those of an "
        + "event its attributes, --unknown-fields reject rejects the event."
        + (fields.others > 0
          ? " Fields with other names: \(NumberFormat.grouped(fields.others))." : ""),
      always: fields.others > 0, table(fields.names, "Unknown fields", "Field", "fields"))
  }

  private func table(_ codes: [TallyFacts.CodeCount], _ title: String) -> PagePart? {
    // There is at most one row for each code, and codes are few.
    let sorted = codes.mostFrequentFirst(by: \.count)
    return .table(
      "\(title) and count", of: sorted, .name(title, \.code.text), .count("Count", \.count),
      .bar { Double($0.count) / Double(sorted[0].count) },
      .code("First example") { $0.samples.first.map(location) ?? "" },
      .input("Path") { $0.samples.first?.path ?? "" })
  }

  /// `logs/a.ndjson:12`
  func location(_ sample: RunTally.Sample) -> String {
    "\(HTMLWriter.clipped(ingest.outcomes[sample.input].file.path)):\(sample.line)"
  }

  private func table(
    _ names: [NamedCount], _ title: String, _ column: String, _ rest: String
  ) -> PagePart? {
    let sorted = names.mostFrequentFirst(by: \.count)
    return .table(
      title, of: sorted, atMost: Self.mostFields, rest: rest, .input(column, \.name),
      .count("Count", \.count), .bar { Double($0.count) / Double(sorted[0].count) })
  }
}

extension PagePart {
  /// A list of codes, each with what `head` writes beside it, and `lines` below it.
  static func examples(
    _ codes: [TallyFacts.CodeCount],
    _ head: @escaping (TallyFacts.CodeCount, inout HTMLWriter) -> Void = { _, _ in },
    lines: @escaping (TallyFacts.CodeCount, inout HTMLWriter) -> Void
  ) -> PagePart? {
    codes.isEmpty
      ? nil
      : PagePart { html in
        html.element("dl", ["class": "examples"]) { html in
          for code in codes {
            html.element("dt") { html in
              html.element("code", code.code.text)
              head(code, &html)
            }
            html.element("dd") { html in html.element("pre") { lines(code, &$0) } }
            html.endLine()
          }
        }
      }
  }
}
