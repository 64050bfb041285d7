import Pipeline
import Stages

/// Canonical logs that are read again, as v2: every line is validated, written again, and compared
/// with what stands there.
///
/// ```
/// logs → lanes [reader, validator, migration, text] → ordered end: text of the block = block?
/// ```
/// Equal text says all there is to say: nothing was rejected or lost, no line is blank, and
/// migrating the log again changes no byte. Only where it is not equal the lines are looked at one
/// by one. Memory does not depend on the length of the logs.
struct CanonicalLogs {
  /// What stands in a line.
  enum Form {
    /// Canonical v2 (data-model 11).
    case canonical
    /// The same with the note of a redriven line.
    case noted
  }

  /// The output they belong to.
  let output: String
  let logs: [WrittenFile]
  let form: Form
  /// Longest line that is accepted, in bytes.
  let maxLine: Int
  let jobs: Int
  let control: JobControl
  /// With which zstd level the frames are made once more, to be compared; nil to leave that out.
  var level: Int?
  /// What counts their events, if anybody wants to know.
  var counting: EventCounting?
  /// Who should not be in them.
  var absent: AbsentIDs?

  /// What was found in one log.
  struct Log {
    /// What was read of it; nil when it could not even be opened.
    var summary: InputSummary?
    /// What its records hold.
    var ledger = Ledger()
    /// Whether all of it could be read.
    var isComplete = false
  }

  /// Reads all logs, in their order.
  ///
  /// - Throws: what the job was cancelled with; `limit`, when events cannot be told apart for want
  ///   of memory.
  func run(_ problems: inout ProblemList) throws(Failure) -> [Log] {
    let inputs = logs.map { InputFile(path: "\(output)/\($0.path)", size: $0.bytes) }
    let cores = try CoreBudget(cores: jobs)
    let source = Exclusive(
      InputSource(
        inputs, maxLine: maxLine, keepsGoing: true, marksEnds: true, position: control.position,
        cores: cores, system: control.system))
    let found = Locked<[Int: AbsenceStage.Found]>([:])
    let sink = Exclusive(CanonicalLogSink(self, cores: cores, problems: problems))
    defer {
      problems = sink.use { $0.problems }
      AbsenceStage.report(found.withLock { $0 }, in: logs, &problems)
    }
    let rules = rules
    let flow = RecordFlow(
      stages: { [counting, form, absent] in
        let text: any Stage<WorkUnit> =
          switch form {
          case .canonical: CanonicalTextStage()
          case .noted: NotedTextStage()
          }
        return Chains.verify(
          rules, text: text, absence: absent.map { AbsenceStage(found: found, ids: $0) },
          counting: counting?.stage())
      }, cores: cores)
    _ = try flow.run(source, control: control, finish: sink.part { $0.take })
    return try sink.use { sink throws(Failure) in try sink.finish() }
  }

  /// What the lines have to obey: nothing but v2, whatever the logs were made with.
  private var rules: Rules {
    var rules = Rules()
    rules.dialect = .v2
    rules.maxLine = maxLine
    rules.raisesMaxLine = false
    return rules
  }
}

/// Takes the units at the end of the flow, compares and counts.
private final class CanonicalLogSink {
  private let logs: CanonicalLogs
  private let cores: CoreBudget
  private let encoder: ParallelFrameEncoder?
  private(set) var problems: ProblemList
  private var found: [CanonicalLogs.Log]
  private var tally: RunTally
  private var current: LogCheck?
  /// The frames that are others when they are made once more: one for each log at most.
  private var differences: [VerifyProblem] = []

  init(_ logs: CanonicalLogs, cores: CoreBudget, problems: ProblemList) {
    self.logs = logs
    self.cores = cores
    self.problems = problems
    encoder = logs.level.map { ParallelFrameEncoder(cores, level: $0) }
    found = Array(repeating: CanonicalLogs.Log(), count: logs.logs.count)
    tally = RunTally(inputs: logs.logs.count)
  }

  func take(_ unit: WorkUnit) throws(Failure) {
    let input = unit.block.input
    let check = current ?? LogCheck(logs.logs[input].path, in: logs.output, encoder: encoder)
    current = check
    tally.add(unit)
    logs.control.count(unit, rejects: problems.count)
    try check.take(unit, &problems)
    guard let ended = unit.notes.ended else { return }
    current = nil
    found[input].isComplete = ended.lost == nil
    found[input].summary = ended.summary
    tally.setLines(ended.summary?.lines ?? 0, of: input)
    // Into a list of its own: the encoder may be so far while the other one is in use.
    try check.end(ended, &problems) { [self] difference in differences.append(difference) }
  }

  func finish() throws(Failure) -> [CanonicalLogs.Log] {
    if let encoder {
      try cores.withCore { () throws(Failure) in try encoder.finish() }
    }
    for difference in differences { problems.add(difference) }
    for (index, ledger) in tally.ledgers.enumerated() { found[index].ledger = ledger }
    return found
  }
}
