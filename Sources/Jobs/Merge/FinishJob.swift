package import Pipeline
import Stages

/// Makes one output of merged partitions: adds the counts, checks the whole ledger, and adds their
/// parts without opening them (`eventmill cluster merge --step finish`). Or lists the parts by
/// their content, and leaves it to another program to put them into the output.
package struct FinishJob {
  private static let doing = "finishing"

  private let options: RunOptions
  private let control: JobControl

  /// A job that finishes the partitions in the directories that are the inputs of `options`;
  /// without inputs, those in the output directory.
  package init(_ options: RunOptions, control: JobControl) {
    (self.options, self.control) = (options, control)
  }

  /// Publishes the output.
  /// - Returns: nil when the output was finished before, and nothing is left to do.
  /// - Throws: why nothing was published; see `Failure.Kind`.
  package func run() throws(Failure) -> RunReport? {
    let clock = StopWatch()
    control.plan([.merging, .publishing])
    guard let merged = try find() else { return finished() }
    let first = merged[.installations][0]
    let options = try options.taking(first.manifest, path: first.path)
    if options.publish.acceptsSame, try isPublished(first) { return finished() }
    try MergeOutput.check(options.publish, before: nil, control.system)
    try MergeOutput.clearLeftovers(in: options.publish.output, system: control.system)
    let owner = Ownership.ofPartitions(try collected(), replaces: options.publish.replace)
    var publish = options.publish
    publish.replace = true
    let (report, warning) = try Publication.run(publish, as: owner, control) {
      staging throws(Failure) in
      try finish(merged, first, options, in: staging, clock)
    }
    return report.ended(warning: warning)
  }

  private func finished() -> RunReport? {
    control.clearLeftovers(of: options.publish, .output)
    return nil
  }

  /// Writes the output of the partitions, and returns its report.
  private func finish(
    _ merged: MergedPartitions, _ first: PartitionDirectory, _ options: RunOptions,
    in staging: StagedDirectory, _ clock: StopWatch
  ) throws(Failure) -> RunReport {
    let rejected = try RejectedOutput(staging, options.read, control.system)
    let context = try MergeContext(options, shards: 1, in: staging)
    var facts = try first.facts()
    let previous = try first.previousTotals(context.names)
    let before = previous.map {
      NightBefore(
        first.path, RunFiles.nightBefore, totals: $0.totals, system: control.system)
    }
    var (requests, erasures) = try requests(first, after: previous)
    erasures.note(facts.tally.suppressed)
    facts.tally.forget(erasures, keys: options.read.rules.foreign.identityKeys)
    let rejects = try copyRejects(first, to: staging)
    let counts = facts.counts(in: context.names)
    // The parts may contain any attribute of the partials.
    var attributes = NameCache(of: context.names.attributes)
    for key in facts.attributes { _ = attributes.id(ofText: key) }
    if let failure = context.names.failure { throw failure }
    let ingest = facts.outcome(
      rejects: rejects, times: FlowTimes(), SnapshotNames(context.names), counts, before: before)
    var report = RunReport(
      options: options, erasures: erasures,
      selection: InputSelection(
        all: ingest.outcomes.map(\.file), alreadyRead: facts.alreadyRead,
        earlier: InputHistory(first.manifest.earlierInputs)),
      ignoredFiles: facts.ignoredFiles, ingest: ingest, clock: clock,
      stamp: control.stamp(of: options.publish.output), before: before)
    try rejected.refuse(report, control)
    let state = previous.map {
      PreviousState(run: nil, snapshot: nil, known: $0, erasures: erasures)
    }
    let sources = try MergeSources(
      context, previous: state, read: counts.totals, erasures: erasures, options: options.snapshot)
    var publisher = SnapshotPublisher(
      sources, after: state, staging: staging, options: options, control: control)
    let snapshot = try publisher.publishTotals(of: try tally(merged, previous, context.names))
    try staging.remove(RunFiles.work)
    try staging.redactRejects(naming: Erasures(devices: snapshot.tally.devices), options, control)
    try report.complete(
      with: snapshot, requests, previous: first.manifest.previousState,
      elsewhere: try addParts(of: merged[.people], options.publish, to: staging), in: staging)
    return report
  }

  /// Whether `--out` is the output of the partitions that begin with `first`.
  private func isPublished(_ first: PartitionDirectory) throws(Failure) -> Bool {
    let partition = first.manifest
    var expected = Manifest(.output, by: control.tool, partition.options)
    expected.previousState = partition.previousState
    guard
      let made = try? Manifest(
        options.publish.output, doing: "comparing with", system: control.system),
      made.isMade(like: expected, at: options.publish, control)
    else { return false }
    let facts = try first.facts()
    let names = RunNames(limit: options.read.maxNames)
    _ = try requests(first, after: try first.previousTotals(names))
    return made.inputs == facts.outcomes.map(ManifestInput.init)
      && made.alreadyRead == facts.alreadyRead
  }

  /// The requests for erasure and the people that the earlier state names, if the partitions were
  /// merged with the same.
  private func requests(
    _ first: PartitionDirectory, after previous: StateTotals?
  ) throws(Failure) -> (ErasureRequests?, Erasures) {
    var options = options
    options.read.rules.placeholders = first.manifest.placeholders
    let requests = try ErasurePhase(options: options, control: control).requests()
    var erasures = requests?.erasures ?? Erasures()
    if let previous { erasures.merge(previous.erasures) }
    try first.manifest.check(requests, erasures, at: options.merge.moment, path: first.path)
    return (requests, erasures)
  }

  /// Adds the parts of the output. Returns those that are not in `staging`, but must be listed.
  private func addParts(
    of partitions: [PartitionDirectory], _ options: PublishOptions, to staging: StagedDirectory
  ) throws(Failure) -> [WrittenFile] {
    guard !options.partsElsewhere else {
      return partitions.flatMap { $0.published.map(RunFiles.namedByContent) }
    }
    try staging.makeDirectory(RunFiles.profiles)
    if partitions.contains(where: { !$0.manifest.previousState.isEmpty }) {
      try staging.makeDirectory(RunFiles.changes)
    }
    for partition in partitions {
      for file in partition.published { try staging.folder.add(file, of: partition.path) }
    }
    return []
  }

  private func find() throws(Failure) -> MergedPartitions? {
    let paths = options.read.inputs.isEmpty ? [options.publish.output] : options.read.inputs
    for path in paths { try checkApart(path) }
    if options.read.inputs.isEmpty, try isFinished() { return nil }
    let found = try MergedPartitions(
      in: paths, mayBePartitions: true, [.installations, .people], system: control.system)
    for partition in found.all { try partition.manifest.check(control.tool, path: partition.path) }
    return found
  }

  /// Whether the output exists, and no partition of another one.
  private func isFinished() throws(Failure) -> Bool {
    let (output, system) = (options.publish.output, control.system)
    guard try system.statusIfAny(of: output, doing: Self.doing) != nil else { return false }
    let names = try system.names(in: output, doing: Self.doing)
    return names.contains(RunFiles.manifest) && !names.contains { MergeOutput.step(of: $0) != nil }
  }

  /// Checks that the output is not below the directory `path`, which a later merge reads.
  private func checkApart(_ path: String) throws(Failure) {
    let doing = Self.doing
    let status = try control.system.statusIfAny(of: path, doing: doing)
    let above = control.system.directories(
      above: try OutputPath(options.publish.output), doing: doing)
    guard let status, above.contains(where: { $0.identity == status.identity }) else { return }
    throw PartialSet.refusal(
      path, "the output \(options.publish.output) would be inside it",
      "write to a directory outside of it, or name no directory: then the output replaces the partitions"
    )
  }

  /// The names of the partitions in the output directory. Others are left alone.
  private func collected() throws(Failure) -> [String] {
    let (output, system) = (options.publish.output, control.system)
    guard try system.statusIfAny(of: output, doing: Self.doing)?.kind == .directory else {
      return []
    }
    return try system.names(in: output, doing: Self.doing)
      .filter { MergeOutput.step(of: $0) != nil }
  }

  /// Adds up the counts of all partitions; for a copied state also its own counts.
  private func tally(
    _ merged: MergedPartitions, _ previous: StateTotals?, _ names: RunNames
  ) throws(Failure) -> SnapshotTally {
    var tally = SnapshotTally()
    for total in previous?.totals ?? [] { tally.add(total.profiles, total.name) }
    if let previous { tally.active.merge(previous.active) }
    var events = NameCache(of: names.events)
    let known = SnapshotNames(names).events.count
    for partition in merged.all {
      guard partition.tally.add(to: &tally, &events, known: known) else {
        throw partition.output.damaged(
          RunFiles.tally, "it counts events that are not in the partials")
      }
    }
    // Where nothing is copied, the last step compares all profiles.
    if merged[.people].contains(where: { $0.tally.counts.changes == nil }) { tally.changes = nil }
    return tally
  }

  private func copyRejects(
    _ first: PartitionDirectory, to staging: StagedDirectory
  ) throws(Failure) -> WrittenFile {
    let source = try first.rejects()
    let target = SeekableFile(try staging.folder.create(RunFiles.rejects))
    try target.append(source, lines: first.manifest[RunFiles.rejects]?.lines ?? 0)
    return try target.finish()
  }
}
