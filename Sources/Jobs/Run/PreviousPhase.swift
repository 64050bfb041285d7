import Pipeline
import Stages

/// What a run goes on from.
struct PreviousState {
  /// The output; nil when it is not one of its own.
  let run: PreviousRun?
  /// What is copied from; nil when the state was read into the shards.
  let snapshot: PreviousSnapshot?
  /// What the state knows beside its keys.
  let known: StateTotals
  /// Whose data is suppressed: those that the state names, and those that this run was told.
  var erasures = Erasures()
  /// What was taken out of the state for them before anything else joined it.
  var erased = SnapshotTally()

  /// The totals of the state.
  var totals: [StateTotal] { known.totals }

  /// The day from which on a run that goes on from it knows everything by day: of nights without
  /// days (`--no-days`) the first and the last event of each name are known.
  var daysFrom: Int {
    known.daysFrom ?? totals.filter { !$0.total.seen.isNever }
      .map { DayNumber.of($0.total.seen.last) + 1 }.max() ?? 0
  }
}

/// Brings the state of an earlier run to where the merge finds it.
struct PreviousPhase {
  let options: RunOptions
  /// Whom this run was told to erase.
  var erasures = Erasures()
  let tool: ToolVersion
  let control: JobControl
  /// The partitions that are merged,
  var partitions: Range<Int>
  /// and the sections of them.
  var sections = KeySection.allCases

  /// Opens the previous output, if there is one, and reads into `shards` what is not copied.
  ///
  /// - Throws: `usage`, `corrupt`, `io`, as ``PreviousRun`` does.
  func run(into context: MergeContext) throws(Failure) -> PreviousState? {
    let (names, shards) = (context.names, context.shards)
    guard let path = options.merge.previous else { return nil }
    let run = try PreviousRun(path, system: control.system)
    noteMappings(of: run, path)
    let totals = try run.readTotals(names)
    var all = erasures
    all.merge(totals.erasures)
    var snapshot: PreviousSnapshot?
    var erased = SnapshotTally()
    if !erasures.hasNew, run.isCopyable(by: options, tool) {
      snapshot = try run.snapshot(partitions, jobs: options.read.jobs)
      if let snapshot, sections.contains(.anonymous) {
        try readAnonymousIDs(snapshot, names, into: shards[0])
      }
    } else {
      erased = try StateLoad(
        previous: try run.snapshot(0..<run.parts.count, jobs: options.read.jobs), names: names,
        keepsIDs: options.snapshot.dedupeDays > 0, partitions: partitions,
        ofPartitions: options.snapshot.partitions, sections: sections, erasures: erasures
      ).run(into: shards, jobs: options.read.jobs, control: control)
    }
    if let failure = names.failure { throw failure.at(path) }
    return PreviousState(
      run: run, snapshot: snapshot, known: totals, erasures: all, erased: erased)
  }

  /// Says that the night before was read with other mappings: its counts stay as they are.
  private func noteMappings(of run: PreviousRun, _ path: String) {
    let (before, now) = (
      run.manifest.option("mapping")?.text ?? "", options.read.rules.mappings.text
    )
    guard before != now, sections.contains(.custom) else { return }
    control.note(
      "\(path) was made \(before.isEmpty ? "without mappings" : "with the mappings \(before)"), "
        + "and this night \(now.isEmpty ? "has none" : "has \(now)"); what it counted stays")
  }

  /// Ids of anonymous events come and go, so that nothing of them can be copied.
  private func readAnonymousIDs(
    _ snapshot: PreviousSnapshot, _ names: RunNames, into shard: ProfileShard
  ) throws(Failure) {
    guard options.snapshot.dedupeDays > 0 else { return }
    let cursor = try RunCursor(names: names)
    let slice = StateSlice()
    for (_, part) in snapshot.parts.sorted(by: { $0.key < $1.key }) {
      for stretch in part.stretches(.anonymous) {
        slice.removeAll()
        try cursor.begin(stretch: stretch, of: part)
        while try cursor.next() != nil {
          try cursor.whole(keepsIDs: true).append(to: &slice.bytes)
        }
        try shard.merge(slice)
      }
    }
  }
}
