import Pipeline
import Stages

/// The page of a migration for its approval: what was converted, what was lost and why, the policy,
/// and what was proven.
extension ArchiveReport: PagedReport {
  var verdict: Verdict { ownVerdict() }

  static var words: (job: String, output: String) { ("migration", "Archive") }

  var counted: Int? { nil }

  var recorded: RecordedOptions { options.recorded(.logs) }

  var tiles: [PageTile] {
    let (total, count) = (ingest.total, NumberFormat.grouped)
    return [
      linesTile,
      ("Events migrated", count(total.accepted), part(total.accepted, of: total.events)),
      ("Operations migrated", count(total.applied), part(total.applied, of: total.operations)),
      rejectsTile,
      ("Parts lost", count(ingest.tally.losses.total), "of migrated records"),
      ("Logs", count(logs.count), NumberFormat.count(logs.reduce(0) { $0 + $1.lines }, "line")),
    ] + timeTiles(written: logs.reduce(0) { $0 + $1.bytes })
  }

  var sections: [PageSection?] {
    [
      refusalSection, lostSection, proofSection, ledgerSection, policySection, lossesSection,
      lossExamplesSection, remarksSection, rejectsSection, unknownFieldsSection, logsSection,
      ignoredSection, stagesSection, stampSection, optionsSection, approvalSection,
    ]
  }

  /// What was proven before the archive was published, or that nothing was.
  private var proofSection: PageSection? {
    guard refusal == nil else { return nil }
    return PageSection(
      "Proof",
      PagePart { html in
        guard let proof else {
          html.element(
            "p",
            "Nothing was proven: the migration ran without --verify. The ledger below balances; "
              + "eventmill verify checks the logs, but not against the inputs.")
          return
        }
        html.element("p", "Proven before the archive was published (--verify):")
        html.element("ul") { html in
          for fact in [
            "All lines of the logs (\(NumberFormat.grouped(proof.lines))) are canonical v2: written "
              + "again, they have the same bytes.",
            "Inputs and logs, both read again, have the same "
              + "\(NumberFormat.count(proof.events, "event")) of "
              + "\(NumberFormat.count(proof.names, "name")), and the same "
              + "\(NumberFormat.count(proof.duplicates, "duplicate")).",
            "Each readable field was migrated, or is among the losses and rejects below.",
            "No input was changed meanwhile.",
          ] { html.element("li", fact) }
        }
      })
  }

  /// The options that decide what is converted.
  private var policySection: PageSection? {
    PageSection(
      "Policy", note: "All options are at the end of the page.",
      .table(
        "Policy", of: Self.policies(options.read.rules), .name("Option", \.option),
        .text("Effect", \.meaning)))
  }

  private static func policies(_ rules: Rules) -> [(option: String, meaning: String)] {
    let v1 =
      switch rules.v1 {
      case .strict: "A v1 event that breaks a v1 limit is rejected."
      case .lenient: "Only the invalid part of a v1 event that breaks a v1 limit is dropped."
      }
    let foreign =
      switch rules.foreign.policy {
      case .tolerant: "Values that break a limit are cut in events of foreign dialects."
      case .strict: "An event of a foreign dialect that breaks a limit is rejected."
      }
    let fields =
      switch rules.unknownFields {
      case .drop: "A field that no rule reads is omitted and counted as a loss."
      case .keep: "A field of an event that no rule reads becomes its attribute."
      case .reject: "An event or line with a field that no rule reads is rejected."
      }
    return [
      ("--v1 \(rules.v1)", v1), ("--foreign \(rules.foreign.policy)", foreign),
      ("--unknown-fields \(rules.unknownFields)", fields),
    ]
  }

  /// The positions of the first losses of each code.
  private var lossExamplesSection: PageSection? {
    PageSection(
      "Examples of losses",
      note: "The first ones of each code, by input, line and field. They are also in "
        + "\(RunFiles.losses).",
      .examples(ingest.tally.losses) { loss, html in
        let lines = loss.samples.map { "\(location($0))  \(HTMLWriter.clipped($0.path))" }
        html.lines(lines.joined(separator: "\n"))
      })
  }

  /// What identifies the archive, and room for names and signatures.
  private var approvalSection: PageSection? {
    manifest.flatMap { manifest in
      PageSection(
        "Approval",
        note: "The manifest contains the hash of every input and every log, so its hash identifies "
          + "the archive of this page.",
        .facts(
          "Approval",
          [
            ("Archive", HTMLWriter.clipped(stamp.night)),
            ("XXH64 of \(RunFiles.manifest)", XXH64.text(manifest.xxh64)),
            ("Approved by", ""), ("Date", ""), ("Signature", ""),
          ]))
    }
  }
}
