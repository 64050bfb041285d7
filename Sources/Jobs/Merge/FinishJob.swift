package import Pipeline
import Stages

/// Makes one output of merged partitions: folds installations across them, adds the counts up,
/// checks the whole ledger (`eventmill merge --finish`).
package struct FinishJob {
  private static let doing = "finishing"

  private let options: RunOptions
  private let tool: ToolVersion
  private let control: JobControl

  /// A job that finishes the partitions in the directories that are the inputs of `options`;
  /// without any, those in the output's own.
  package init(_ options: RunOptions, tool: ToolVersion, control: JobControl) {
    (self.options, self.tool, self.control) = (options, tool, control)
  }

  /// Publishes the output.
  ///
  /// - Returns: nil when the output was finished before, and nothing is left to do.
  /// - Throws: every reason why nothing was published; see `Failure.Kind`.
  package func run() throws(Failure) -> RunSummary? {
    let clock = StopWatch()
    control.plan([.merging, .publishing])
    guard let partitions = try find() else { return nil }
    let options = try options.taking(partitions[0].manifest, path: partitions[0].path)
    try MergeOutput.check(
      options.publish.output, replace: options.publish.replace, system: control.system)
    try MergeOutput.clearLeftovers(in: options.publish.output, system: control.system)
    let (report, warning) = try Publication.run(
      options.publish.output, existing: .replace,
      owner: .ofPartitions(try collected(partitions), replaces: options.publish.replace), control
    ) { staging throws(Failure) in
      try finish(partitions, options, in: staging, clock)
    }
    return report.summary(warning: warning)
  }

  /// Writes the output of the partitions, and returns what it reports.
  private func finish(
    _ partitions: [PartitionDirectory], _ options: RunOptions, in staging: StagedDirectory,
    _ clock: StopWatch
  ) throws(Failure) -> RunReport {
    let rejected = RejectedOutput(staging, reports: RunFiles.reports, tool: tool)
    if options.read.maxRejects != nil { try rejected.checkPlace(control.system) }
    let context = try MergeContext(options, shards: 1, in: staging)
    var facts = try partitions[0].facts()
    let previous = try partitions[0].previousTotals(context.names)
    let requests = try ErasurePhase(options: options.merge, control: control).requests()
    var erasures = requests?.erasures ?? Erasures()
    let before = previous.map {
      NightBefore(
        ofPartition: partitions[0].path, totals: $0.totals, system: control.system)
    }
    if let previous { erasures.merge(previous.erasures) }
    try partitions[0].manifest.check(requests, erasures, path: partitions[0].path)
    erasures.note(facts.tally.keptBack)
    facts.tally.forget(erasures, keys: options.read.rules.foreign.identityKeys)
    let rejects = try copyRejects(partitions, options, to: staging)
    let totals = facts.totals(in: context.names)
    let ingest = facts.outcome(
      rejects: rejects, times: FlowTimes(), SnapshotNames(context.names), totals, before: before)
    var report = RunReport(
      tool: tool, options: options, erasures: erasures,
      selection: InputSelection(
        all: ingest.outcomes.map(\.file),
        earlier: InputHistory(partitions[0].manifest.earlierInputs)),
      passedOver: facts.passedOver, merge: ingest, clock: clock,
      stamp: control.stamp(of: options.publish.output), before: before)
    try rejected.refuse(report, control)
    let (drafts, persons) = try readDrafts(
      partitions, facts, previous?.totals ?? [], context, options, erasures)
    let snapshot = try context.publishSnapshot(
      after: drafts, read: totals, persons: persons, options: options, to: staging, control)
    try report.complete(
      with: snapshot, requests, previous: partitions[0].manifest.previousState, in: staging)
    return report
  }

  /// Finds the partitions: each once, all of one run.
  private func find() throws(Failure) -> [PartitionDirectory]? {
    let places = options.read.inputs.isEmpty ? [options.publish.output] : options.read.inputs
    var found: [PartitionDirectory] = []
    for place in places {
      try checkApart(place)
      guard try control.system.statusIfAny(of: place, doing: FinishJob.doing) != nil else {
        throw PartialSet.refusal(
          place, "there is no such directory", "merge every partition first")
      }
      let names = try control.system.names(in: place, doing: FinishJob.doing)
      let inner = names.filter { $0.hasPrefix(MergeOutput.partition) }.sortedByBytes
      if inner.isEmpty, options.read.inputs.isEmpty, names.contains(RunFiles.manifest) {
        return nil
      }
      let paths = inner.isEmpty ? [place] : inner.map { "\(place)/\($0)" }
      for path in paths { found.append(try PartitionDirectory(path, system: control.system)) }
    }
    guard let first = found.first else {
      throw PartialSet.refusal(
        options.publish.output, "there are no merged partitions in it",
        "merge every partition first")
    }
    guard first.manifest.tool == (tool.version, tool.zstd) else {
      let made = first.manifest.tool
      throw PartialSet.refusal(
        first.path,
        "version \(made.version) of eventmill with zstd \(made.zstd) has made it, and this is "
          + "\(tool.version) with \(tool.zstd)", "use one version of eventmill for all of a run")
    }
    var partitions: [Int: PartitionDirectory] = [:]
    for partition in found {
      guard partition.identity == first.identity else {
        throw PartialSet.refusal(
          partition.path,
          "it is not of the same partials, options, program or previous state as "
            + "\(first.path)", "merge it again with those")
      }
      partitions[partition.partition] = partition
    }
    var complete: [PartitionDirectory] = []
    for number in 0..<first.partitions {
      guard let partition = partitions[number] else {
        throw PartialSet.refusal(
          places[0], "partition \(number) of \(first.partitions) is missing",
          "run: eventmill merge --partition \(number)")
      }
      complete.append(partition)
    }
    return complete
  }

  /// Checks that the output is not below the directory `place`, which a later merge reads.
  private func checkApart(_ place: String) throws(Failure) {
    let doing = Self.doing
    let status = try control.system.statusIfAny(of: place, doing: doing)
    let above = control.system.directories(
      above: try OutputPath(options.publish.output), doing: doing)
    guard let status, above.contains(where: { $0.identity == status.identity }) else { return }
    throw PartialSet.refusal(
      place, "the output \(options.publish.output) would be inside it",
      "write to a directory outside of it, or name none: then the output replaces the partitions")
  }

  /// The names of those of `partitions` that are in the output's own directory. Others stay there,
  /// and are in the way.
  private func collected(_ partitions: [PartitionDirectory]) throws(Failure) -> [String] {
    var names: [String] = []
    for partition in partitions {
      let name = RunFiles.partition(partition.partition, of: partitions.count)
      let there = try control.system.statusIfAny(
        of: "\(options.publish.output)/\(name)", doing: Self.doing)
      let read = try control.system.status(of: partition.path, doing: Self.doing)
      if there?.identity == read.identity { names.append(name) }
    }
    return names
  }

  /// Opens the drafts of all partitions, as a state that the output is made of, and those of its
  /// people whose profiles are not final.
  private func readDrafts(
    _ partitions: [PartitionDirectory], _ facts: PartialFacts, _ totals: [StateTotal],
    _ context: MergeContext, _ options: RunOptions, _ erasures: Erasures
  ) throws(Failure) -> (state: PreviousState, persons: DirtyPersonFilter) {
    let names = context.names
    var parts: [Int: PreviousPart] = [:]
    var persons = DirtyPersonFilter()
    for partition in partitions {
      parts[partition.partition] = try partition.part(jobs: options.read.jobs)
      if let others = try partition.persons() { persons.merge(others) }
    }
    // Names before ranks: the parts may hold any of them.
    var attributes = NameCache(of: names.attributes)
    for key in facts.attributes { _ = attributes.id(ofText: key) }
    if let failure = names.failure { throw failure }
    let drafts = PreviousSnapshot(parts: parts)
    try PreviousPhase(
      options: options, tool: tool, control: control, partitions: 0..<options.snapshot.partitions
    ).readAnonymousIDs(drafts, names, into: context.shards[0])
    var tally = SnapshotTally()
    var events = NameCache(of: names.events)
    let known = SnapshotNames(names).events.count
    for partition in partitions {
      guard partition.tally.add(to: &tally, &events, known: known) else {
        throw PartialDirectory.damaged(
          "\(partition.path)/\(RunFiles.tally)", "it counts events that are not in the partials")
      }
    }
    return (
      PreviousState(run: nil, snapshot: drafts, totals: totals, erasures: erasures, erased: tally),
      persons
    )
  }

  private func copyRejects(
    _ partitions: [PartitionDirectory], _ options: RunOptions, to staging: StagedDirectory
  ) throws(Failure) -> WrittenFile {
    let source = try partitions[0].rejects()
    let lines = partitions[0].manifest.files.first { $0.path == RunFiles.rejects }?.lines ?? 0
    let target = SeekableFile(try staging.folder.create(RunFiles.rejects))
    var frame = ByteBuffer()
    for index in source.frames.indices {
      frame.removeAll()
      try source.read(frame: index, into: &frame)
      try target.append(
        frame: frame.view, decompressed: source.frames[index].decompressed,
        lines: index == 0 ? lines : 0)
    }
    return try target.finish()
  }
}
