import Pipeline
import Stages

/// All sources of a snapshot, once everything is read.
struct MergeSources {
  var plan: MergePlan
  /// The totals of the run and of the state it continues; duplicates count as events.
  let totals: EventTotals
  /// The duplicates found so far.
  let duplicates: DuplicateTally

  /// Takes what the shards have collected. `read` are the totals of the events that the run has
  /// read, and `erasures` the marks, if there are more than in the state.
  ///
  /// - Throws: `io`, when temporary files cannot be written.
  init(
    _ context: MergeContext, previous: PreviousState?, read: EventTotals = EventTotals(),
    erasures: Erasures? = nil, options: SnapshotOptions
  ) throws(Failure) {
    let (names, spills, shards) = (context.names, context.spills, context.shards)
    var totals = read
    if let known = previous?.known { totals.merge(known) }
    try Self.check(&totals.days, options)
    let logs = try KeyLogs(shards, jobs: shards.count)
    var duplicates = logs.duplicates
    duplicates.merge(spills.duplicates)
    self.totals = totals
    self.duplicates = duplicates
    var plan = MergePlan(
      logs: logs, spills: spills.files, previous: previous?.snapshot,
      names: SnapshotNames(names), runNames: names, options: options,
      oldestID: options.oldestID(newest: totals.readDays.newest))
    plan.notesPersons = previous?.snapshot != nil
    plan.erasures = erasures ?? previous?.erasures ?? Erasures()
    self.plan = plan
  }

  /// Removes days that are not wanted.
  ///
  /// - Throws: `limit`, when there are too many that are.
  private static func check(
    _ days: inout EventDays, _ options: SnapshotOptions
  ) throws(Failure) {
    guard options.withDays else { return days.forget() }
    guard days.isOverfull() else { return }
    throw Failure(
      .limit, doing: "counting events by name and day",
      why: "there are more than \(EventDays.most) pairs of a name and a day",
      advice: ["find out whether names contain ids", "omit days with --no-days"])
  }
}

extension MergeContext {
  /// Merges everything with the state of an earlier run, and writes profiles, state, counts. `read`
  /// and `erasures` are those of ``MergeSources``. A copy has no changes.
  ///
  /// - Throws: as ``SnapshotPublisher/publish()``.
  func publishSnapshot(
    after previous: PreviousState?, read: EventTotals = EventTotals(), erasures: Erasures? = nil,
    options: RunOptions, isCopy: Bool = false, to staging: StagedDirectory,
    _ control: JobControl
  ) throws(Failure) -> PublishedSnapshot {
    let sources = try MergeSources(
      self, previous: previous, read: read, erasures: erasures, options: options.snapshot)
    var publisher = SnapshotPublisher(
      sources, after: previous, staging: staging, options: options, control: control,
      isCopy: isCopy)
    let snapshot = try publisher.publish()
    try staging.remove(RunFiles.work)
    return snapshot
  }
}
