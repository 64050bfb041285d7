import Pipeline
import Stages

/// The page of a migration for its approval: what was converted, what was lost and why, the policy,
/// and what was proven.
extension ArchiveReport: PagedReport {
  static var words: (job: String, output: String) { ("migration", "Archive") }

  var counted: Int? { nil }

  var recorded: RecordedOptions { options.recorded(.logs) }

  func tiles(on page: ReportPage<ArchiveReport>) -> [PageTile] {
    let total = ingest.total
    let count = NumberFormat.grouped
    return [
      page.linesTile,
      ("Events migrated", count(total.accepted), page.part(total.accepted, of: total.events)),
      (
        "Operations migrated", count(total.applied),
        page.part(total.applied, of: total.operations)
      ),
      page.rejectsTile,
      ("Parts lost", count(ingest.tally.losses.total), "of migrated records"),
      ("Logs", count(logs.count), NumberFormat.count(logs.reduce(0) { $0 + $1.lines }, "line")),
    ] + page.timeTiles(written: logs.reduce(0) { $0 + $1.bytes })
  }

  func sections(on page: ReportPage<ArchiveReport>) -> [PageSection] {
    [
      page.writeRefusal, page.writeLost, page.writeProof, page.writeLedger, page.writePolicies,
      page.writeLosses, page.writeLossExamples, page.writeRemarks, page.writeRejects,
      page.writeUnknownFields, page.writeLogs, page.writePassedOver, page.writeStages,
      page.writeStamp, page.writeOptions, page.writeApproval,
    ]
  }
}

extension ReportPage where Report == ArchiveReport {
  /// Writes what was proven before the archive was published, or that nothing was.
  func writeProof(to html: inout HTMLWriter) {
    guard report.refusal == nil else { return }
    section("Proof", to: &html) { html in
      guard let proof = report.proof else {
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
    }
  }

  /// Writes the options that decide what is converted, and the cost of the other policy.
  func writePolicies(to html: inout HTMLWriter) {
    section(
      "Policy", "All options are at the end of the page.", to: &html
    ) { html in
      writeTable(
        "Policy", [("Option", .name), ("Effect", .text)],
        of: Self.policies(report.options.read.rules), to: &html
      ) {
        [.text($0.option), .text($0.meaning)]
      }
      let comparison = merge.tally.policies
      guard comparison.lostByStrict > 0 else {
        return writeNote("--v1 strict and --v1 lenient give the same result here.", to: &html)
      }
      html.element("h3", "v1 events under each policy")
      writeTable(
        "v1 events under each policy",
        [
          ("Reason", .name), ("strict rejects", .number), ("lenient saves", .number),
          ("Parts dropped", .number),
        ], of: comparison.mostFrequent, to: &html
      ) {
        [
          .text($0.code.text), .count($0.row.rejected), .count($0.row.saved),
          .count($0.row.dropped),
        ]
      }
      writeNote("\(comparison.costs).", to: &html)
    }
  }

  /// The options of a policy, and their meanings.
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

  /// Writes the positions of the first losses of each code.
  func writeLossExamples(to html: inout HTMLWriter) {
    let losses = merge.tally.losses
    guard !losses.isEmpty else { return }
    section(
      "Examples of losses",
      "The first ones of each code, by input, line and field. They are also in \(ArchiveFiles.losses).",
      to: &html
    ) { html in
      html.element("dl", ["class": "examples"]) { html in
        for loss in losses {
          html.element("dt") { html in html.element("code", loss.code.text) }
          html.element("dd") { html in
            html.element("pre") { html in
              html.lines(loss.samples.map(text).joined(separator: "\n"))
            }
          }
          html.endLine()
        }
      }
    }
  }

  private func text(_ sample: RunTally.Sample) -> String {
    let path = HTMLWriter.clipped(merge.outcomes[sample.input].file.path)
    return "\(path):\(sample.line)  \(HTMLWriter.clipped(sample.path))"
  }

  /// Writes the inputs, and the log of each.
  func writeLogs(to html: inout HTMLWriter) {
    section("Logs", "One log for each input, in the order of their paths.", to: &html) { html in
      writeTable(
        "Logs",
        [
          ("Input", .code), ("Log", .code), ("Lines", .number), ("Events migrated", .number),
          ("Rejected parts", .number), ("Lost", .text),
        ], of: merge.outcomes.indices, atMost: ReportPage.mostInputs,
        rest: "inputs; all of them are in \(RunFiles.report)", to: &html
      ) { index in
        let (outcome, ledger) = (merge.outcomes[index], merge.ledgers[index])
        return [
          .input(outcome.file.path), .input(report.targets[index].path), .count(ledger.lines),
          .count(ledger.accepted),
          .count(ledger.rejectedLines + ledger.rejected + ledger.refused),
          .text(outcome.lossText),
        ]
      }
    }
  }

  /// Writes what identifies the archive, and room for names and signatures.
  func writeApproval(to html: inout HTMLWriter) {
    guard let manifest = report.manifest else { return }
    section(
      "Approval",
      "The manifest contains the hash of every input and every log, so its hash identifies the "
        + "archive of this page.", to: &html
    ) { html in
      let rows = [
        ("Archive", HTMLWriter.clipped(report.stamp.night)),
        ("XXH64 of \(ArchiveFiles.manifest)", XXH64.text(manifest.xxh64)),
        ("Approved by", ""), ("Date", ""), ("Signature", ""),
      ]
      writeTable("Approval", [("Fact", .text), ("", .code)], of: rows, to: &html) {
        [.text($0.0), .text($0.1)]
      }
    }
  }
}
