import Pipeline
import Stages

/// One verification: the checks in order, and their findings.
struct Verification {
  private let kind: OutputKind
  var files: VerifiedFiles
  /// The number of profiles of each part; nil when not all of them could be read.
  private var profileLines: [Int?] = []
  var found: [CanonicalLogs.Log] = []
  /// The people who should be absent from it.
  let absent: AbsentIDs?
  /// The zstd level for writing logs of an archive again; nil to skip that.
  var level: Int?
  var counting: EventCounting?

  /// Profiles that could be read.
  var profiles: Int { profileLines.reduce(0) { $0 + ($1 ?? 0) } }
  private var output: String { files.output }
  private var jobs: Int { files.jobs }

  init(_ files: VerifiedFiles, _ kind: OutputKind, absent: AbsentIDs? = nil) {
    (self.files, self.kind, self.absent) = (files, kind, absent)
  }

  mutating func run() throws(Failure) {
    guard let manifest = files.manifest(kind) else { return }
    switch kind {
    case .migration: try checkLogs(manifest, in: [RunFiles.losses, RunFiles.rejects])
    case .redrive:
      try checkLogs(manifest, in: [RunFiles.redriven, RunFiles.losses, RunFiles.rejects])
    case .export:
      files.list(manifest, manifest.files.map(\.path))
      try files.compareOthers()
    default: try checkOutput(manifest)
    }
  }

  private mutating func checkOutput(_ manifest: Manifest) throws(Failure) {
    guard let partitions = manifest.partitions else {
      return files.problems.add(RunFiles.manifest, .unclearPartitions)
    }
    let withDays = manifest.options["days"]?.bool ?? true
    let isChained = !manifest.previousState.isEmpty
    let published = RunFiles.published(
      partitions: partitions, withDays: withDays, isChained: isChained)
    files.list(
      manifest, published.map { manifest.path(of: $0.path) }.sortedByBytes,
      folders: [RunFiles.profiles, RunFiles.state] + (isChained ? [RunFiles.changes] : []))
    if let absent { try files.look(through: published, for: absent, manifest) }
    let parts = (0..<partitions).map { OutputPart(partition: $0, partitions: partitions) }
    let profiles = try checkProfiles(parts, manifest)
    let state = try checkState(parts, manifest)
    if isChained { try checkChanges(parts, manifest) }
    if let profiles, let state { compare(profiles.tallies, with: state.eventCounts) }
    let counts =
      files[RunFiles.totals] == nil
      ? nil
      : try files.attempt(RunFiles.totals) { this throws(Failure) in
        try PublishedCounts(reading: this.output, partitions: partitions, withDays: withDays)
      }
    if let counts, let profiles { counts.compare(profiles.tallies, &files.problems) }
    if let counts, let state { counts.compare(state.names.lists.attributes.names, &files.problems) }
    try counts?.compare(&files, active: state?.active)
    let rejects = try files.checkRejects(of: manifest)
    try files.compareOthers()
    if var report = ReportCheck(in: &files, manifest) {
      report.checkLedger()
      report.checkInputs()
      if let counts { report.checkCounts(counts) }
      if profiles != nil { report.checkProfiles(self.profiles) }
      if let rejects { report.checkRejects(rejects) }
      files.problems.add(report.problems)
    }
    if let profiles, let state { compare(profiles.folds, with: state.folds) }
  }

  /// Compares the installations that profiles list with those that fold according to the state,
  /// unless a problem of either explains a difference.
  private mutating func compare(_ folds: FoldTally, with known: FoldTally) {
    let folders = [RunFiles.profiles, "\(RunFiles.state)/part"]
    let areSound = files.problems.reported.allSatisfy { problem in
      !folders.contains { problem.file.hasPrefix($0) }
    }
    guard folds != known, areSound else { return }
    files.problems.add(RunFiles.profiles, .otherFolds, folds.count, known.count)
  }

  /// Checks all parts of the profiles. Returns the findings in all of them; nil when not all of
  /// them could be read.
  private mutating func checkProfiles(
    _ parts: [OutputPart], _ manifest: Manifest
  ) throws(Failure) -> ProfileCheck.Found? {
    let lanes = try FrameLane.lanes(jobs) { ProfileCheck() }
    for part in parts {
      for lane in lanes { lane.use { $0.check.part = part } }
      profileLines.append(
        try files.walk(manifest.path(of: part.file(in: RunFiles.profiles)), lanes)?.lines)
    }
    guard !profileLines.contains(nil) else { return nil }
    return lanes.reduce(into: ProfileCheck.Found()) { $0.add($1.use { $0.check.all }) }
  }

  private mutating func checkChanges(_ parts: [OutputPart], _ manifest: Manifest) throws(Failure) {
    let lanes = try FrameLane.lanes(jobs) { () throws(Failure) in try ChangeCheck() }
    let published = try? Output(output)
    for part in parts {
      let profiles = try? published?.part(part.partition)
      for lane in lanes { lane.use { $0.check.begin(part, profiles) } }
      _ = try files.walk(manifest.path(of: part.file(in: RunFiles.changes)), lanes)
    }
  }

  /// Checks all parts of the state. Returns the findings in all of it; nil when not all of it could
  /// be read.
  private mutating func checkState(
    _ parts: [OutputPart], _ manifest: Manifest
  ) throws(Failure) -> StateCheck.Found? {
    let (stitch, names) = (manifest.stitch, RunNames(limit: Output.mostNames))
    let lanes = try FrameLane.lanes(jobs) { StateCheck(stitch: stitch, names) }
    var isComplete = true
    for (part, lines) in zip(parts, profileLines) {
      let profiles = manifest.path(of: part.file(in: RunFiles.profiles))
      for lane in lanes {
        try lane.use { lane throws(Failure) in
          try lane.check.begin(part, profiles: "\(output)/\(profiles)")
        }
      }
      let index = try openIndex(
        manifest.path(of: RunFiles.index(part.partition, of: part.partitions)), beside: profiles)
      let path = manifest.path(of: part.file(in: RunFiles.state))
      if try files.walk(path, lanes, index: index) == nil { isComplete = false }
      if let index { files.problems.add(index.use { $0.finish(profiles: lines) }) }
    }
    guard isComplete else { return nil }
    return lanes.reduce(into: StateCheck.Found(names)) { $0.add($1.use { $0.check.found }) }
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
    for (name, found, stated) in tallies.mapValues(\.events).joined(with: states)
    where found ?? 0 != stated ?? 0 {
      files.problems.add(RunFiles.profiles, .otherEventsOfState, found ?? 0, name, stated ?? 0)
    }
  }
}
