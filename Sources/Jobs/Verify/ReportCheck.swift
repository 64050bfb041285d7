import Pipeline
import Stages

/// The checks of a report: of its ledger (data-model 14) for balance, and of everything in it
/// against the rest of the output.
struct ReportCheck {
  let manifest: Manifest
  private let root: JSONValue
  private(set) var problems = ProblemList()

  /// Reads the report; nil, and a problem, when it is invalid.
  init?(in files: inout VerifiedFiles, _ manifest: Manifest) {
    self.manifest = manifest
    do throws(Failure) {
      let document = try JSONDocument(
        reading: "\(files.output)/\(RunFiles.report)", doing: FrameWalk.doing)
      root = document.root
      if manifest.isSealed, !document.isSealed { add(.brokenSeal) }
    } catch {
      files.problems.add(RunFiles.report, .unreadableDocument, error.why)
      return nil
    }
  }

  private mutating func add(_ code: ProblemCode, _ figures: any CustomStringConvertible...) {
    problems.add(VerifyProblem(file: RunFiles.report, finding: Finding(code, figures)))
  }

  /// Checks the equations, in total and per input, and that the totals are the sum of the inputs.
  mutating func checkLedger() {
    guard let total = Ledger(orNil: root["ledger"]) else { return add(.noLedger) }
    if let why = total.mismatch { add(.unbalancedLedger, why) }
    var sum = Ledger()
    for (path, _, ledger) in inputs {
      guard let ledger else {
        add(.inputHasNoLedger, path)
        continue
      }
      if let why = ledger.mismatch { add(.unbalancedPart, path, why) }
      sum.add(ledger)
    }
    if sum != total { add(.ledgerIsNotTheSum) }
  }

  /// Checks that report and manifest have the same inputs, with the same numbers of lines.
  mutating func checkInputs() {
    let read = inputs.filter { !$0.isAlreadyRead }
    if read.map(\.path) != manifest.inputs.map(\.path)
      || inputs.filter(\.isAlreadyRead).map(\.path) != manifest.alreadyRead.map(\.path)
    {
      return add(.otherInputs)
    }
    for (reported, listed) in zip(read, manifest.inputs) {
      guard let ledger = reported.ledger, ledger.lines != listed.lines else { continue }
      add(.inputOfOtherLines, reported.path, ledger.lines, listed.lines)
    }
  }

  /// Checks that the counts include the accepted events and the duplicates of the run, and no
  /// others if there was no earlier night.
  mutating func checkCounts(_ counts: PublishedCounts) {
    compare("event_names", counts.lines.order.count, .otherNames)
    guard let total = Ledger(orNil: root["ledger"]) else { return }
    let isFirstNight = manifest.previousState.isEmpty
    for (what, reported, counted) in [
      ("accepted", total.accepted, counts.totals.count),
      ("duplicates", total.duplicates, counts.totals.duplicates),
    ] where isFirstNight ? reported != counted : reported > counted {
      add(isFirstNight ? .otherEvents : .fewerEvents, reported, what, counted)
    }
  }

  mutating func checkProfiles(_ number: Int) { compare("profiles", number, .otherProfiles) }

  /// Checks that everything rejected or refused in the ledgers has its entry: there are `found`
  /// ones, those of each input of the manifest in a ledger.
  mutating func checkRejects(_ found: (entries: Int, ledgers: [Ledger])) {
    let stated = root["rejects"]?["entries"]?.int
    if stated != found.entries { add(.otherRejects, stated ?? 0, found.entries) }
    for (input, counted) in zip(inputs.filter { !$0.isAlreadyRead }, found.ledgers) {
      guard let ledger = input.ledger else { continue }
      for (what, stated, found) in [
        ("rejected lines", ledger.rejectedLines, counted.rejectedLines),
        ("rejected events", ledger.rejected, counted.rejected),
        ("refused operations", ledger.refused, counted.refused),
      ] where stated != found {
        let noun = stated == 1 ? String(what.dropLast()) : what
        add(.otherRejectsOfInput, input.path, stated, noun, found)
      }
    }
  }

  /// Checks that the report of an archive agrees with the manifest about each log.
  mutating func checkLogs() {
    let logs = Dictionary(manifest.logs.map { (FilePath($0.source), $0) }) { first, _ in first }
    for input in root["inputs"]?.items ?? [] {
      guard let path = input["path"]?.text, let log = logs[FilePath(path)] else { continue }
      let output = input["output"]
      if output?["path"]?.text != log.file.path || output?["bytes"]?.int != log.file.bytes
        || output?["lines"]?.int != log.file.lines
      {
        add(.otherOutput, path, log.file.path)
      }
      if Ledger(orNil: input["ledger"]) != log.ledger { add(.otherLedger, path) }
    }
  }

  /// Checks that the report of losses has those of this report, and that their fields add up.
  func checkLosses(_ files: inout VerifiedFiles) throws(Failure) {
    let losses = root["losses"]?.members ?? []
    let text = LossLine.text(of: losses.map { LossLine($0.name, reported: $0.value) })
    try files.compare(RunFiles.losses, or: .otherThanReport) { each throws(Failure) in
      try each(text.view)
    }
    let named = (root["unknown_fields"]?.members ?? []).reduce(0) { $0 &+ ($1.value.int ?? 0) }
    let lost = losses.first { $0.name == ReasonCode.unknownField.text }
    let count = lost?.value["count"]?.int ?? 0
    if named != count { files.problems.add(RunFiles.report, .otherUnknownFields, named, count) }
  }

  /// Checks the ledger of a redrive: for balance, and against the existing entries and lines.
  mutating func checkRedrive(_ log: CanonicalLogs.Log?, entries: Int?) {
    guard let ledger = RedriveLedger(orNil: root["ledger"]) else { return add(.noLedger) }
    if let why = ledger.mismatch { add(.unbalancedLedger, why) }
    var reported: [(one: String, many: String, reported: Int?, counted: Int)] = []
    if let entries {
      reported.append(("entry is left", "entries are left", ledger.remaining, entries))
    }
    if let log, log.isComplete {
      reported += [
        ("line is redriven", "lines are redriven", root["redriven_lines"]?.int, log.ledger.lines),
        ("event was accepted", "events were accepted", ledger.acceptedEvents, log.ledger.accepted),
        (
          "operation was applied", "operations were applied",
          ledger.appliedOperations, log.ledger.applied
        ),
      ]
    }
    for (one, many, reported, counted) in reported where reported != counted {
      add(.otherRedrive, reported ?? 0, reported == 1 ? one : many, counted)
    }
  }

  private mutating func compare(_ member: StaticString, _ number: Int, _ code: ProblemCode) {
    let reported = root[member]?.int
    if reported != number { add(code, reported.map(String.init) ?? "missing", number) }
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
