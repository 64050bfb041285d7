import Pipeline
import Stages

/// Proves an archive before it is published (`migrate --verify`): all checks of
/// ``Verification``; that its logs, written again, have the same bytes; that its events,
/// counted again, are those of the inputs; and that every field of the inputs was converted or
/// recorded as a loss.
///
/// Inputs and logs are read once each. Memory is that of a count: the ids of events.
struct MigrationProof {
  private static let doing = "verifying"
  private static let mostNamed = 5

  let options: RunOptions
  /// The inputs as found; none is a pipe.
  let survey: InputDiscovery.Survey
  /// The migration's outcome for them, in the same order.
  let ingest: IngestOutcome
  /// The path of the archive before it is published.
  let folder: String
  let control: JobControl

  /// Checks that the inputs can be read a second time.
  static func check(_ inputs: [InputFile]) throws(Failure) {
    guard let pipe = inputs.first(where: { !$0.isReopenable }) else { return }
    throw Failure(
      .usage, doing: "looking for inputs at", path: pipe.name,
      why: "--verify reads every input twice, but this one can be read only once",
      advice: ["write it to a file", "omit --verify and use eventmill verify on the output"])
  }

  func run() throws(Failure) -> ProvenArchive {
    let clock = StopWatch()
    control.begin(.proving)
    do throws(Failure) {
      let (logLines, logCounts) = try proveLogs()
      control.expect(survey.inputs)
      let fields = FieldProofStage.Findings()
      let (counts, read) = try CountJob(options.read, control: control)
        .count(survey, clock, proof: fields)
      var problems = ProblemList()
      try compare(read, &problems)
      compareLosses(read.facts, fields, &problems)
      compare(counts, with: logCounts, &problems)
      try require(problems)
      return ProvenArchive(
        lines: logLines, events: counts.rows.reduce(0) { $0 + $1.total.count },
        duplicates: counts.rows.reduce(0) { $0 + $1.total.duplicates },
        names: counts.rows.count, seconds: clock.seconds)
    } catch {
      guard error.kind == .limit else { throw error }
      throw Failure(
        .limit, doing: Self.doing, why: error.why,
        advice: [
          "allow more with --memory", "omit --verify and use eventmill verify, which keeps no ids",
        ])
    }
  }

  /// Proves the logs by themselves, and returns their lines and events. Their ids are released
  /// afterwards: those of the inputs need the memory.
  private func proveLogs() throws(Failure) -> (lines: Int, counts: EventCountLines) {
    let counting = EventCounting(options.read)
    var verification = Verification(
      VerifiedFiles(output: folder, jobs: options.read.jobs, control: control), .migration)
    verification.level = options.publish.level
    verification.counting = counting
    try verification.run()
    try require(verification.files.problems)
    return (verification.found.reduce(0) { $0 + $1.ledger.lines }, counting.lines())
  }

  /// Compares the counts of the inputs with those of the migration.
  private func compare(_ read: ReadSummary, _ problems: inout ProblemList) throws(Failure) {
    for (index, outcome) in read.outcomes.enumerated() {
      let path = outcome.file.path
      let before = ingest.outcomes[index].summary
      if let lost = outcome.lost, ingest.outcomes[index].lost == nil { throw lost }
      if outcome.summary?.hash != before?.hash
        || outcome.summary?.compressedBytes != before?.compressedBytes
      {
        throw Failure(
          .io, doing: Self.doing, path: path, why: "it was changed after it was migrated",
          advice: "nothing was published; migrate again when it is no longer being written",
          mayPass: true)
      }
      var counted = read.facts.ledgers[index]
      // Which of two events is the duplicate is decided by counting only.
      counted.accepted += counted.duplicates
      counted.duplicates = 0
      if counted != ingest.ledgers[index] { problems.add(path, .ledgerChanged) }
    }
  }

  /// Compares the losses of the inputs with the recorded ones, and reports fields that are neither
  /// converted nor lost.
  private func compareLosses(
    _ facts: TallyFacts, _ fields: FieldProofStage.Findings, _ problems: inout ProblemList
  ) {
    for (input, line, field) in fields.examples {
      problems.add("\(survey.inputs[input].path):\(line)", .fieldNotCarriedOver, field)
    }
    func counts(_ losses: [TallyFacts.CodeCount]) -> [ReasonCode: Int] {
      Dictionary(uniqueKeysWithValues: losses.map { ($0.code, $0.count) })
    }
    let (found, written) = (counts(facts.losses), counts(ingest.tally.losses))
    for code in ReasonCode.allCases where found[code] != written[code] {
      problems.add("loss \(code.text)", .otherWrittenLosses, found[code] ?? 0, written[code] ?? 0)
    }
    if facts.unknownFields != ingest.tally.unknownFields {
      problems.add("unknown fields", .otherWrittenFields)
    }
  }

  /// Compares the counts of the inputs with those of the logs, and with the ledger. Canonical logs
  /// do not contain source names.
  private func compare(
    _ inputs: EventCountLines, with logs: EventCountLines, _ problems: inout ProblemList
  ) {
    // Names are ASCII.
    let counted = Dictionary(uniqueKeysWithValues: logs.rows.map { ($0.name, $0.total) })
    for (name, total, _) in inputs.rows where counted[name] != total {
      let found = counted[name] ?? EventTotals.Total()
      problems.add("event \(name)", .otherEventInLogs, Self.text(total), Self.text(found))
    }
    let names = Set(inputs.rows.map(\.name))
    for (name, total, _) in logs.rows where !names.contains(name) {
      problems.add("event \(name)", .eventOnlyInLogs, Self.text(total))
    }
    let all = inputs.rows.reduce(0) { $0 + $1.total.count + $1.total.duplicates }
    if all != ingest.total.accepted {
      problems.add("ledger", .otherAccepted, ingest.total.accepted, all)
    }
  }

  private static func text(_ total: EventTotals.Total) -> String {
    guard total != EventTotals.Total() else { return "none" }
    let counts = "\(total.count) and \(NumberFormat.count(total.duplicates, "duplicate"))"
    guard !total.seen.isNever else { return counts + " without a time" }
    return "\(counts) from \(Timestamp.text(total.seen.first)) to "
      + Timestamp.text(total.seen.last)
  }

  private func require(_ problems: ProblemList) throws(Failure) {
    guard problems.count > 0 else { return }
    var why = problems.reported.prefix(Self.mostNamed).map(\.message).joined(separator: "; ")
    let more = problems.count - min(problems.reported.count, Self.mostNamed)
    if more > 0 { why += "; and \(more) more" }
    throw Failure(
      .defect, doing: Self.doing, path: options.publish.output, why: why,
      advice:
        "nothing was published; check the disk, and migrate again without --resume; if it fails "
        + "again, this is a bug in eventmill, please report it")
  }
}

package struct ProvenArchive: Sendable, Equatable {
  package let lines: Int
  /// Events that are counted in the inputs, and in the logs.
  package let events: Int
  /// Events that were counted before.
  package let duplicates: Int
  package let names: Int
  /// Wall-clock seconds of the proof.
  package let seconds: Double
}
