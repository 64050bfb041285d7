import Pipeline
import Stages

extension InputOutcome {
  /// What is missing of the input, for a page.
  fileprivate var lossText: String {
    lost.map { "from byte \(NumberFormat.grouped($0.offset ?? 0))" }
      ?? cutShort.map { "cut short in line \(NumberFormat.grouped($0))" } ?? "–"
  }

  /// Bytes on disk, and the compression.
  fileprivate var sizeText: String {
    guard let summary else { return "–" }
    let bytes = NumberFormat.bytes(summary.compressedBytes)
    return summary.compression == .none ? bytes : "\(bytes) \(summary.compression.rawValue)"
  }
}

/// The inputs, file by file.
extension PagedReport {
  /// Number of inputs shown.
  static var mostInputs: Int { 100 }

  /// The inputs that could not be read to their end.
  var lostSection: PageSection? {
    PageSection(
      "Damaged inputs", note: "The bytes after the given offset were not counted.",
      .table(
        "Damaged inputs", of: ingest.outcomes.filter { $0.lost != nil }, atMost: Self.mostInputs,
        rest: "inputs", .input("Input", \.file.path),
        .count("Lost from byte") { $0.lost?.offset ?? 0 },
        .text("Why") { HTMLWriter.clipped($0.lost?.why ?? "") }))
  }

  /// The inputs, in reading order.
  var inputsSection: PageSection? {
    let (outcomes, ledgers) = (ingest.outcomes, ingest.ledgers)
    return PageSection(
      "Inputs",
      note: "In the order of their paths. Of two duplicates in two files, either may be called the "
        + "duplicate.",
      .table(
        "Inputs", of: outcomes.indices, atMost: Self.mostInputs,
        rest: "inputs; all of them are in \(RunFiles.report)", always: true,
        .input("Input") { outcomes[$0].file.path }, .number("Size") { outcomes[$0].sizeText },
        .count("Lines") { ledgers[$0].lines }, .text("Dialects", dialects),
        .count("Events accepted") { ledgers[$0].accepted },
        .count("Rejected parts") { ledgers[$0].rejectedParts },
        .count("Duplicates") { ledgers[$0].duplicates }, .text("Lost") { outcomes[$0].lossText }))
  }

  /// The ignored files.
  var ignoredSection: PageSection? {
    PageSection(
      "Ignored files",
      note: "Found in the named directories, and not read, because they do not seem to be logs. "
        + "Name them explicitly to read them.",
      .table(
        "Ignored files", of: ignoredFiles.files, .input("Path", \.path),
        .text("What it is", \.what)),
      .rest(ignoredFiles.count - ignoredFiles.files.count, "paths"))
  }

  /// `v1 1,234, v2 5`: the lines of an input by their dialects.
  private func dialects(ofInput index: Int) -> String {
    let counts = ingest.tally.dialects.lines(ofInput: index).map { dialect, count in
      "\(dialect.name) \(NumberFormat.grouped(count))"
    }
    return counts.isEmpty ? "–" : counts.joined(separator: ", ")
  }
}

extension ArchiveReport {
  /// The inputs, and the log of each.
  var logsSection: PageSection? {
    let (outcomes, ledgers) = (ingest.outcomes, ingest.ledgers)
    return PageSection(
      "Logs", note: "One log for each input, in the order of their paths.",
      .table(
        "Logs", of: outcomes.indices, atMost: Self.mostInputs,
        rest: "inputs; all of them are in \(RunFiles.report)", always: true,
        .input("Input") { outcomes[$0].file.path }, .input("Log") { targets[$0].path },
        .count("Lines") { ledgers[$0].lines }, .count("Events migrated") { ledgers[$0].accepted },
        .count("Rejected parts") { ledgers[$0].rejectedParts },
        .text("Lost") { outcomes[$0].lossText }))
  }
}

extension Ledger {
  fileprivate var rejectedParts: Int { rejectedLines + rejected + refused }
}
