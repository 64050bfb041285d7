import Pipeline

/// Differences from the tracking plan of the run.
extension ReportPage {
  /// Number of findings shown.
  private static var mostFindings: Int { 100 }

  /// Writes the findings of `--tracking`; nothing without it.
  func writeTracking(to html: inout HTMLWriter) {
    guard let tracking = merge.tracking else { return }
    section(
      "Tracking plan",
      "Where events differ from the plan: \(tracking.summary). Nothing was dropped because of them.",
      to: &html
    ) { html in
      if tracking.rows.isEmpty { return }
      writeTable(
        "Findings",
        [
          ("Finding", .name), ("Event", .name), ("Attribute", .name), ("Count", .number),
          ("First at", .code), ("Expected", .code), ("Found", .code),
        ], of: tracking.rows, atMost: Self.mostFindings, rest: "findings", to: &html
      ) { row in
        [
          .text(row.kind.rawValue), .input(row.event), .input(row.attribute ?? ""),
          .count(row.count), .input("\(row.file):\(row.line)"), .text(row.expected ?? ""),
          .text(row.found ?? ""),
        ]
      }
    }
  }
}
