import Pipeline
import Stages

struct PublishedSnapshot {
  /// The counts of the profiles, of what was erased from them, and of duplicates.
  let tally: SnapshotTally
  let eventNames: Int
  /// The marks for later nights.
  var marks = Erasures()
  /// Events of this run in the totals per name, `accepted` in the ledger.
  let accepted: Int
  /// The events read by day, of this run and the state it continues.
  var readDays = ReadDays()
  /// The people of the newest days; empty without days.
  var people: [PeopleOfDay] = []
  /// The time of merging, rendering and compressing.
  let time: StageTime
}

struct PeopleOfDay {
  let day: Int
  /// Profiles with an event on it, and those of them whose first one it is.
  let active: Int
  let new: Int

  /// Days that reports show.
  private static let shown = 7

  /// Those of `active` on the newest days up to `newest`. Complexity: O(days of people).
  static func newest(of active: ActivePeople, upTo newest: Int) -> [PeopleOfDay] {
    let days = newest - shown + 1...newest
    var new: [Int: Int] = [:]
    for (first, counts) in active.cohortCounts where days.contains(first) {
      new[first] = counts.first { $0.0 == first }?.1
    }
    return active.counts(by: .days).filter { days.contains($0.0) }.map {
      PeopleOfDay(day: $0.0, active: $0.1, new: new[$0.0] ?? 0)
    }
  }
}

/// Merges all sources into a snapshot, and writes profiles, state and counts into a staging
/// directory (data-model 13, docs/reference/file-formats.md).
///
/// ```
/// 1. installations     state, profiles of those without a link; who folds into whom
/// 2. untouched ones    of people whose profiles may change    (only with a previous snapshot)
/// 3. people            state, profiles with their installations
/// 4. totals, counts
/// ```
/// Pieces are rendered and compressed in parallel and appended in order; frames are cut by content
/// only, so the bytes do not depend on the number of threads. In a part installations follow
/// people, so the result of the first step waits in segments.
struct SnapshotPublisher {
  private(set) var plan: MergePlan
  let staging: StagedDirectory
  let options: RunOptions
  let control: JobControl
  private var totals: EventTotals
  /// The counts; final when everything is published.
  private(set) var tally = SnapshotTally()
  private var time = StageTime(name: "publish")
  /// Whether changes are written while profiles are: those of the previous output are at hand.
  private let notesChanges: Bool
  /// The previous output, if changes are found by comparing finished parts with it.
  private let compared: Output?
  /// The day from which on everything is counted by day; nil without days.
  private let daysFrom: Int?

  private let partitions: Range<Int>

  /// Publishes all partitions, or one for ``MergeJob``.
  init(
    _ sources: MergeSources, after previous: PreviousState?, staging: StagedDirectory,
    options: RunOptions, control: JobControl, partition: Int? = nil, isCopy: Bool = false
  ) {
    tally = previous?.erased ?? SnapshotTally()
    partitions = options.partitions(partition)
    (plan, totals) = (sources.plan, sources.totals)
    self.staging = staging
    self.options = options
    self.control = control
    daysFrom = options.snapshot.withDays ? previous?.daysFrom ?? 0 : nil
    notesChanges = plan.previous != nil && !isCopy
    compared = plan.previous == nil && !isCopy ? previous?.run : nil
    tally.duplicates.merge(sources.duplicates)
    // Copied profiles are not counted again.
    if plan.previous != nil, partition == nil { previous?.addCounts(to: &tally) }
  }

  mutating func publish() throws(Failure) -> PublishedSnapshot {
    try publishParts()
    return try finish()
  }

  /// Writes totals and counts, and returns the result.
  private mutating func finish() throws(Failure) -> PublishedSnapshot {
    totals.takeBack(tally.duplicates)
    let marks = plan.erasures.kept(at: options.merge.moment, tally)
    let counts = PublishedCounts(
      totals: totals, tally: tally, names: plan.names, partitions: options.snapshot.partitions,
      daysFrom: daysFrom, erasures: marks)
    for file in counts.files {
      try counts.write(file, to: staging.folder, level: options.publish.level)
    }
    if let changes = tally.changes {
      tally.changes?.equal = tally.lines - changes.added - changes.changed
    }
    return PublishedSnapshot(
      tally: tally, eventNames: counts.lines.order.count, marks: marks, accepted: totals.accepted,
      readDays: totals.readDays, people: people, time: time)
  }

  private var people: [PeopleOfDay] {
    guard daysFrom != nil, let newest = totals.readDays.newest else { return [] }
    return PeopleOfDay.newest(of: tally.active, upTo: DayNumber.of(newest))
  }

  private mutating func publishParts() throws(Failure) {
    let memberships = makeMemberships()
    let sink = try begin(memberships)
    let installations = try options.lanes(of: plan)
    for partition in partitions {
      try sink.use { sink throws(Failure) in sink.segment = try makeSegment(partition) }
      try merge(.snapshot, partition, .install, installations, sink)
      try sink.use { sink throws(Failure) in try sink.endSegment(partition) }
    }
    try takePersons(of: sink)
    if let memberships {
      if plan.previous != nil { try mergeUnchanged(sink) }
      try memberships.sort()
      plan.memberships = memberships
    }
    collect(installations)
    let people = try options.lanes(of: plan)
    for partition in partitions { try writePart(partition, [.anonymous, .custom], people, sink) }
    collect(people)
  }

  // MARK: - One partition at a time

  /// Writes the part with its installations only, and returns the memberships. The people in the
  /// ``plan`` are then known as far as this partition knows.
  mutating func publishInstallations() throws(Failure) -> Memberships? {
    let memberships = makeMemberships()
    let sink = try begin(memberships)
    let lanes = try options.lanes(of: plan)
    for partition in partitions { try writePart(partition, [.install], lanes, sink) }
    try takePersons(of: sink)
    collect(lanes)
    try memberships?.sort()
    return memberships
  }

  /// The memberships of unchanged installations of `people` whose profiles may have changed.
  mutating func unchangedInstallations(
    of people: DirtyPersonFilter
  ) throws(Failure) -> Memberships? {
    plan.persons = people
    let memberships = makeMemberships()
    try mergeUnchanged(makeSink(memberships))
    try memberships?.sort()
    return memberships
  }

  private mutating func mergeUnchanged(_ sink: Exclusive<SnapshotSink>) throws(Failure) {
    let lanes = try options.lanes(of: plan)
    for partition in partitions { try merge(.memberships, partition, .install, lanes, sink) }
    collect(lanes)
  }

  /// Writes the whole part of the partition: its people, followed by `installations` unchanged.
  mutating func publishPeople(
    _ people: DirtyPersonFilter, with memberships: Memberships?, before installations: SortedRun,
    changes: PublishedChanges?
  ) throws(Failure) {
    (plan.persons, plan.memberships, plan.installations) = (people, memberships, installations)
    let sink = try begin(nil)
    let lanes = try options.lanes(of: plan)
    for partition in partitions {
      try writePart(partition, [.anonymous, .custom, .install], lanes, sink, changes: changes)
    }
    collect(lanes)
  }

  /// Writes the totals of parts that were published before, with their counts in `tally`.
  mutating func publishTotals(of tally: SnapshotTally) throws(Failure) -> PublishedSnapshot {
    try staging.makeDirectory(RunFiles.state)
    self.tally.merge(tally)
    return try finish()
  }

  // MARK: - Steps

  private func merge(
    _ task: SnapshotLane.Task, _ partition: Int, _ section: KeySection,
    _ lanes: [Exclusive<SnapshotLane>], _ sink: Exclusive<SnapshotSink>
  ) throws(Failure) {
    let pieces = try plan.pieces(partition, section)
    let readsCopies = sink.use { sink in
      sink.progress.begin(section, of: pieces.count)
      // A segment takes note of what is copied, and reads it when it is moved.
      return sink.segment == nil
    }
    let flow = Flow(
      units: options.read.jobs + 2, of: { SnapshotUnit(readsCopies: readsCopies) },
      cores: try control.cores(options.read.jobs),
      fill: { $0.sequence < pieces.count },
      lanes: lanes.map { lane in
        lane.part { lane in
          { unit throws(Failure) in try lane.work(task, on: pieces[unit.sequence], into: unit) }
        }
      },
      finish: sink.part { $0.take })
    try control.run(flow)
  }

  private mutating func collect(_ lanes: [Exclusive<SnapshotLane>]) {
    for (tally, time) in lanes.map({ lane in lane.use { ($0.tally, $0.time) } }) {
      self.tally.merge(tally)
      self.time.add(time)
    }
  }

  /// Takes the people whose profiles may have changed: those found, and all with new data.
  private mutating func takePersons(of sink: Exclusive<SnapshotSink>) throws(Failure) {
    plan.persons = sink.use { $0.persons }
    if plan.previous != nil { try plan.addPersons(partitions) }
  }

  private func begin(_ memberships: Memberships?) throws(Failure) -> Exclusive<SnapshotSink> {
    for folder in [RunFiles.profiles, RunFiles.state] { try staging.makeDirectory(folder) }
    if notesChanges { try staging.makeDirectory(RunFiles.changes) }
    return makeSink(memberships)
  }

  private func makeSink(_ memberships: Memberships?) -> Exclusive<SnapshotSink> {
    Exclusive(
      SnapshotSink(
        memberships, persons: plan.persons, MergeProgress(partitions: partitions.count, control)))
  }

  /// An empty collection of installations that fold into people; nil when none do.
  func makeMemberships() -> Memberships? {
    guard plan.options.stitch == .first else { return nil }
    let partitions = options.snapshot.partitions
    return Memberships(
      KeyLogOptions(
        partitions: partitions, limit: MemoryShare.memberships(options.read.memory),
        memory: options.read.memory / 2, in: staging.folder, directory: RunFiles.work,
        name: "members"),
      files: SpillStore(
        in: staging.folder, directory: RunFiles.work, name: "fold", hasKeys: false,
        names: plan.runNames, partitions: partitions),
      jobs: options.read.jobs)
  }

  private mutating func writePart(
    _ partition: Int, _ sections: [KeySection], _ lanes: [Exclusive<SnapshotLane>],
    _ sink: Exclusive<SnapshotSink>, changes: PublishedChanges? = nil
  ) throws(Failure) {
    try sink.use { sink throws(Failure) in sink.part = try makePart(partition) }
    for section in sections {
      try merge(.snapshot, partition, section, lanes, sink)
      try sink.use { sink throws(Failure) in try sink.part?.index.endFrame() }
    }
    try sink.use { sink throws(Failure) in
      if let changes { try sink.part?.append(changes) }
    }
    let segments = sink.use { $0.segments.removeValue(forKey: partition) } ?? []
    for (number, segment) in segments.enumerated() {
      if let segment, segment.count > 0 { try move(segment, number, sink) }
    }
    try sink.use { sink throws(Failure) in try sink.finishPart() }
    guard let compared, sections.contains(.custom) else { return }
    if partition == partitions.lowerBound { try staging.makeDirectory(RunFiles.changes) }
    tally.changes = try writeChanges(partition, after: compared).adding(tally.changes)
  }

  private func move(
    _ segment: SegmentFrames, _ number: Int, _ sink: Exclusive<SnapshotSink>
  ) throws(Failure) {
    let jobs = options.read.jobs
    let flow = Flow(
      units: 2 * jobs + 1, of: { SegmentUnit() }, cores: try control.cores(jobs),
      fill: { $0.sequence < segment.count },
      lanes: (0..<jobs).map { _ in Self.reader(of: segment) },
      finish: sink.part { sink in
        { unit throws(Failure) in try unit.append(to: sink.part, of: number) }
      })
    try control.run(flow)
  }

  private static func reader(of segment: SegmentFrames) -> FlowPart<SegmentUnit, Void> {
    { unit throws(Failure) in try unit.read(segment) }
  }

  /// The files of a part, with the header in them.
  private func makePart(_ partition: Int) throws(Failure) -> sending PartTarget<SeekableFile> {
    func create(_ path: String) throws(Failure) -> sending SeekableFile {
      SeekableFile(try staging.folder.create(path))
    }
    func part(in folder: String) throws(Failure) -> sending SeekableFile {
      try create(RunFiles.part(partition, of: options.snapshot.partitions, in: folder))
    }
    let target = try PartTarget(
      state: part(in: RunFiles.state), profiles: part(in: RunFiles.profiles),
      changes: notesChanges ? part(in: RunFiles.changes) : nil,
      index: create(RunFiles.index(partition, of: options.snapshot.partitions)))
    var frames = SnapshotFrames()
    try frames.writeHeader(
      StateHeader(partition: partition, partitions: options.snapshot.partitions),
      SnapshotEncoders(level: options.publish.level))
    try target.append(frames)
    try target.index.endFrame()
    return target
  }

  private func makeSegment(_ partition: Int) throws(Failure) -> sending PartTarget<FrameSegment> {
    let folder = staging.folder
    let mostKept = MemoryShare.segment(options.read.memory, partitions: options.snapshot.partitions)
    func segment(_ name: String) -> FrameSegment {
      FrameSegment(mostKept: mostKept) { () throws(Failure) in
        try folder.create("\(RunFiles.work)/\(name)-\(partition)", isTemporary: true)
      }
    }
    return try PartTarget(
      state: segment("state"), profiles: segment("profiles"),
      changes: notesChanges ? segment("changes") : nil, index: segment("index"))
  }
}

extension RunOptions {
  /// The partitions of a merge: one of them, or all.
  func partitions(_ one: Int?) -> Range<Int> { one.map { $0..<$0 + 1 } ?? 0..<snapshot.partitions }

  func lanes(of plan: MergePlan) throws(Failure) -> [Exclusive<SnapshotLane>] {
    try (0..<read.jobs).map { _ throws(Failure) in
      Exclusive(try SnapshotLane(plan, level: publish.level))
    }
  }
}

/// The progress of a merge, by the pieces of its steps.
struct MergeProgress {
  private let partitions: Int
  private let control: JobControl
  private var done = 0.0
  private var step = 0.0
  private var pieces = 0

  init(partitions: Int, _ control: JobControl) {
    (self.partitions, self.control) = (max(partitions, 1), control)
  }

  /// Begins a step; installations are read twice after a previous snapshot.
  mutating func begin(_ section: KeySection, of pieces: Int) {
    self.pieces = pieces
    done += step
    step = [.install: 0.15, .custom: 0.7][section] ?? 0
    report(0)
  }

  /// Marks a piece of the step, and all before it, as done.
  func finish(piece: Int) { report(Double(piece + 1) / Double(pieces)) }

  private func report(_ share: Double) {
    control.report(merged: min(1, (done + step * share) / Double(partitions)))
  }
}

final class SnapshotSink {
  private let memberships: Memberships?
  private(set) var persons: DirtyPersonFilter
  var progress: MergeProgress
  var segment: PartTarget<FrameSegment>?
  var part: PartTarget<SeekableFile>?
  /// By partition: the frames of its installations, until its part is written.
  var segments: [Int: [SegmentFrames?]] = [:]

  init(_ memberships: Memberships?, persons: DirtyPersonFilter, _ progress: MergeProgress) {
    (self.memberships, self.persons, self.progress) = (memberships, persons, progress)
  }

  func take(_ unit: SnapshotUnit) throws(Failure) {
    try segment?.append(unit.frames)
    try part?.append(unit.frames)
    for person in unit.persons { persons.insert(person) }
    try memberships?.add(unit.members)
    progress.finish(piece: unit.sequence)
  }

  func endSegment(_ partition: Int) throws(Failure) {
    segments[partition] = try segment?.finish()
    segment = nil
  }

  func finishPart() throws(Failure) {
    precondition(part != nil, "a part is finished once")
    try part?.finish()
    part = nil
  }
}
