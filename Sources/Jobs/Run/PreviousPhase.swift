import Pipeline
import Stages

/// The state that a run continues.
struct PreviousState {
  /// The output; nil for one without its own.
  let run: Output?
  /// The snapshot to copy from; nil when the state was read into the shards.
  let snapshot: [Int: SortedRun]?
  /// The contents of the state besides its keys.
  let known: StateTotals
  /// The keys whose data is suppressed: those in the state's list and in this run's requests.
  var erasures = Erasures()
  /// The figures of what was erased from the state before the merge.
  var erased = SnapshotTally()

  var totals: [StateTotal] { known.totals }

  /// Adds the counts of its profiles, for those that are copied.
  func addCounts(to tally: inout SnapshotTally) {
    for total in totals { tally.add(total.profiles, total.name) }
    tally.active.merge(known.active)
  }

  /// The first day from which a run that continues this state has counts by day. Nights without
  /// days (`--no-days`) only know how many events they read on each. Days that are far ahead are
  /// wrong clocks, and do not delay it.
  var daysFrom: Int {
    let days = known.readDays
    return known.daysFrom ?? days.sorted.last { days.likelyDays?.contains($0.number) == true }
      .map { $0.number + 1 } ?? 0
  }
}

/// Makes the state of an earlier run available to the merge.
struct PreviousPhase {
  let options: RunOptions
  /// The erasures requested from this run.
  var erasures = Erasures()
  let control: JobControl
  /// The only partition that is merged; nil for all of them.
  var partition: Int?
  var sections = KeySection.allCases

  /// Opens the previous output, if there is one, and reads into `shards` what cannot be copied.
  func run(into context: MergeContext) throws(Failure) -> PreviousState? {
    let (names, shards) = (context.names, context.shards)
    let partitions = options.partitions(partition)
    guard let run = try options.openPrevious(control.system) else { return nil }
    noteMappings(of: run)
    let totals = try run.totals(names)
    var all = erasures
    all.merge(totals.erasures)
    var snapshot: [Int: SortedRun]?
    var erased = SnapshotTally()
    if !erasures.hasNew, run.isCopyable(by: options, control.tool) {
      snapshot = try run.snapshot(partitions)
      if let snapshot, sections.contains(.anonymous) {
        try readAnonymousIDs(snapshot, names, into: shards[0])
      }
    } else {
      erased = try StateLoad(
        previous: try run.snapshot(0..<run.partitions), names: names,
        keepsIDs: options.snapshot.dedupeDays > 0, partitions: partitions,
        ofPartitions: options.snapshot.partitions, sections: sections, erasures: erasures
      ).run(into: shards, jobs: options.read.jobs, control: control)
    }
    if let failure = names.failure { throw failure.at(run.path) }
    return PreviousState(run: run, snapshot: snapshot, known: totals, erasures: all, erased: erased)
  }

  /// Notes that the night before used other mappings: its counts stay unchanged.
  private func noteMappings(of run: Output) {
    let (before, now) = (
      run.manifest.options["mapping"]?.text ?? "", options.read.rules.mappings.text
    )
    guard before != now, sections.contains(.custom) else { return }
    control.note(
      "\(run.path) was made \(before.isEmpty ? "without mappings" : "with the mappings \(before)"), "
        + "and this night \(now.isEmpty ? "has none" : "has \(now)"); its counts are kept")
  }

  /// Ids of anonymous events expire, so nothing that contains them can be copied.
  private func readAnonymousIDs(
    _ snapshot: [Int: SortedRun], _ names: RunNames, into shard: ProfileShard
  ) throws(Failure) {
    guard options.snapshot.dedupeDays > 0 else { return }
    let cursor = try RunCursor(names: names)
    let slice = StateSlice()
    for (_, part) in snapshot.sorted(by: { $0.key < $1.key }) {
      for stretch in part.stretches(.anonymous) {
        slice.removeAll()
        try cursor.begin(stretch: stretch, of: part)
        while try cursor.next() != nil { try cursor.whole(keepsIDs: true).append(to: &slice.bytes) }
        try shard.append(states: slice)
      }
    }
  }
}
