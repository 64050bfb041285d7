import Pipeline

/// Differences from the tracking plan of the run.
extension RunReport {
  /// Number of findings shown.
  private static var mostFindings: Int { 100 }

  /// The findings of `--tracking`.
  var trackingSection: PageSection? {
    ingest.tracking.flatMap { tracking in
      PageSection(
        "Tracking plan",
        note: "Where events differ from the plan: \(tracking.summary). Nothing was dropped because "
          + "of them.", always: true,
        .table(
          "Findings", of: tracking.rows, atMost: Self.mostFindings, rest: "findings",
          .name("Finding", \.kind.rawValue), .name("Event") { HTMLWriter.clipped($0.event) },
          .name("Attribute") { HTMLWriter.clipped($0.attribute ?? "") }, .count("Count", \.count),
          .input("First at") { "\($0.file):\($0.line)" }, .code("Expected") { $0.expected ?? "" },
          .code("Found") { $0.found ?? "" }))
    }
  }
}
