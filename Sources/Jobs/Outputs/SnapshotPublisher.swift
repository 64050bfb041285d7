import Pipeline
import Stages

/// What publishing a snapshot wrote and counted.
struct PublishedSnapshot {
  /// Profiles published.
  let profiles: Int
  /// Event names in the totals.
  let eventNames: Int
  /// Attributes of which only the first items were published, of the profiles that were not copied
  /// (data-model 13.1).
  let arrayOverflow: Int
  /// Event registers that an erase mark took although they reach beyond it (data-model 13.6).
  let erasedStraddling: Int
  /// What was erased for the requests of this run, by their numbers (data-model 13.6).
  var erased: [Int: ErasedParts] = [:]
  /// Installations that erased people leave behind, by request.
  var installationsLeft: LeftInstallations = [:]
  /// Events of this run that the totals per name counted: what the ledger calls accepted.
  let accepted: Int
  /// Events that were delivered before.
  let duplicates: DuplicateTally
  /// How long merging, rendering and compressing took.
  let time: StageTime
}

/// Merges all sources into a snapshot, and writes profiles, state and counts into a staging
/// directory (data-model 13, docs/file-formats.md).
///
/// ```
/// 1. installations     state, profiles of those without a link; who folds into whom
/// 2. untouched ones    of people whose profiles may change    (only with a previous snapshot)
/// 3. people            state, profiles with their installations
/// 4. totals, counts
/// ```
/// Pieces are rendered and compressed in parallel and appended in order; frames are cut by content
/// only, so the bytes do not depend on the number of threads. In a part installations stand behind
/// people, so what comes out of the first step waits in segments.
struct SnapshotPublisher {
  private var plan: MergePlan
  private let staging: StagedDirectory
  private let options: RunOptions
  private let control: JobControl
  /// The totals of everything that was read, and of the state it goes on from.
  private var totals: EventTotals
  private var tally = SnapshotTally()
  private var time = StageTime(name: "publish")

  /// The partitions that are published.
  private let partitions: Range<Int>
  private let progress: MergeProgress
  /// Whether installations are not folded into people: other partitions may hold some of them.
  private let isDraft: Bool
  /// The people whose profiles may have changed, once everything is published.
  private(set) var persons = DirtyPersonFilter(words: 1)
  /// What was counted; final when everything is published.
  var counted: SnapshotTally { tally }

  /// A publisher of `sources`, among them the state `previous`. With `draftOf` only that partition
  /// is published, as a draft.
  init(
    _ sources: MergeSources, after previous: PreviousState?, staging: StagedDirectory,
    options: RunOptions, control: JobControl, draftOf partition: Int? = nil
  ) {
    tally = previous?.erased ?? SnapshotTally()
    partitions = partition.map { $0..<$0 + 1 } ?? 0..<options.partitions
    isDraft = partition != nil
    progress = MergeProgress(partitions: partitions.count, control)
    (plan, totals) = (sources.plan, sources.totals)
    self.staging = staging
    self.options = options
    self.control = control
    tally.duplicates.merge(sources.duplicates)
    // Profiles that are copied are not counted again.
    guard plan.previous != nil, !isDraft else { return }
    for total in previous?.totals ?? [] { tally.add(total.profiles, total.name) }
  }

  /// Writes everything.
  ///
  /// - Throws: `io` when the disk is full or cannot be written; `corrupt` when the previous
  ///   snapshot is; whatever the job was cancelled with.
  mutating func publish() throws(Failure) -> PublishedSnapshot {
    try publishParts()
    for (name, count) in tally.duplicates.names { totals.takeBack(count, name) }
    try writeTotals()
    let left = plan.erasures.left(of: tally)
    for (request, ids) in left {
      tally.erased[request, default: ErasedParts()].installationsLeft = ids.count
    }
    return PublishedSnapshot(
      profiles: tally.lines, eventNames: countLines.order.count,
      arrayOverflow: tally.arrayOverflow, erasedStraddling: tally.erasedStraddling,
      erased: tally.erased, installationsLeft: left, accepted: totals.accepted,
      duplicates: tally.duplicates, time: time)
  }

  /// Writes the parts of state and profiles, and counts.
  ///
  /// - Throws: as ``publish()``.
  mutating func publishParts() throws(Failure) {
    try staging.makeDirectory(RunFiles.profiles)
    try staging.makeDirectory(RunFiles.state)
    let memberships = plan.options.stitch == .first && !isDraft ? makeMemberships() : nil
    let sink = SnapshotSink(memberships, persons: plan.persons)
    var segments: [Int: PartTarget] = [:]
    let installations = try makeLanes()
    for partition in partitions {
      let segment = try makeSegment(partition)
      segments[partition] = segment
      try merge(.snapshot, partition, .install, installations, sink, into: segment)
      try segment.index.endFrame()
      try segment.seal()
    }
    plan.persons = sink.persons
    try addPersonsOfRun()
    if let memberships {
      if plan.previous != nil {
        let lanes = try makeLanes()
        for partition in partitions {
          try merge(.memberships, partition, .install, lanes, sink, into: nil)
        }
        collect(lanes)
      }
      try memberships.sort()
      plan.memberships = memberships
    }
    collect(installations)
    let people = try makeLanes()
    for (partition, segment) in segments.sorted(by: { $0.key < $1.key }) {
      try writePart(partition, people, sink, segment)
    }
    collect(people)
    persons = plan.persons
  }

  // MARK: - Steps

  private func makeLanes() throws(Failure) -> [SnapshotLane] {
    var lanes: [SnapshotLane] = []
    for _ in 0..<options.jobs { lanes.append(try SnapshotLane(plan, level: options.level)) }
    return lanes
  }

  /// Merges a section of a partition, and hands what comes out to `sink` and `target`, in order.
  private func merge(
    _ task: SnapshotLane.Task, _ partition: Int, _ section: KeySection,
    _ lanes: [SnapshotLane], _ sink: SnapshotSink, into target: PartTarget?
  ) throws(Failure) {
    let pieces = lanes[0].pieces(partition, section)
    let progress = progress
    progress.begin(section)
    let flow = try Flow(
      FlowPlan<SnapshotUnit>(
        fill: { unit throws(Failure) in unit.begin(of: pieces.count) },
        lanes: lanes.map { lane in
          { unit in lane.work(task, on: pieces[unit.sequence], into: unit) }
        },
        shards: [],
        finish: { unit throws(Failure) in
          try sink.take(unit, into: target)
          progress.finish(piece: unit.sequence, of: pieces.count)
        }),
      pool: UnitPool(size: 2 * options.jobs + 1) { SnapshotUnit() })
    try control.run(flow)
  }

  private mutating func collect(_ lanes: [SnapshotLane]) {
    for lane in lanes {
      tally.merge(lane.tally)
      time.add(lane.time)
    }
  }

  /// Whoever the run has something new of is among those whose profiles may have changed.
  private mutating func addPersonsOfRun() throws(Failure) {
    guard plan.previous != nil else { return }
    try plan.addPersons(partitions)
  }

  private func makeMemberships() -> Memberships {
    let limit = MemoryShare.memberships(options.memory)
    return Memberships(
      partitions: options.partitions,
      spills: SpillStore(
        in: staging.folder, directory: RunFiles.work, name: "fold", hasKeys: false,
        partitions: options.partitions, tableLimit: limit),
      limit: limit)
  }

  private func writePart(
    _ partition: Int, _ lanes: [SnapshotLane], _ sink: SnapshotSink, _ segment: PartTarget
  ) throws(Failure) {
    func create(_ path: String) throws(Failure) -> SeekableFile {
      SeekableFile(try staging.folder.create(path))
    }
    let profiles = try create(
      RunFiles.part(partition, of: options.partitions, in: RunFiles.profiles))
    let state = try create(RunFiles.part(partition, of: options.partitions, in: RunFiles.state))
    let index = try create(RunFiles.index(partition, of: options.partitions))
    let target = try PartTarget(state: state, profiles: profiles, index: index)
    try writeHeader(partition, to: target)
    for section in [KeySection.anonymous, .custom] {
      try merge(.snapshot, partition, section, lanes, sink, into: target)
      try target.index.endFrame()
    }
    try segment.move(to: target)
    for file in [profiles, state, index] { try file.finish() }
  }

  private func writeHeader(_ partition: Int, to target: PartTarget) throws(Failure) {
    var frames = SnapshotFrames()
    try frames.writeHeader(
      StateHeader(partition: partition, partitions: options.partitions),
      ZstdEncoder(level: options.level))
    try target.append(frames)
    try target.index.endFrame()
  }

  private func makeSegment(_ partition: Int) throws(Failure) -> PartTarget {
    let folder = staging.folder
    let mostKept = MemoryShare.segment(options.memory, partitions: options.partitions)
    func segment(_ name: String) -> FrameSegment {
      FrameSegment(mostKept: mostKept) { () throws(Failure) in
        try folder.create("\(RunFiles.work)/\(name)-\(partition)")
      }
    }
    return try PartTarget(
      state: segment("state"), profiles: segment("profiles"), index: segment("index"))
  }

  // MARK: - Totals

  private var countLines: EventCountLines {
    EventCountLines(totals, names: plan.names.events, profiles: tally)
  }

  private func writeTotals() throws(Failure) {
    let lines = countLines
    let count = lines.order.count
    var text = ByteBuffer()
    StateTotals.append(
      totals, tally, plan.names, partitions: options.partitions,
      erasures: plan.erasures.kept(newest: totals.newest, erased: tally.erased), to: &text)
    let writer = try SeekableTextWriter(
      staging.folder.create(RunFiles.totals), level: options.level)
    try writer.append(text.view)
    try writer.finish()
    text.removeAll()
    lines.appendJSON(to: &text)
    try staging.folder.write(text.view, to: RunFiles.countsJSON, lines: count)
    text.removeAll()
    lines.appendCSV(to: &text)
    try staging.folder.write(text.view, to: RunFiles.countsCSV, lines: count + 1)
  }
}

/// How much of a merge is done, by the pieces of its steps. A step begins when the flow of the one
/// before has ended; its pieces end on the flow's last queue.
private final class MergeProgress: @unchecked Sendable {
  // @unchecked because a step never begins while another one works.
  private let partitions: Int
  private let control: JobControl
  private var done = 0.0
  private var step = 0.0

  init(partitions: Int, _ control: JobControl) {
    (self.partitions, self.control) = (max(partitions, 1), control)
  }

  /// The step before has ended, and one of this section of a partition begins. Installations are
  /// looked through twice where there is a previous snapshot.
  func begin(_ section: KeySection) {
    done += step
    step =
      switch section {
      case .install: 0.15
      case .custom: 0.7
      case .anonymous: 0
      }
    report(0)
  }

  /// A piece of the step has ended, and all before it.
  func finish(piece: Int, of count: Int) { report(Double(piece + 1) / Double(count)) }

  private func report(_ share: Double) {
    control.report(merged: min(1, (done + step * share) / Double(partitions)))
  }
}

/// Takes what comes out of pieces, in order.
final class SnapshotSink: @unchecked Sendable {
  // @unchecked because only the flow's last queue calls it, and others when the flow has ended.
  private let memberships: Memberships?
  private(set) var persons: DirtyPersonFilter

  init(_ memberships: Memberships?, persons: DirtyPersonFilter) {
    self.memberships = memberships
    self.persons = persons
  }

  func take(_ unit: SnapshotUnit, into target: PartTarget?) throws(Failure) {
    if let failure = unit.failure { throw failure }
    if let target { try target.append(unit.frames) }
    for person in unit.persons { persons.insert(person) }
    try memberships?.add(unit.stable, copied: unit.copied)
  }
}
