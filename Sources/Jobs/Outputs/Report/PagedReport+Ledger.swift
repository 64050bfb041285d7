import Pipeline
import Stages

/// The ledger, and whether it balances (data-model 14).
extension PagedReport {
  /// The three equations, and the fourth, by which the counts per event name are checked.
  var ledgerSection: PageSection? {
    let (ledger, counted) = (ingest.total, counted)
    return PageSection(
      "Ledger", note: "Every line, event and operation is accounted for exactly once.",
      PagePart { html in
        for equation in Ledger.equations { Self.write(equation, of: ledger, to: &html) }
        guard let counted else { return }
        html.element("div", ["class": "equation"]) { html in
          html.element("h3", "Counts")
          html.element("p") { html in
            html.text(
              "\(NumberFormat.count(ledger.accepted, "accepted event")) = "
                + "\(NumberFormat.count(counted, "event")) of this run in the counts per event name "
            )
            Self.writeCheck(ledger.accepted == counted, to: &html)
          }
        }
      })
  }

  private static func write(
    _ equation: Ledger.Equation, of ledger: Ledger, to html: inout HTMLWriter
  ) {
    let total = ledger[keyPath: equation.total]
    // What is usually zero is named only where it is not.
    let parts = Ledger.Fate.allCases.flatMap { fate in
      equation.parts.filter {
        $0.fate == fate && ([.kept, .refused].contains(fate) || ledger[keyPath: $0.count] > 0)
      }
    }.map { part in
      let count = ledger[keyPath: part.count]
      return (
        text: NumberFormat.count(count, part.label, part.name), count: count, style: part.fate.style
      )
    }
    html.element("div", ["class": "equation"]) { html in
      html.element("h3", equation.title)
      html.element("p") { html in
        html.element("b", "\(NumberFormat.grouped(total)) =")
        for (index, part) in parts.enumerated() {
          html.element("span") { html in
            if index > 0 { html.text("+ ") }
            html.element("span", ["class": "key \(part.style)", "aria-hidden": "true"], "")
            html.text(part.text)
          }
          html.text(" ")
        }
        writeCheck(equation.holds(in: ledger), to: &html)
      }
      // The parts side by side, by their shares.
      html.element("svg", ["class": "stack", "aria-hidden": "true"]) { html in
        var start = 0.0
        for part in parts where part.count > 0 {
          let share = Double(part.count) / Double(max(total, 1))
          html.rect(part.style, x: start, width: share)
          start += share
        }
      }
    }
    html.endLine()
  }

  private static func writeCheck(_ holds: Bool, to html: inout HTMLWriter) {
    html.element(
      "span", ["class": holds ? "sum good" : "sum bad"],
      holds ? "✓ balances" : "✗ does not balance")
  }
}

extension PagedReport {
  var stagesSection: PageSection? {
    let work = stages.work
    return PageSection(
      "Stages",
      note: "Seconds of work, summed over all threads; the \(Self.words.job) took "
        + "\(NumberFormat.tenths(stamp.seconds)) s.", isFolded: true,
      .table(
        "Stages", of: stages, always: true, .text("Stage", \.name),
        .number("Seconds") { NumberFormat.thousandths($0.seconds) }, .bar { $0.seconds / work },
        .percent("Share") { $0.seconds / work },
        .number("Waited, s") {
          $0.stalled > 0 ? NumberFormat.thousandths(Double($0.stalled) / 1e9) : "–"
        },
        .number("MB/s") {
          let rate = Double($0.bytes) / 1e6 / max($0.seconds, 1e-9)
          return $0.bytes > 0 ? NumberFormat.grouped(Int(min(rate, 1e9))) : "–"
        }))
  }
}

extension InputOutcome {
  /// What is missing of the input, for a page.
  fileprivate var lossText: String {
    lost.map { "from byte \(NumberFormat.grouped($0.offset ?? 0))" }
      ?? cutShort.map { "cut short in line \(NumberFormat.grouped($0))" } ?? "–"
  }

  fileprivate var sizeText: String {
    guard let summary else { return "–" }
    let bytes = NumberFormat.bytes(summary.compressedBytes)
    return summary.compression == .none ? bytes : "\(bytes) \(summary.compression.rawValue)"
  }
}

/// The inputs, file by file.
extension PagedReport {
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

  var inputsSection: PageSection? {
    let (outcomes, ledgers) = (ingest.outcomes, ingest.ledgers)
    return PageSection(
      "Inputs",
      note: "In the order of their paths. Which of two duplicates counts does not follow this "
        + "order.",
      .table(
        "Inputs", of: outcomes.indices, atMost: Self.mostInputs,
        rest: "inputs; all of them are in \(RunFiles.report)", always: true,
        .input("Input") { outcomes[$0].file.path }, .number("Size") { outcomes[$0].sizeText },
        .count("Lines") { ledgers[$0].lines }, .text("Dialects", dialects),
        .count("Events accepted") { ledgers[$0].accepted },
        .count("Rejected parts") { ledgers[$0].rejectedParts },
        .count("Duplicates") { ledgers[$0].duplicates }, .text("Lost") { outcomes[$0].lossText }))
  }

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
