import Pipeline
import Stages

/// Checks the ledger of a report (data-model 14): for balance, and against everything else in the
/// output.
struct ReportCheck {
  private static let file = RunFiles.report

  let manifest: Manifest
  private let root: JSONValue

  /// Reads the report; nil, and a problem, when it is invalid.
  init?(
    in output: String, manifest: Manifest, problems: inout ProblemList
  ) {
    self.manifest = manifest
    do throws(Failure) {
      let document = try JSONDocument(
        reading: "\(output)/\(ReportCheck.file)", doing: FrameWalk.doing)
      root = document.root
      if manifest.isSealed, !document.isSealed { problems.add(ReportCheck.file, .brokenSeal) }
    } catch {
      problems.add(ReportCheck.file, .unreadableDocument, error.why)
      return nil
    }
  }

  /// Checks the equations, in total and per input, and that the totals are the sum of the inputs.
  func checkLedger(_ problems: inout ProblemList) {
    guard let total = Ledger(orNil: root["ledger"]) else {
      return problems.add(ReportCheck.file, .noLedger)
    }
    if let why = total.mismatch { problems.add(ReportCheck.file, .unbalancedLedger, why) }
    var sum = Ledger()
    for (path, _, ledger) in inputs {
      guard let ledger else {
        problems.add(ReportCheck.file, .inputHasNoLedger, path)
        continue
      }
      if let why = ledger.mismatch { problems.add(ReportCheck.file, .unbalancedPart, path, why) }
      sum.add(ledger)
    }
    if sum != total { problems.add(ReportCheck.file, .ledgerIsNotTheSum) }
  }

  /// Checks that report and manifest have the same inputs, with the same numbers of lines.
  func checkInputs(_ problems: inout ProblemList) {
    let read = inputs.filter { !$0.isAlreadyRead }
    if read.map(\.path) != manifest.inputs.map(\.path)
      || inputs.filter(\.isAlreadyRead).map(\.path) != manifest.alreadyRead.map(\.path)
    {
      return problems.add(ReportCheck.file, .otherInputs)
    }
    for (reported, listed) in zip(read, manifest.inputs) {
      guard let ledger = reported.ledger, ledger.lines != listed.lines else { continue }
      problems.add(
        ReportCheck.file, .inputOfOtherLines, reported.path, ledger.lines, listed.lines)
    }
  }

  /// Checks that the counts include the accepted events and the duplicates of the run, and no
  /// others if there was no earlier night.
  func checkCounts(_ counts: CountsCheck, _ problems: inout ProblemList) {
    compare("event_names", counts.lines.order.count, .otherNames, &problems)
    guard let total = Ledger(orNil: root["ledger"]) else { return }
    let isFirstNight = manifest.previousState.isEmpty
    for (what, reported, counted) in [
      ("accepted", total.accepted, counts.totals.count),
      ("duplicates", total.duplicates, counts.totals.duplicates),
    ] where isFirstNight ? reported != counted : reported > counted {
      problems.add(
        ReportCheck.file, isFirstNight ? .otherEvents : .fewerEvents, reported, what, counted)
    }
  }

  /// Checks the number of published profiles.
  func checkProfiles(_ number: Int, _ problems: inout ProblemList) {
    compare("profiles", number, .otherProfiles, &problems)
  }

  /// Checks that everything rejected or refused in the ledgers has its entry: there are `found`
  /// ones, those of each input of the manifest in a ledger.
  func checkRejects(
    _ found: (entries: Int, ledgers: [Ledger]), _ problems: inout ProblemList
  ) {
    let told = root["rejects"]?["entries"]?.int
    if told != found.entries {
      problems.add(ReportCheck.file, .otherRejects, told ?? 0, found.entries)
    }
    for (input, counted) in zip(inputs.filter { !$0.isAlreadyRead }, found.ledgers) {
      guard let ledger = input.ledger else { continue }
      for (what, count) in [
        ("rejected lines", \.rejectedLines), ("rejected events", \.rejected),
        ("refused operations", \.refused),
      ] as [(String, KeyPath<Ledger, Int>)] where ledger[keyPath: count] != counted[keyPath: count]
      {
        let told = ledger[keyPath: count]
        problems.add(
          ReportCheck.file, .otherRejectsOfInput, input.path, told,
          told == 1 ? String(what.dropLast()) : what, counted[keyPath: count])
      }
    }
  }

  /// Checks that the report of an archive agrees with the manifest about each log.
  func checkLogs(_ problems: inout ProblemList) {
    let logs = Dictionary(manifest.logs.map { (Array($0.source.utf8), $0) }) { first, _ in first }
    for input in root["inputs"]?.items ?? [] {
      guard let path = input["path"]?.text, let log = logs[Array(path.utf8)] else { continue }
      let output = input["output"]
      if output?["path"]?.text != log.file.path || output?["bytes"]?.int != log.file.bytes
        || output?["lines"]?.int != log.file.lines
      {
        problems.add(ReportCheck.file, .otherOutput, path, log.file.path)
      }
      if Ledger(orNil: input["ledger"]) != log.ledger {
        problems.add(ReportCheck.file, .otherLedger, path)
      }
    }
  }

  /// Checks that the report of losses has those of this report, and that their fields add up.
  ///
  /// - Throws: the failure that the job was cancelled with.
  func checkLosses(_ files: inout VerifiedFiles) throws(Failure) {
    let losses = root["losses"]?.members ?? []
    let text = LossLine.text(of: losses.map { LossLine($0.name, reported: $0.value) })
    try files.compare(ArchiveFiles.losses, or: .otherThanReport) { each throws(Failure) in
      try each(text.view)
    }
    let named = (root["unknown_fields"]?.members ?? []).reduce(0) { $0 &+ ($1.value.int ?? 0) }
    let lost = losses.first { $0.name == ReasonCode.unknownField.text }
    let count = lost?.value["count"]?.int ?? 0
    if named != count { files.problems.add(ReportCheck.file, .otherUnknownFields, named, count) }
  }

  /// Checks the ledger of a redrive: for balance, and against the existing entries and lines.
  func checkRedrive(
    _ log: CanonicalLogs.Log?, entries: Int?, _ problems: inout ProblemList
  ) {
    guard let ledger = RedriveLedger(orNil: root["ledger"]) else {
      return problems.add(ReportCheck.file, .noLedger)
    }
    if let why = ledger.mismatch { problems.add(ReportCheck.file, .unbalancedLedger, why) }
    var reported: [(one: String, many: String, reported: Int?, counted: Int)] = []
    if let entries {
      reported.append(("entry is left", "entries are left", ledger.remaining, entries))
    }
    if let log, log.isComplete {
      reported += [
        ("line is redriven", "lines are redriven", root["redriven_lines"]?.int, log.ledger.lines),
        ("event was accepted", "events were accepted", ledger.acceptedEvents, log.ledger.accepted),
        (
          "operation was applied", "operations were applied", ledger.appliedOperations,
          log.ledger.applied
        ),
      ]
    }
    for (one, many, reported, counted) in reported where reported != counted {
      problems.add(
        ReportCheck.file, .otherRedrive, reported ?? 0, reported == 1 ? one : many, counted)
    }
  }

  private func compare(
    _ member: StaticString, _ number: Int, _ code: ProblemCode, _ problems: inout ProblemList
  ) {
    guard let reported = root[member]?.int, reported == number else {
      return problems.add(
        ReportCheck.file, code, root[member]?.int.map(String.init) ?? "missing", number)
    }
  }

  private var inputs: [(path: String, isAlreadyRead: Bool, ledger: Ledger?)] {
    // One for all of them: they are added up.
    var reading = DocumentReading()
    return (root["inputs"]?.items ?? []).map { input in
      let ledger = input["ledger"].flatMap { try? Ledger.read($0, &reading) }
      return (input["path"]?.text ?? "", input["skipped"] != nil, ledger)
    }
  }
}
