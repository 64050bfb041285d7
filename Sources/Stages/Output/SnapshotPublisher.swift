import Pipeline

/// What publishing a snapshot wrote and counted.
struct PublishedSnapshot {
  let files: [WrittenFile]
  /// Profiles published.
  let profiles: Int
  /// Event names in the totals.
  let eventNames: Int
  /// Attributes of which only the first items were published (SPEC 8.1).
  let arrayOverflow: Int
  /// Events of this run that the totals per name counted: what the ledger calls accepted.
  let accepted: Int
  /// How long rendering and compressing took.
  let time: StageTime
}

/// Writes profiles, state and counts of a planned snapshot into a staging directory (SPEC 9).
///
/// Pieces are rendered and compressed in parallel and appended in order; frames are cut by content
/// only, so the bytes do not depend on the number of threads.
struct SnapshotPublisher {
  /// Keys that are rendered as one piece of work.
  static let keysPerPiece = 512

  let plan: SnapshotPlan
  let staging: StagedDirectory
  let partitions: Int
  let level: Int
  let jobs: Int
  let control: JobControl

  init(
    plan: SnapshotPlan, staging: StagedDirectory, options: RunOptions, control: JobControl
  ) {
    self.plan = plan
    self.staging = staging
    partitions = options.partitions
    level = options.level
    jobs = options.jobs
    self.control = control
  }

  /// Writes everything.
  ///
  /// - Throws: `io` when the disk is full or cannot be written; whatever the job was cancelled with.
  func publish() throws(Failure) -> PublishedSnapshot {
    try staging.makeDirectory(RunFiles.profiles)
    try staging.makeDirectory(RunFiles.state)
    var files: [WrittenFile] = []
    var tally = SnapshotTally()
    var time = StageTime(name: "publish")
    for partition in 0..<partitions {
      let part = try write(partition)
      files += part.files
      tally.merge(part.tally)
      time.add(part.time)
    }
    files += try writeCounts(tally)
    return PublishedSnapshot(
      files: files, profiles: tally.lines, eventNames: countLines(tally).order.count,
      arrayOverflow: tally.arrayOverflow, accepted: plan.totals.accepted, time: time)
  }

  private func countLines(_ tally: SnapshotTally) -> EventCountLines {
    EventCountLines(plan.totals, names: plan.eventNames, profiles: tally)
  }

  private func writeCounts(_ tally: SnapshotTally) throws(Failure) -> [WrittenFile] {
    let lines = countLines(tally)
    let count = lines.order.count
    var text = ByteBuffer()
    lines.appendJSON(to: &text)
    let json = try staging.folder.write(text.view, to: RunFiles.countsJSON, lines: count)
    text.removeAll()
    lines.appendCSV(to: &text)
    let csv = try staging.folder.write(text.view, to: RunFiles.countsCSV, lines: count + 1)
    return [json, csv]
  }

  private func write(
    _ partition: Int
  ) throws(Failure) -> (files: [WrittenFile], tally: SnapshotTally, time: StageTime) {
    let sink = FrameSink(
      profiles: try create(partition, in: RunFiles.profiles),
      state: try create(partition, in: RunFiles.state))
    var lanes: [RenderLane] = []
    for _ in 0..<jobs { lanes.append(RenderLane(try ZstdEncoder(level: level))) }
    let pieces = plan.pieces(partition: partition, of: SnapshotPublisher.keysPerPiece)
    let flow = Flow(
      FlowPlan<FrameUnit>(
        fill: { unit throws(Failure) in unit.begin(of: pieces.count) },
        lanes: lanes.map { [plan] lane in
          { unit in lane.render(pieces[unit.sequence], of: plan, into: unit) }
        },
        shards: [],
        finish: { unit throws(Failure) in try sink.take(unit) }),
      pool: UnitPool(size: 2 * jobs + 1) { FrameUnit() })
    try control.run(flow)
    var time = StageTime(name: "publish")
    for lane in lanes { time.add(lane.time) }
    return (try sink.finish(), sink.tally, time)
  }

  private func create(_ partition: Int, in folder: String) throws(Failure) -> OutputFile {
    try staging.folder.create(RunFiles.part(partition, of: partitions, in: folder))
  }
}
