package import Pipeline
import Stages

/// The content that a job has read, for its command.
package struct ReadSummary: Sendable {
  package internal(set) var facts: TallyFacts
  let outcomes: [InputOutcome]
  private let faults: [Failure]
  /// Lines of text that the stages have written.
  package private(set) var textLines = 0
  /// Inputs that are not logs, and what they look like, where the job reports that.
  package let notLogs: [Failure]
  package let ignoredFiles: IgnoredFiles
  /// Wall-clock seconds.
  package let seconds: Double
  /// Inputs with the content of another one, where the job hashes them; all of them were read.
  package var copies: [RepeatedInput] { RepeatedInput.among(outcomes) }
  package private(set) var alreadyRead = 0
  package private(set) var overlapping: [RepeatedInput] = []
  /// A problem after the output was published.
  package private(set) var warning: Failure?

  init(
    _ facts: TallyFacts, _ outcomes: [InputOutcome], _ survey: InputDiscovery.Survey,
    _ clock: StopWatch, notLogs: [Failure] = []
  ) {
    (self.facts, self.outcomes, self.notLogs) = (facts, outcomes, notLogs)
    (faults, ignoredFiles, seconds) = (survey.faults, survey.ignoredFiles, clock.seconds)
  }

  /// Reads the inputs of `survey` through the chains that `stages` makes, one for each lane, and
  /// counts their units. Without `nonLogs` those that are not logs are reported.
  init(
    reading survey: InputDiscovery.Survey, _ options: ReadOptions, nonLogs: NonLogPolicy? = nil,
    hashes: Bool = false, _ clock: StopWatch, _ control: JobControl,
    through stages: @escaping () -> sending Chains.Lane
  ) throws(Failure) {
    let sink = Exclusive(TallySink(inputs: survey.inputs.count, control))
    let read = try RecordFlow(stages: stages, cores: try CoreQueues(options.jobs)).run(
      survey.inputs, options, nonLogs: nonLogs ?? .report, hashes: hashes, control,
      finish: sink.part { $0.take })
    let (facts, textLines) = sink.use { ($0.facts(read.outcomes), $0.textLines) }
    self.init(facts, read.outcomes, survey, clock, notLogs: nonLogs == nil ? read.notLogs : [])
    self.textLines = textLines
  }

  func published(_ selection: InputSelection, warning: Failure?) -> ReadSummary {
    var summary = self
    (summary.alreadyRead, summary.warning) = (selection.alreadyRead.count, warning)
    summary.overlapping = selection.overlapping
    return summary
  }

  /// The inputs' paths, by the indices in samples.
  package var inputs: [String] { outcomes.map(\.file.path) }
  /// Inputs that could not be read to their end (`--keep-going`).
  package var lost: [Failure] { faults + outcomes.compactMap(\.lost) }
  /// Lines of inputs that are lost because they are not logs.
  package var lostLines: Int { facts.lostLines(of: outcomes) }
  /// Lines and decompressed bytes read, and bytes of the inputs on disk.
  package var lines: Int { outcomes.reduce(0) { $0 + ($1.summary?.lines ?? 0) } }
  package var bytes: Int { outcomes.decompressedBytes }
  package var inputBytes: Int { outcomes.compressedBytes }
  package var inLongFrames: Int { outcomes.reduce(0) { $0 + ($1.summary?.inLongFrames ?? 0) } }
}

/// Receives the units at the end of a flow: counts them, and writes their rejects in order.
final class TallySink {
  private(set) var tally: RunTally
  private(set) var textLines = 0
  /// The inputs that redriven lines come from, by the input that contains them.
  private(set) var origins: [Int: Set<InputSourceID>] = [:]
  /// Nil for a job that writes nothing.
  let rejects: SeekableTextWriter?
  private let control: JobControl

  init(inputs: Int, rejects: SeekableTextWriter? = nil, _ control: JobControl) {
    tally = RunTally(inputs: inputs)
    (self.rejects, self.control) = (rejects, control)
  }

  func take(_ unit: WorkUnit) throws(Failure) {
    tally.add(unit)
    textLines += unit.textLines
    for change in unit.slices[0].changes {
      origins[unit.block.input, default: []].insert(change.source)
    }
    control.count(unit, rejects: tally.linesWithRejects)
    guard let rejects else { return }
    try unit.rejects.forEachPiece { piece throws(Failure) in try rejects.append(piece) }
  }

  func facts(_ outcomes: [InputOutcome]) -> TallyFacts {
    tally.setLines(of: outcomes)
    return tally.facts
  }
}

extension InputDiscovery.Survey {
  /// Whether two inputs have one length, or an unknown one: their contents are worth a hash.
  var mayHaveCopies: Bool { Set(inputs.map(\.size)).count < inputs.count }
}
