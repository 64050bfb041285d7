import Pipeline
import Stages

/// The first half of a run: reads the inputs into the shards, and writes the rejects file.
struct IngestPhase {
  let options: RunOptions
  let findings: PrivacyFindings
  let inputs: [InputFile]
  let context: MergeContext
  let control: JobControl
  var before: NightBefore?
  var tracking: TrackingPlan?

  func run(rejects: sending OutputFile) throws(Failure) -> IngestOutcome {
    let (names, shards) = (context.names, context.shards)
    let sink = Exclusive(
      TallySink(
        inputs: inputs.count,
        rejects: try SeekableTextWriter(rejects, level: options.publish.level),
        control))
    let (rules, erasures, consents) = (options.read.rules, findings.erasures, findings.consents)
    let paths = inputs.map(\.path)
    let sources = inputs.sourceIDs
    let suppressed = Locked<SuppressedTally.Table>([:])
    let counts = shards.map { _ in Locked(RunCounts()) }
    let checking = tracking.map { TrackingChecking($0, inputs: inputs, showsValues: false) }
    let flow = RecordFlow(
      stages: {
        Chains.ingest(
          rules, erasure: erasures.isEmpty ? nil : ErasureStage(erasures, suppressed),
          consent: consents.isEmpty ? nil : ConsentStage([consents]),
          tracking: checking?.stage(), router: RouterStage(names: names, sources: sources),
          quarantine: QuarantineStage(
            sources: paths, erasures: erasures, keys: rules.foreign.identityKeys))
      },
      shardStages: { Chains.merge(shards[$0], counts[$0]) },
      cores: try CoreQueues(options.read.jobs), shards: shards.count)
    let read = try flow.run(
      inputs, options.read, nonLogs: options.read.nonLogs, control, finish: sink.part { $0.take })
    var outcome = try sink.use { sink throws(Failure) in
      try sink.finish(read.outcomes, read.times)
    }
    for shard in counts { outcome.counts.merge(shard.withLock { $0 }) }
    outcome.activity = RunActivity(
      outcome.counts, names: names.events.list(), before: before?.names)
    outcome.tracking = checking?.result()
    outcome.tally.add(suppressed.withLock { $0 })
    outcome.tally.forget(erasures, keys: rules.foreign.identityKeys)
    return outcome
  }
}

extension TallySink {
  fileprivate func finish(
    _ read: [InputOutcome], _ times: FlowTimes
  ) throws(Failure) -> IngestOutcome {
    guard let rejects else { preconditionFailure("a run writes rejects") }
    var outcomes = read
    for (input, sources) in origins {
      outcomes[input].origins = sources.sorted { $0.number < $1.number }
    }
    var outcome = IngestOutcome(
      tally: facts(read), outcomes: outcomes, rejects: try rejects.finish(), times: times)
    outcome.counts.totals.readDays = tally.suppressedDays
    return outcome
  }
}

/// The result of the first half of a run, besides the state in the shards.
struct IngestOutcome {
  var tally: TallyFacts
  let outcomes: [InputOutcome]
  let rejects: WrittenFile
  let times: FlowTimes
  /// Inputs that an earlier, interrupted migration had read (`--resume`).
  var resumed: Set<String> = []
  /// Whether it was read from files that another process left: then a wrong ledger means damage.
  var isOfFiles = false
  /// Number of duplicates, by their input and that of the earlier event.
  var duplicates: [DuplicateTally.Pair: Int] = [:]
  var activity = RunActivity()
  /// The counts of the events that were read, before duplicates are known.
  var counts = RunCounts()
  var tracking: TrackingCheck?

  /// The outcome with `duplicates` no longer counted among the accepted events.
  func takingBack(_ duplicates: DuplicateTally) -> IngestOutcome {
    var outcome = self
    let inputs = inputsOfSources
    // In a fixed order, because an event may have to be taken from another input than its own.
    for (pair, count) in duplicates.pairs.sorted(by: { $0.key < $1.key }) {
      outcome.tally.takeBack(count, of: inputs[pair.dropped] ?? [])
      outcome.duplicates[pair, default: 0] += count
    }
    return outcome
  }

  /// The inputs that hold events of a source: itself, then those with its redriven lines.
  var inputsOfSources: [InputSourceID: [Int]] {
    var inputs: [InputSourceID: [Int]] = [:]
    for (index, input) in outcomes.enumerated() {
      inputs[InputSourceID(path: input.file.path), default: []].append(index)
    }
    for (index, input) in outcomes.enumerated() {
      for source in input.origins where inputs[source]?.contains(index) != true {
        inputs[source, default: []].append(index)
      }
    }
    return inputs
  }

  /// Checks the ledgers; `counted` are the events of this run in the counts per name.
  func checkLedger(counted: Int?) throws(Failure) {
    for (outcome, ledger) in zip(outcomes, ledgers) {
      if let why = ledger.mismatch { throw mismatch(why, path: outcome.file.path) }
    }
    if let counted, counted != total.accepted {
      throw mismatch(
        "\(NumberFormat.count(total.accepted, "event was", "events were")) accepted, but the counts per event name hold "
          + "\(counted) of this run", path: nil)
    }
  }

  private func mismatch(_ why: String, path: String?) -> Failure {
    isOfFiles
      ? Failure(
        .corrupt, doing: "adding up earlier counts", path: path, why: why,
        advice: "nothing was published; make the partials again from the inputs")
      : .ledger(why, path: path)
  }

  /// The failure to end with when more lines have a rejected part than `options` allow; else nil.
  func excess(of options: ReadOptions) -> Failure? {
    tally.excess(of: options, besides: tally.lostLines(of: outcomes))
  }

  var ledgers: [Ledger] { tally.ledgers }
  var total: Ledger { tally.total }
  var linesWithRejects: Int { tally.linesWithRejects }
}
