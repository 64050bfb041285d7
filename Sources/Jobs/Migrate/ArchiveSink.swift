import Pipeline
import Stages

/// Receives the units at the end of a migration's flow: writes each input's lines and rejects into
/// its files in order, counts, and has the files of finished inputs synced to disk.
///
/// Memory is that of the frames under way (``ParallelFrameEncoder``) and the counts per input; it
/// does not depend on the length of files.
final class ArchiveSink {
  /// Inputs whose files are synced to disk concurrently: that is waiting, not work.
  private static let mostClosing = 8

  private let states: [InputState]
  private let checkpoint: ArchiveCheckpoint
  private let control: JobControl
  private let cores: CoreQueues
  private let encoder: ParallelFrameEncoder
  private let closing: BackgroundWork
  private let archived: Locked<[ArchivedInput]> = Locked([])
  private let first: Int
  private var current: Current?
  private var linesWithRejects = 0

  private struct Current: ~Copyable {
    let input: Int
    let log: SeekableTextStream<SeekableFile>
    /// Nil as long as nothing was rejected.
    var rejects: SeekableTextStream<SeekableFile>?
    var tally = RunTally(inputs: 1)
    /// Accepted lines, as counted by the stages.
    var lines = 0
  }

  /// A sink for inputs whose states before reading are `states`; their files are numbered after
  /// `last`.
  init(
    _ states: [InputState], after last: Int, _ checkpoint: ArchiveCheckpoint, cores: CoreQueues,
    level: Int, control: JobControl
  ) {
    self.states = states
    first = last + 1
    self.checkpoint = checkpoint
    self.control = control
    self.cores = cores
    encoder = ParallelFrameEncoder(cores, level: level)
    closing = BackgroundWork(atMost: Self.mostClosing)
  }

  func take(_ unit: WorkUnit) throws(Failure) {
    try closing.check()
    if current == nil { try begin(unit.block.input) }
    try add(unit)
    if let outcome = unit.notes.ended { try end(outcome) }
  }

  private func begin(_ input: Int) throws(Failure) {
    let file = try checkpoint.create(ArchiveCheckpoint.log(first + input))
    current = Current(input: input, log: SeekableTextStream(SeekableFile(file), encoder))
  }

  private func add(_ unit: WorkUnit) throws(Failure) {
    try current?.log.append(unit.text.view)
    if unit.rejects.count > 0, current?.rejects == nil {
      let file = try checkpoint.create(ArchiveCheckpoint.rejects(first + unit.block.input))
      current?.rejects = SeekableTextStream(SeekableFile(file), encoder)
    }
    if let rejects = current?.rejects {
      try unit.rejects.forEachPiece { piece throws(Failure) in try rejects.append(piece) }
    }
    current?.lines += unit.textLines
    current?.tally.add(unit, of: 0)
    control.count(unit, rejects: linesWithRejects + (current?.tally.linesWithRejects ?? 0))
  }

  private func end(_ outcome: InputOutcome) throws(Failure) {
    guard var ended = current.take() else { preconditionFailure("an input ends once") }
    ended.tally.setLines(outcome.summary?.lines ?? 0, of: 0)
    var facts = PartialFacts()
    facts.outcomes = [outcome]
    facts.tally = ended.tally.facts
    linesWithRejects += facts.tally.linesWithRejects
    let files = EndedFiles(
      ArchivedInput(number: first + ended.input, state: states[ended.input], facts: facts),
      lines: ended.lines)
    let rejects = ended.rejects
    try ended.log.end { log in files.log = log }
    try rejects?.end { rejects in files.rejects = rejects }
    encoder.then { [closing, checkpoint, archived] () throws(Failure) in
      let ended = HandedOver(files)
      try closing.submit { () throws(Failure) in
        let input = try ended.take().finish()
        try checkpoint.note(input)
        archived.withLock { $0.append(input) }
      }
    }
  }

  /// Waits until everything is on disk, and returns the results, in the order of the inputs, and
  /// the time of compression.
  func finish() throws(Failure) -> ([ArchivedInput], StageTime) {
    precondition(current == nil, "every input ends")
    try cores.withCore { () throws(Failure) in try encoder.finish() }
    closing.wait()
    try closing.check()
    return (archived.withLock { $0 }.sorted { $0.number < $1.number }, encoder.time)
  }

  /// Finishes the inputs that had ended when the flow failed, as far as possible; returns when
  /// nothing is being written any more. Does nothing after ``finish()``.
  func abandon() {
    // The failure of the flow is reported; the next migration repeats what cannot be finished.
    cores.withCore { try? encoder.finish() }
    closing.wait()
  }
}

/// The complete files of an input, to be synced to disk.
private final class EndedFiles {
  private var input: ArchivedInput
  /// Accepted lines, as counted by the stages.
  private let lines: Int
  var log: SeekableFile?
  var rejects: SeekableFile?

  init(_ input: ArchivedInput, lines: Int) { (self.input, self.lines) = (input, lines) }

  func finish() throws(Failure) -> ArchivedInput {
    guard let written = try log?.finish() else { preconditionFailure("every input has a log") }
    (input.log, input.rejects) = (written, try rejects?.finish())
    let why =
      input.facts.tally.total.mismatch
      ?? (written.lines == lines
        ? nil
        : "\(NumberFormat.count(lines, "line was", "lines were")) accepted, but \(written.lines) written")
    if let why { throw .ledger(why, path: input.state.path) }
    return input
  }
}
