import Pipeline
import Stages

struct MergeSources {
  var plan: MergePlan
  /// The totals of the run and of the state it continues; duplicates count as events.
  let totals: EventTotals
  let duplicates: DuplicateTally

  /// Takes what the shards have collected; `read` are the totals of what the run has read.
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

  /// Removes days that are not wanted, and throws when too many are.
  private static func check(_ days: inout EventDays, _ options: SnapshotOptions) throws(Failure) {
    guard options.withDays else { return days.forget() }
    guard days.isOverfull() else { return }
    throw Failure(
      .limit, doing: "counting events by name and day",
      why: "there are more than \(EventDays.most) pairs of a name and a day",
      advice: ["find out whether names contain ids", "omit days with --no-days"])
  }
}

extension MergeContext {
  /// Merges everything with an earlier state, and writes it. A copy has no changes.
  func publishSnapshot(
    after previous: PreviousState?, read: EventTotals = EventTotals(), erasures: Erasures? = nil,
    options: RunOptions, isCopy: Bool = false, to staging: StagedDirectory, _ control: JobControl
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

/// The shared state of a merge.
struct MergeContext {
  let names: RunNames
  let spills: SpillStore
  let shards: [ProfileShard]
}

extension MergeContext {
  /// Creates the directory for temporary files in `staging`. Only keys of `sections` are merged.
  init(
    _ options: RunOptions, sections: [KeySection] = KeySection.allCases, shards count: Int,
    in staging: StagedDirectory
  ) throws(Failure) {
    try staging.makeDirectory(RunFiles.work)
    let names = RunNames(limit: options.read.maxNames)
    self.names = names
    spills = SpillStore(
      in: staging.folder, directory: RunFiles.work, sections: sections, names: names,
      partitions: options.snapshot.partitions)
    shards = ProfileShard.shards(
      count,
      KeyLogOptions(
        partitions: options.snapshot.partitions, limit: MemoryShare.logs(options.read.memory),
        memory: options.read.memory, in: staging.folder, directory: RunFiles.work))
  }
}

/// The shares of the parts of a run in its memory (`--memory`).
enum MemoryShare {
  /// Least bytes for units, decoders, encoders and the program itself.
  private static let fixed = 72 << 20
  /// Least bytes of logs in memory.
  private static let leastLogs = 2 << 20

  /// Bytes for chunks of logs (``KeyLog``), out of `memory` bytes, as below.
  static func logs(_ memory: Int) -> Int { max(leastLogs, (memory - fixed) / 4 * 3) }

  /// Bytes for a segment: there are four for each partition.
  static func segment(_ memory: Int, partitions: Int) -> Int {
    min(FrameSegment.mostKept, memory / 32 / partitions)
  }

  /// Bytes for the ids that `count` keeps, less those of the program and of `jobs` lanes.
  static func ids(_ memory: Int, jobs: Int) -> Int {
    max(memory / 4, memory - 28 << 20 - jobs * 2 << 20)
  }

  /// Bytes for installations that fold into people.
  static func memberships(_ memory: Int) -> Int { max(leastLogs, memory / 32) }
}
