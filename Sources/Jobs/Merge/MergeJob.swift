package import Pipeline
import Stages

/// Does one step of merging a partition of partials and a previous output, for ``FinishJob`` to
/// continue from (`eventmill cluster merge`).
///
/// ```
/// installations   of every partition p: part with them, memberships for each person's partition
/// unchanged       of every p, after a previous output: memberships whose people have changed
/// people          of every q: people of q + memberships from all p + installations of q: the part
/// ```
/// A part is final: byte for byte what a run writes.
package struct MergeJob {
  private static let doing = "merging a partition into"

  private var options: RunOptions
  private let step: MergeStep
  private let partition: Int
  private let control: JobControl

  /// A job that does `step` for `partition` of the partials that are the inputs of `options`.
  package init(_ options: RunOptions, _ step: MergeStep, partition: Int, control: JobControl) {
    (self.options, self.step, self.partition, self.control) = (options, step, partition, control)
  }

  /// Whether the step has been done for the partition, with the same partials, options and previous
  /// output; always false without `--if-same`.
  package func isPublished() throws(Failure) -> Bool {
    guard options.publish.acceptsSame else { return false }
    let (partials, job) = try open()
    guard let made = try? PartitionDirectory(job.path, system: control.system) else { return false }
    let erasures = try ErasurePhase(options: job.options, control: control).marks()
    let previous = try options.openPrevious(control.system)
    let facts = job.facts(of: partials, without: erasures)
    return made.manifest.isMade(like: job.manifest(erasures, after: previous, facts))
  }

  private func manifest(
    _ erasures: Erasures, after previous: Output?, _ facts: borrowing ByteBuffer
  ) -> Manifest {
    var manifest = Manifest(.partition, by: control.tool, options.recorded(erasures))
    manifest.previousState = previous?.stateHashes ?? []
    manifest.facts = .hash(XXH64.hash(facts.view))
    return manifest
  }

  /// The partials, and this job with their options.
  private func open() throws(Failure) -> (PartialSet, MergeJob) {
    let partials = try PartialSet(options.read.inputs, system: control.system)
    guard let first = partials.partials.first else {
      preconditionFailure("the command line has made sure of a partial")
    }
    for partial in partials.partials {
      try partial.manifest.check(control.tool, path: partial.path)
    }
    var job = self
    job.options = try options.taking(first.manifest, path: first.path)
    let count = job.options.snapshot.partitions
    guard partition < count else {
      throw PartialSet.refusal(
        first.path,
        "it has \(NumberFormat.count(count, "partition")), so partition \(partition) does not exist",
        "name a partition from 0 to \(count - 1)")
    }
    return (partials, job)
  }

  /// The output directory of the step.
  private var path: String {
    "\(options.publish.output)/\(step.directory(partition, of: options.snapshot.partitions))"
  }

  private func facts(of partials: PartialSet, without erasures: Erasures) -> ByteBuffer {
    var facts = partials.facts
    facts.tally.forget(erasures, keys: options.read.rules.foreign.identityKeys)
    return facts.text()
  }

  /// Does the step and publishes the result in a directory of its own in `--out`.
  /// - Throws: why nothing was published; see `Failure.Kind`.
  package func run() throws(Failure) -> MergeSummary {
    let clock = StopWatch()
    control.plan([.merging, .publishing])
    let (partials, job) = try open()
    let requests = try ErasurePhase(options: job.options, control: control).requests()
    try MergeOutput.check(options.publish, before: step, control.system)
    // Before any directory is made.
    try Ownership.of(.output).checkOutside(options.publish.output, control.system)
    if step == .installations {
      try control.system.makeDirectories(options.publish.output, doing: Self.doing)
    } else {
      try MergedPartitions.checkPresence(options.publish.output, control.system)
    }
    var publish = options.publish
    (publish.output, publish.replace) = (job.path, true)
    var (summary, warning) = try Publication.run(publish, as: .of(.partition), control) {
      staging throws(Failure) in
      try job.merge(partials, requests?.erasures ?? Erasures(), staging, clock)
    }
    summary.warning = warning
    return summary
  }

  private func merge(
    _ partials: PartialSet, _ requested: Erasures, _ staging: StagedDirectory, _ clock: StopWatch
  ) throws(Failure) -> MergeSummary {
    let context = try MergeContext(
      options, sections: step.sections, shards: options.read.jobs, in: staging)
    let previous = try PreviousPhase(
      options: options, erasures: requested, control: control, partition: partition,
      sections: step.sections
    ).run(into: context)
    let erasures = previous?.erasures ?? requested
    for partial in partials.partials { try partial.check(erasures) }
    try partials.checkOptOuts(after: previous?.run?.manifest)
    for partial in partials.partials {
      try context.spills.add(try partial.spill(partition, names: context.names))
    }
    let read = partials.facts.counts(in: context.names).totals
    if let failure = context.names.failure { throw failure }
    let sources = try MergeSources(
      context, previous: previous, read: read, erasures: erasures, options: options.snapshot)
    let names = sources.plan.names
    let facts = facts(of: partials, without: erasures)
    var manifest = manifest(erasures, after: previous?.run, facts)
    var publisher = SnapshotPublisher(
      sources, after: previous, staging: staging, options: options, control: control,
      partition: partition)
    try publish(
      with: &publisher, manifest, context.names, isCopied: previous?.snapshot != nil, to: staging)
    try staging.remove(RunFiles.work)
    let tally = PartitionTally(publisher.tally, step, partition: partition, names).text()
    try staging.folder.write(tally.view, to: RunFiles.tally, lines: 1)
    // Only one of the partitions lists the inputs.
    if step == .installations, partition == 0 {
      let selection = try InputSelection(
        inputs: partials.facts.outcomes, alreadyRead: partials.facts.alreadyRead,
        earlier: previous?.run?.manifest, reingest: options.merge.reingest)
      manifest.inputs = partials.facts.outcomes.map(ManifestInput.init)
      manifest.alreadyRead = selection.alreadyRead
      manifest.earlierInputs = selection.earlier.inputs
      try staging.folder.write(facts.view, to: RunFiles.facts, lines: 1)
      try writeRejects(partials, erasures, to: staging)
      if let previous { try write(previous, names, to: staging) }
    }
    try manifest.write(to: staging)
    return MergeSummary(
      partitions: options.snapshot.partitions,
      partials: partials.partials.count, repeated: partials.repeated,
      profiles: publisher.tally.lines, duplicates: publisher.tally.duplicates.total,
      lines: partials.facts.tally.total.lines, bytes: partials.facts.outcomes.decompressedBytes,
      seconds: clock.seconds)
  }

  /// Writes the files of the step; `isCopied` is whether unchanged keys are copied.
  private func publish(
    with publisher: inout SnapshotPublisher, _ manifest: Manifest, _ names: RunNames,
    isCopied: Bool, to staging: StagedDirectory
  ) throws(Failure) {
    func merged(_ steps: [MergeStep]) throws(Failure) -> MergedPartitions {
      try MergedPartitions(
        in: [options.publish.output], steps, of: manifest, system: control.system)
    }
    switch step {
    case .installations:
      try write(try publisher.publishInstallations(), names, to: staging)
      if isCopied { try write(publisher.plan.persons, to: staging) }
    case .unchanged:
      let people = try merged([.installations]).persons()
      try write(try publisher.unchangedInstallations(of: people), names, to: staging)
    case .people:
      let merged = try merged(isCopied ? [.installations, .unchanged] : [.installations])
      let memberships = publisher.makeMemberships()
      for file in try merged.members(for: partition) { try memberships?.add(file) }
      try memberships?.sort()
      try publisher.publishPeople(
        isCopied ? merged.persons() : DirtyPersonFilter(), with: memberships,
        before: merged[.installations][partition].part(),
        changes: merged[.installations][partition].changes())
    }
  }

  /// Writes installations that fold into people: a file for each partition with such people.
  private func write(
    _ memberships: Memberships?, _ names: RunNames, to staging: StagedDirectory
  ) throws(Failure) {
    try memberships?.write(names, level: options.publish.level) { person throws(Failure) in
      try staging.folder.create(RunFiles.members(person, of: options.snapshot.partitions))
    }
  }

  /// Writes the people whose profiles may have changed.
  private func write(_ persons: DirtyPersonFilter, to staging: StagedDirectory) throws(Failure) {
    var filter = ByteBuffer()
    persons.append(to: &filter)
    try staging.folder.write(filter.view, to: RunFiles.persons, lines: 0)
  }

  private func writeRejects(
    _ partials: PartialSet, _ erasures: Erasures, to staging: StagedDirectory
  ) throws(Failure) {
    let writer = try SeekableTextWriter(
      staging.folder.create(RunFiles.rejects), level: options.publish.level)
    let redaction =
      erasures.isEmpty
      ? nil : RejectRedaction(erasures, keys: options.read.rules.foreign.identityKeys)
    let sources = partials.partials.map { partial in
      RejectsMerge.Source(inputs: partial.inputs) { () throws(Failure) in try partial.rejects() }
    }
    try RejectsMerge.write(sources, to: writer, without: redaction)
    try writer.finish()
  }

  /// Writes the data of the previous output: its totals and an extract of its report.
  private func write(
    _ previous: PreviousState, _ names: SnapshotNames, to staging: StagedDirectory
  ) throws(Failure) {
    var (totals, tally) = (EventTotals(), SnapshotTally())
    totals.merge(previous.known)
    if previous.snapshot != nil { previous.addCounts(to: &tally) }
    try PublishedCounts(
      totals: totals, tally: tally, names: names, partitions: options.snapshot.partitions,
      daysFrom: previous.known.daysFrom, erasures: previous.known.erasures
    ).write(
      .totals, as: RunFiles.previousTotals, to: staging.folder, level: options.publish.level)
    if let path = options.merge.previous {
      try NightBefore(path, totals: [], system: control.system).write(to: staging)
    }
  }
}

package struct MergeSummary: Sendable {
  package let partitions: Int
  package let partials: Int
  /// Partials that were named repeatedly.
  package let repeated: Int
  package let profiles: Int
  /// Events delivered by more than one partial, or by an earlier night.
  package let duplicates: Int
  package let lines: Int
  /// Decompressed bytes of the logs of the partials.
  package let bytes: Int
  package let seconds: Double
  /// A problem after the partition was published.
  package fileprivate(set) var warning: Failure?
}
