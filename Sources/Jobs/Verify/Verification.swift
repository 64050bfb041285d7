import Pipeline
import Stages

/// One verification: the checks in order, and their findings.
struct Verification {
  private let kind: OutputKind
  var files: VerifiedFiles
  private(set) var profiles = 0
  /// The findings in its logs.
  var found: [CanonicalLogs.Log] = []
  /// The people who should be absent from it.
  let absent: AbsentIDs?
  /// The zstd level for writing logs of an archive again; nil to skip that.
  var level: Int?
  /// Counts the events of logs, if needed.
  var counting: EventCounting?

  private var output: String { files.output }
  private var jobs: Int { files.jobs }

  /// A verification of `files`, which should be of the kind `kind`.
  init(_ files: VerifiedFiles, _ kind: OutputKind, absent: AbsentIDs? = nil) {
    (self.files, self.kind, self.absent) = (files, kind, absent)
  }

  /// Runs all checks.
  ///
  /// - Throws: the failure that the job was cancelled with; as ``CanonicalLogs/run(_:)``.
  mutating func run() throws(Failure) {
    guard let manifest = files.manifest(kind) else { return }
    switch kind {
    case .migration:
      try checkLogs(manifest, in: [ArchiveFiles.losses, ArchiveFiles.rejects])
    case .redrive:
      try checkLogs(manifest, in: [RunFiles.redriven, ArchiveFiles.losses, ArchiveFiles.rejects])
    case .export:
      list(manifest, manifest.files.map(\.path))
      try files.compareOthers()
    default: try checkOutput(manifest)
    }
  }

  /// Compares the files with those that the manifest lists.
  mutating func list(
    _ manifest: Manifest, _ required: [String], optional: [String] = [], folders: [String] = []
  ) {
    let listing = FolderCheck(
      output: output, kind: kind, manifest: manifest, required: required, optional: optional,
      folders: folders)
    files.expect(listing.check(&files.problems))
  }

  /// Reads the report and checks it by `body`.
  mutating func checkReport(
    _ manifest: Manifest, _ body: (ReportCheck, inout VerifiedFiles) throws(Failure) -> Void
  ) throws(Failure) {
    let report = ReportCheck(in: output, manifest: manifest, problems: &files.problems)
    if let report { try body(report, &files) }
  }

  private mutating func checkOutput(_ manifest: Manifest) throws(Failure) {
    guard let partitions = manifest.partitions else {
      return files.problems.add(RunFiles.manifest, .unclearPartitions)
    }
    let withDays = manifest.options["days"]?.bool ?? true
    let published = RunFiles.published(partitions: partitions, withDays: withDays)
    list(
      manifest, published.map { manifest.path(of: $0.path) }.sortedByBytes,
      folders: [RunFiles.profiles, RunFiles.state])
    if let absent { try files.look(through: published, for: absent, manifest) }
    var profileLines: [Int: Int] = [:]
    var folds: [FoldTally] = []
    let tallies = try checkProfiles(partitions, manifest, &profileLines, &folds)
    let state = try checkState(partitions, manifest, profileLines, &folds)
    if let tallies, let state { compare(tallies, with: state.events) }
    let counts = try readTotals()
    if let counts, let tallies { counts.compare(tallies, &files.problems) }
    try counts?.compare(
      &files, partitions: partitions, withDays: withDays, active: state?.active)
    let rejects = try files.checkRejects(of: manifest)
    try files.compareOthers()
    let profiles = tallies == nil ? nil : profiles
    try checkReport(manifest) { report, files in
      report.checkLedger(&files.problems)
      report.checkInputs(&files.problems)
      if let counts { report.checkCounts(counts, &files.problems) }
      if let profiles { report.checkProfiles(profiles, &files.problems) }
      if let rejects { report.checkRejects(rejects, &files.problems) }
    }
    compare(folds)
  }

  private mutating func readTotals() throws(Failure) -> CountsCheck? {
    guard files[RunFiles.totals] != nil else { return nil }
    return try files.attempt(RunFiles.totals) { this throws(Failure) in
      try CountsCheck(this.output)
    }
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
}
