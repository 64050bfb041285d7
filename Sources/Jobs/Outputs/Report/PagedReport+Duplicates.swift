import Pipeline
import Stages

/// Events that were delivered more than once.
extension RunReport {
  /// The inputs with events that others had delivered, and skipped inputs.
  var duplicatesSection: PageSection? {
    PageSection(
      "Delivered again",
      note: "Events with an id that was counted before, and logs that were read before.",
      .table(
        "Duplicates by input", of: redeliveries, atMost: Self.mostInputs, rest: "pairs of inputs",
        .input("Dropped from", \.input), .input("Counted in") { $0.counted ?? "unknown" },
        .text("Earlier night") { $0.isEarlier ? "yes" : "no" }, .count("Events", \.events)),
      .table(
        "Skipped files", of: selection.alreadyRead, atMost: Self.mostInputs, rest: "files",
        .input("Skipped", \.path), .input("Same content, read as", \.earlier)),
      .table(
        "Grown files", of: ingest.outcomes.filter { $0.file.start != nil },
        atMost: Self.mostInputs, rest: "files", .input("Read", \.file.path),
        .count("Lines read before") { $0.file.start?.lines ?? 0 }))
  }

  /// How the folders of earlier nights differ from what was read.
  var lateFilesSection: PageSection? {
    PageSection(
      "Late files", note: "What differs from what earlier nights have read.",
      .table(
        "Late files", of: late.outcomes.flatMap { text, paths in paths.map { ($0, text) } },
        atMost: Self.mostInputs, rest: "files; all of them are in \(RunFiles.report)",
        .input("File", \.0), .text("Tonight", \.1)))
  }

  /// The ids with the most data.
  var hotSection: PageSection? {
    let hot = snapshot?.hot ?? HotIDs()
    return PageSection(
      "Ids with the most data",
      note: "A placeholder that programs write without an id joins strangers: exclude it with "
        + "--nobody.", isFolded: hotIDs == nil,
      .table(
        "Keys by events", of: hot.events.entries, atMost: HotKeys.most, rest: "ids",
        always: !hot.isEmpty, .input("Id", \.id),
        .text("Kind") { $0.isPerson ? "person" : "installation" }, .count("Events", \.count)),
      .table(
        "Installations by people", of: hot.people.entries.filter { $0.count > 1 },
        atMost: HotKeys.most, rest: "installations", .input("Installation", \.id),
        .count("People", \.count)))
  }
}
