import Pipeline
import Stages

/// Canonical logs that are read again, as v2: every line is validated, written again, and compared
/// with its source.
///
/// ```
/// logs → lanes [reader, validator, migration, text] → ordered end: text of the block = block?
/// ```
/// Equal text proves everything: nothing was rejected or lost, no line is blank, and migrating the
/// log again changes no byte. Only if it differs the lines are compared one by one. Memory does not
/// depend on the length of the logs.
struct CanonicalLogs {
  let output: String
  let logs: [WrittenFile]
  /// Writes the form that a line should have.
  let text: @Sendable () -> any Stage<WorkUnit>
  /// Longest accepted line, in bytes.
  let maxLine: Int
  let jobs: Int
  let control: JobControl
  /// The zstd level for making the frames again, to be compared; nil to skip that.
  var level: Int?
  var counting: EventCounting?
  /// The people who should be absent from them.
  var absent: AbsentIDs?

  struct Log {
    /// What was read of it; nil when it could not be opened.
    var summary: InputSummary?
    var ledger = Ledger()
    var isComplete = false
    /// Its lines about ids that are similar to absent ones.
    var similar = SimilarIDs()
  }

  func run(_ problems: inout ProblemList) throws(Failure) -> [Log] {
    let inputs = logs.map { InputFile(path: "\(output)/\($0.path)", size: $0.bytes) }
    let cores = try CoreQueues(jobs)
    let source = Exclusive(
      InputSource(
        inputs, maxLine: maxLine, keepsGoing: true, marksEnds: true, position: control.position,
        cores: cores, system: control.system))
    let found = Locked<[Int: AbsenceStage.Found]>([:])
    let sink = Exclusive(CanonicalLogSink(self, cores: cores, problems: problems))
    defer {
      problems = sink.use { $0.problems }
      for (number, found) in found.withLock({ $0 }).sorted(by: { $0.key < $1.key })
      where found.lines > 0 {
        problems.add(logs[number].path, line: found.first, .linesHoldAbsent, found.lines)
      }
    }
    let rules = rules
    let flow = RecordFlow(
      stages: { [counting, text, absent] in
        Chains.verify(
          rules, text: text(), absence: absent.map { AbsenceStage($0, found: found) },
          counting: counting?.stage())
      }, cores: cores)
    _ = try flow.run(source, control: control, finish: sink.part { $0.take })
    var logs = try sink.use { sink throws(Failure) in try sink.finish() }
    for (number, found) in found.withLock({ $0 }) { logs[number].similar = found.similar }
    return logs
  }

  /// The rules for the lines: v2 only, whatever the logs were made with.
  private var rules: Rules {
    var rules = Rules()
    rules.dialect = .v2
    // What is a placeholder was decided when they were written.
    rules.placeholders = .fewest
    rules.maxLine = maxLine
    rules.raisesMaxLine = false
    return rules
  }
}

/// Receives the units at the end of the flow, compares and counts.
private final class CanonicalLogSink {
  private let logs: CanonicalLogs
  private let cores: CoreQueues
  private let encoder: ParallelFrameEncoder?
  private(set) var problems: ProblemList
  private var found: [CanonicalLogs.Log]
  private var tally: RunTally
  private var current: LogCheck?
  /// The frames that differ when they are made again: at most one for each log.
  private var differences: [VerifyProblem] = []

  init(_ logs: CanonicalLogs, cores: CoreQueues, problems: ProblemList) {
    (self.logs, self.cores, self.problems) = (logs, cores, problems)
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
    // Into a separate list: the encoder may call this while the other one is in use.
    try check.end(ended, &problems) { [self] difference in differences.append(difference) }
  }

  func finish() throws(Failure) -> [CanonicalLogs.Log] {
    if let encoder { try cores.withCore { () throws(Failure) in try encoder.finish() } }
    for difference in differences { problems.add(difference) }
    for (index, ledger) in tally.ledgers.enumerated() { found[index].ledger = ledger }
    return found
  }
}
