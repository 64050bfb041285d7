import Pipeline
import Stages

/// One verification: the checks in order, and their findings.
struct Verification {
  var files: VerifiedFiles
  private(set) var profiles = 0

  /// The people who should be absent from the output.
  private let absent: AbsentIDs?

  private var output: String { files.output }
  private var jobs: Int { files.jobs }

  init(_ files: VerifiedFiles, absent: AbsentIDs? = nil) {
    self.files = files
    self.absent = absent
  }

  /// Runs all checks.
  ///
  /// - Throws: the failure that the job was cancelled with.
  mutating func run() throws(Failure) {
    guard let manifest = files.manifest(.output) else { return }
    guard let partitions = manifest.partitions else {
      return files.problems.add(RunFiles.manifest, .unclearPartitions)
    }
    let withDays = manifest.options["days"]?.bool ?? true
    let published = RunFiles.published(partitions: partitions, withDays: withDays)
    let listing = FolderCheck(
      output: output, kind: .output, manifest: manifest,
      required: published.map { manifest.path(of: $0.path) }.sortedByBytes,
      folders: [RunFiles.profiles, RunFiles.state])
    files.expect(listing.check(&files.problems))
    if let absent { try files.look(through: published, for: absent, manifest) }
    let counts = try checkCounts()
    var profileLines: [Int: Int] = [:]
    var folds: [FoldTally] = []
    let tallies = try checkProfiles(partitions, manifest, &profileLines, &folds)
    if let counts, let tallies { compare(tallies, with: counts) }
    let state = try checkState(partitions, manifest, profileLines, &folds)
    if let tallies, let state { compare(tallies, with: state.events) }
    let known = try checkTotals(partitions)
    if let counts, let known { compare(known.totals, with: counts) }
    if withDays, let known, let counts {
      try checkDays(known.days, counts, state?.active)
    }
    let rejects = try files.checkRejects(of: manifest.inputs)
    try files.compareOthers()
    guard let report = ReportCheck(in: output, manifest: manifest, problems: &files.problems) else {
      return
    }
    report.checkLedger(&files.problems)
    report.checkInputs(&files.problems)
    if let counts { report.checkCounts(counts, &files.problems) }
    if tallies != nil { report.checkProfiles(profiles, &files.problems) }
    if let rejects { report.checkRejects(rejects, &files.problems) }
    compare(folds)
  }

  /// Compares the installations that profiles list with those that fold according to the state,
  /// unless a problem of either explains a difference.
  private mutating func compare(_ folds: [FoldTally]) {
    let folders = [RunFiles.profiles, "\(RunFiles.state)/part"]
    let areSound = files.problems.reported.allSatisfy { problem in
      !folders.contains { problem.file.hasPrefix($0) }
    }
    guard folds.count == 2, folds[0] != folds[1], areSound else { return }
    files.problems.add(RunFiles.profiles, .otherFolds, folds[0].count, folds[1].count)
  }
}

// MARK: - Files

extension Verification {
  private mutating func checkCounts() throws(Failure) -> EventCounts? {
    guard files[RunFiles.countsJSON] != nil else { return nil }
    var counts = EventCounts()
    let json = try files.attempt(RunFiles.countsJSON) { this throws(Failure) in
      try counts.read(in: this.output, problems: &this.problems)
    }
    guard let json else { return nil }
    files.compare(RunFiles.countsJSON, json.facts, lines: json.lines)
    guard files[RunFiles.countsCSV] != nil else { return counts }
    let table = try files.attempt(RunFiles.countsCSV) { [counts] this throws(Failure) in
      try counts.compareTable(in: this.output, problems: &this.problems)
    }
    if let table { files.compare(RunFiles.countsCSV, table.facts, lines: table.lines) }
    return counts
  }

  /// Checks all parts of the profiles. Sets in `lines` the number of profiles of each. Returns
  /// their counts of each event name; nil when not all of them could be read.
  private mutating func checkProfiles(
    _ partitions: Int, _ manifest: Manifest, _ lines: inout [Int: Int],
    _ folds: inout [FoldTally]
  ) throws(Failure) -> [String: ProfileCheck.Tally]? {
    let lanes = try FrameLane.lanes(jobs) { ProfileCheck() }
    var isComplete = true
    for partition in 0..<partitions {
      let part = OutputPart(partition: partition, partitions: partitions)
      for lane in lanes { lane.use { $0.check.part = part } }
      let path = manifest.path(
        of: RunFiles.part(partition, of: partitions, in: RunFiles.profiles))
      if let outcome = try files.walk(path, lanes) {
        profiles += outcome.lines
        lines[partition] = outcome.lines
      } else {
        isComplete = false
      }
    }
    guard isComplete else { return nil }
    folds.append(
      lanes.reduce(into: FoldTally()) { folds, lane in folds.merge(lane.use { $0.check.folds }) })
    var tallies: [String: ProfileCheck.Tally] = [:]
    for lane in lanes {
      for (name, tally) in lane.use({ $0.check.tallies }) {
        tallies[name, default: .init()].add(tally)
      }
    }
    return tallies
  }

  /// Checks all parts of the state. Returns the active people according to its days, and the events
  /// of its keys by name; nil when not all of it could be read.
  private mutating func checkState(
    _ partitions: Int, _ manifest: Manifest, _ profileLines: [Int: Int],
    _ folds: inout [FoldTally]
  ) throws(Failure) -> (active: ActivePeople, events: [String: Int])? {
    let stitch = manifest.options["stitch"]?.text.flatMap(Stitch.init) ?? .first
    let lanes = try FrameLane.lanes(jobs) { StateCheck(stitch: stitch) }
    var isComplete = true
    for partition in 0..<partitions {
      let part = OutputPart(partition: partition, partitions: partitions)
      let profiles = manifest.path(
        of: RunFiles.part(partition, of: partitions, in: RunFiles.profiles))
      for lane in lanes {
        try lane.use { lane throws(Failure) in
          try lane.check.begin(part, profiles: "\(output)/\(profiles)")
        }
      }
      let path = manifest.path(of: RunFiles.part(partition, of: partitions, in: RunFiles.state))
      let index = try openIndex(
        manifest.path(of: RunFiles.index(partition, of: partitions)), beside: profiles)
      if try files.walk(path, lanes, index: index) == nil { isComplete = false }
      if let index {
        let lines = profileLines[partition]
        files.problems.add(
          index.use { index in
            index.finish(profiles: lines)
            return index.problems
          })
      }
    }
    guard isComplete else { return nil }
    folds.append(
      lanes.reduce(into: FoldTally()) { folds, lane in folds.merge(lane.use { $0.check.folds }) })
    return lanes.reduce(into: (ActivePeople(), [:])) { known, lane in
      let (active, events) = lane.use { ($0.check.active, $0.check.eventCounts) }
      known.active.merge(active)
      known.events.merge(events) { $0 &+ $1 }
    }
  }

  /// Compares the index of a part, whose profiles are in `profiles`, with its entry in the
  /// manifest, and opens it; nil without one.
  private mutating func openIndex(
    _ path: String, beside profiles: String
  ) throws(Failure) -> Exclusive<IndexCheck>? {
    guard files[path] != nil else { return nil }
    return try files.attempt(path) { this throws(Failure) in
      let facts = try FileHash(of: "\(this.output)/\(path)", doing: FrameWalk.doing)
      this.compare(path, facts, lines: 0)
      return Exclusive(try IndexCheck(this.output, path, beside: profiles))
    }
  }

  /// Checks the state's totals. Returns them; nil when they could not be read.
  private mutating func checkTotals(
    _ partitions: Int
  ) throws(Failure) -> (totals: [String: EventCount], days: DailyCounts)? {
    let lanes = try FrameLane.lanes(jobs) { TotalsCheck(partitions: partitions) }
    guard let outcome = try files.walk(RunFiles.totals, lanes) else { return nil }
    if outcome.lines == 0 { files.problems.add(RunFiles.totals, .noHeader) }
    return lanes.reduce(into: ([:], DailyCounts())) { known, lane in
      let (totals, days) = lane.use { ($0.check.totals, $0.check.days) }
      known.totals.merge(totals) { first, _ in first }
      known.days.merge(days)
    }
  }

  /// Checks the counts by day: those of events against `counts`, and those of people against the
  /// profiles, `active`, if all could be read; `known` are those of the state.
  private mutating func checkDays(
    _ known: DailyCounts, _ counts: EventCounts, _ active: ActivePeople?
  ) throws(Failure) {
    if let active { known.compare(active, with: .otherPeopleOfProfiles, &files.problems) }
    guard files[RunFiles.dailyCounts] != nil else { return }
    var days = DailyCounts()
    let file = try files.attempt(RunFiles.dailyCounts) { this throws(Failure) in
      try days.read(in: this.output, problems: &this.problems)
    }
    guard let file else { return }
    files.compare(RunFiles.dailyCounts, file.facts, lines: file.lines)
    days.compare(with: known, counts, &files.problems)
  }
}

// MARK: - Counts

extension Verification {
  private mutating func compare(
    _ tallies: [String: ProfileCheck.Tally], with counts: EventCounts
  ) {
    for name in counts.names {
      let reported = counts.counts[name]?.profiles ?? 0
      let found = tallies[name] ?? ProfileCheck.Tally()
      if reported != found.profiles {
        files.problems.add(
          RunFiles.countsJSON, .otherProfilesOfEvent, name, reported, found.profiles)
      }
      // Anonymous events are in no profile.
      if let count = counts.counts[name]?.count, count < found.events {
        files.problems.add(
          RunFiles.countsJSON, .fewerThanInProfiles, name, count, found.events)
      }
    }
    for name in tallies.keys.sorted() where counts.counts[name] == nil {
      files.problems.add(RunFiles.countsJSON, .lacksNameOfProfiles, name)
    }
  }

  /// Compares the events of profiles with those of the states of their keys.
  private mutating func compare(
    _ tallies: [String: ProfileCheck.Tally], with states: [String: Int]
  ) {
    for name in Set(tallies.keys).union(states.keys).sorted() {
      let (found, told) = (tallies[name]?.events ?? 0, states[name] ?? 0)
      if found != told {
        files.problems.add(RunFiles.profiles, .otherEventsOfState, found, name, told)
      }
    }
  }

  private mutating func compare(_ totals: [String: EventCount], with counts: EventCounts) {
    for name in counts.names {
      guard let count = counts.counts[name] else { continue }
      guard let total = totals[name] else {
        files.problems.add(RunFiles.countsJSON, .noTotals, name)
        continue
      }
      if !total.agrees(with: count) {
        files.problems.add(RunFiles.countsJSON, .otherTotals, name)
      }
    }
    for name in totals.keys.sorted() where counts.counts[name] == nil {
      files.problems.add(RunFiles.countsJSON, .lacksNameOfState, name)
    }
  }
}
