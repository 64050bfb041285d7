package import Pipeline
import Stages

/// Merges one partition of partials, and of a previous output, for ``FinishJob`` to go on with
/// (`eventmill merge --partition`).
///
/// What comes out is final but for people whose installations other partitions may hold; who these
/// are is noted (``DirtyPersonFilter``).
package struct MergeJob {
  private static let doing = "merging a partition into"

  private let options: RunOptions
  private let partition: Int
  private let tool: ToolVersion
  private let control: JobControl

  /// A job that merges `partition` of the partials that are the inputs of `options`.
  package init(
    _ options: RunOptions, partition: Int, tool: ToolVersion, control: JobControl
  ) {
    (self.options, self.partition) = (options, partition)
    (self.tool, self.control) = (tool, control)
  }

  /// Merges the partition and publishes it in a directory of its own in `--out`.
  ///
  /// - Throws: every reason why nothing was published; see `Failure.Kind`.
  package func run() throws(Failure) -> MergeSummary {
    let clock = StopWatch()
    control.plan([.merging, .publishing])
    let partials = try PartialSet(options.read.inputs, system: control.system)
    guard let first = partials.partials.first else {
      preconditionFailure("the command line has made sure of a partial")
    }
    for partial in partials.partials { try partial.check(tool) }
    let options = try options.taking(first.manifest, path: first.path)
    let requests = try ErasurePhase(options: options.merge, control: control).requests()
    guard partition < options.snapshot.partitions else {
      throw PartialSet.refusal(
        first.path,
        "it has \(options.snapshot.partitions) partitions, so there is no number \(partition)",
        "name a partition from 0 to \(options.snapshot.partitions - 1)")
    }
    try MergeOutput.check(options.publish.output, replace: false, system: control.system)
    // Before directories are made on the way.
    try Ownership.of(.output).checkOutside(options.publish.output, control.system)
    try control.system.makeDirectories(options.publish.output, doing: MergeJob.doing)
    var (summary, warning) = try Publication.run(
      "\(options.publish.output)/\(RunFiles.partition(partition, of: options.snapshot.partitions))",
      existing: .replace, owner: .of(.partition), control
    ) { staging throws(Failure) in
      try merge(partials, options, requests?.erasures ?? Erasures(), staging, clock)
    }
    summary.warning = warning
    return summary
  }

  private func merge(
    _ partials: PartialSet, _ options: RunOptions, _ requested: Erasures,
    _ staging: StagedDirectory, _ clock: StopWatch
  ) throws(Failure) -> MergeSummary {
    let context = try MergeContext(options, shards: options.read.jobs, in: staging)
    let previous = try PreviousPhase(
      options: options, erasures: requested, tool: tool, control: control,
      partitions: partition..<partition + 1
    ).run(into: context)
    var erasures = previous?.erasures ?? requested
    for partial in partials.partials { try partial.check(erasures) }
    erasures.note(partials.facts.tally.keptBack)
    for partial in partials.partials {
      try context.spills.add(try partial.spill(partition, names: context.names))
    }
    let selection = try InputSelection(
      inputs: partials.facts.outcomes, earlier: previous?.run?.manifest,
      reingest: options.merge.reingest)
    let runTotals = partials.facts.totals(in: context.names)
    if let failure = context.names.failure { throw failure }
    var sources = try MergeSources(
      context, previous: previous, read: runTotals,
      erasures: erasures, options: options.snapshot)
    sources.plan.notesPersons = true
    if previous?.snapshot == nil { sources.plan.persons = DirtyPersonFilter() }
    let names = sources.plan.names
    var publisher = SnapshotPublisher(
      sources, after: previous, staging: staging, options: options, control: control,
      draftOf: partition)
    try publisher.publishParts()
    try staging.remove(RunFiles.work)
    try write(partials, publisher, names, options, erasures, to: staging)
    if let previous { try write(previous, names, options, to: staging) }
    if let path = options.merge.previous {
      try NightBefore(path, totals: [], system: control.system).write(to: staging)
    }
    try writeManifest(partials, previous, selection, options, erasures, to: staging)
    return MergeSummary(
      partition: partition, partitions: options.snapshot.partitions,
      partials: partials.partials.count,
      repeated: partials.repeated, profiles: publisher.counted.lines,
      duplicates: publisher.counted.duplicates.total, seconds: clock.seconds)
  }

  /// Writes what is known beside the parts; the rejects of all partials go to partition 0.
  private func write(
    _ partials: PartialSet, _ publisher: SnapshotPublisher, _ names: SnapshotNames,
    _ options: RunOptions, _ erasures: Erasures, to staging: StagedDirectory
  ) throws(Failure) {
    var facts = partials.facts
    facts.tally.forget(erasures, keys: options.read.rules.foreign.identityKeys)
    let text = facts.json()
    try staging.folder.write(text.view, to: RunFiles.facts, lines: 1)
    let tally = PartitionTally(publisher.counted, partition: partition, names).json()
    try staging.folder.write(tally.view, to: RunFiles.tally, lines: 1)
    if !publisher.persons.isEmpty {
      var filter = ByteBuffer()
      publisher.persons.append(to: &filter)
      var frame = ByteBuffer()
      try ZstdEncoder(level: 1).compress(filter.view, into: &frame)
      try staging.folder.write(frame.view, to: RunFiles.persons, lines: 0)
    }
    if partition == 0 {
      let writer = try SeekableTextWriter(
        staging.folder.create(RunFiles.rejects), level: options.publish.level)
      let redaction =
        erasures.isEmpty
        ? nil : RejectRedaction(erasures, keys: options.read.rules.foreign.identityKeys)
      try partials.writeRejects(to: writer, without: redaction)
      try writer.finish()
    }
  }

  /// Writes the totals of the state that the run goes on from, wherever they stood in it.
  private func write(
    _ previous: PreviousState, _ names: SnapshotNames,
    _ options: RunOptions, to staging: StagedDirectory
  ) throws(Failure) {
    var totals = EventTotals()
    var tally = SnapshotTally()
    for total in previous.totals {
      totals.merge(total)
      if previous.snapshot != nil { tally.add(total.profiles, total.name) }
    }
    var text = ByteBuffer()
    StateTotals.append(
      totals, tally, names, partitions: options.snapshot.partitions,
      erasures: previous.earlierErasures,
      to: &text)
    let writer = try SeekableTextWriter(
      staging.folder.create(RunFiles.previousTotals), level: options.publish.level)
    try writer.append(text.view)
    try writer.finish()
  }

  private func writeManifest(
    _ partials: PartialSet, _ previous: PreviousState?, _ selection: InputSelection,
    _ options: RunOptions, _ erasures: Erasures, to staging: StagedDirectory
  ) throws(Failure) {
    try Manifest.write(
      kind: "eventmill_partition", version: PartialManifest.formatVersion, tool: tool,
      inputs: partials.facts.outcomes, selection: selection, to: staging
    ) { json in
      json.object("options") { json in options.write(erasures, to: &json) }
      Manifest.write(previous: previous?.run?.stateHashes ?? [], to: &json)
      json.member("partition", partition)
    }
  }
}

/// What the command line says at the end of a merge.
package struct MergeSummary: Sendable {
  package let partition: Int
  package let partitions: Int
  /// Partials that were merged.
  package let partials: Int
  /// Partials that were named more than once.
  package let repeated: Int
  /// Profiles in the partition.
  package let profiles: Int
  /// Events that more than one partial, or an earlier night, delivered.
  package let duplicates: Int
  /// Wall-clock seconds.
  package let seconds: Double
  /// What went wrong after the partition was published.
  package fileprivate(set) var warning: Failure?
}
