import Pipeline
import Stages

/// One verification of an archive (`migrate`): its files against the manifest, its logs for
/// consistency, its ledgers against both.
struct ArchiveVerification {
  private(set) var files: VerifiedFiles
  /// The findings in the logs, in the order of ``logs``.
  private(set) var found: [CanonicalLogs.Log] = []
  /// The logs that are listed and exist.
  private(set) var logs: [ManifestOutput] = []
  /// The zstd level for writing the logs again; nil to skip that.
  var level: Int?
  /// Counts the events of the logs, if needed.
  var counting: EventCounting?
  /// The people who should be absent from the archive.
  var absent: AbsentIDs?

  init(_ files: VerifiedFiles) { self.files = files }

  /// Runs all checks.
  ///
  /// - Throws: the failure that the job was cancelled with; as ``CanonicalLogs/run(_:)``.
  mutating func run() throws(Failure) {
    guard let manifest = files.manifest(.migration) else { return }
    let listing = FolderCheck(
      output: files.output, kind: .migration, manifest: manifest,
      required: [ArchiveFiles.losses, ArchiveFiles.rejects],
      optional: manifest.logs.map(\.file.path))
    files.expect(listing.check(&files.problems))
    checkSources(manifest)
    logs = manifest.logs.filter { files[$0.file.path] != nil }
    try checkLogs(manifest)
    let rejects = try files.checkRejects(of: manifest.inputs)
    let losses = try files.checkLosses(of: manifest.inputs)
    if let absent {
      try files.look(through: [(RunFiles.rejects, .rejects)], for: absent, manifest)
    }
    guard let report = ReportCheck(in: files.output, manifest: manifest, problems: &files.problems)
    else { return }
    report.checkLedger(&files.problems)
    report.checkInputs(&files.problems)
    report.checkLogs(&files.problems)
    if let rejects { report.checkRejects(rejects, &files.problems) }
    if let losses { report.checkLosses(losses, &files.problems) }
  }

  /// Checks that every input has one log, with a ledger that balances.
  private mutating func checkSources(_ manifest: Manifest) {
    var sources: [[UInt8]: ManifestOutput] = [:]
    for log in manifest.logs {
      if sources.updateValue(log, forKey: Array(log.source.utf8)) != nil {
        files.problems.add(ArchiveFiles.manifest, .listsTwoLogs, log.source)
      }
    }
    for input in manifest.inputs {
      guard let log = sources.removeValue(forKey: Array(input.path.utf8)) else {
        files.problems.add(ArchiveFiles.manifest, .listsNoLog, input.path)
        continue
      }
      guard let ledger = log.ledger else {
        files.problems.add(ArchiveFiles.manifest, .logHasNoLedger, log.file.path)
        continue
      }
      if let why = ledger.mismatch {
        files.problems.add(ArchiveFiles.manifest, .unbalancedPart, log.file.path, why)
      }
      if ledger.lines != input.lines {
        files.problems.add(
          ArchiveFiles.manifest, .logOfOtherLines, log.file.path, ledger.lines, input.path,
          input.lines)
      }
    }
    for log in manifest.logs where sources[Array(log.source.utf8)] != nil {
      files.problems.add(
        ArchiveFiles.manifest, .logOfNoInput, log.file.path, log.source)
    }
  }

  private mutating func checkLogs(_ manifest: Manifest) throws(Failure) {
    found = try files.checkLogs(
      logs.map(\.file), .canonical, maxLine: manifest.maxLine, level: level, counting: counting,
      absent: absent)
    for (log, found) in zip(logs, found) where found.isComplete {
      guard let ledger = log.ledger else { continue }
      for (code, reported, counted) in [
        (
          ProblemCode.otherLogEvents, ledger.accepted,
          found.ledger.accepted + found.ledger.duplicates
        ), (.otherLogOperations, ledger.applied, found.ledger.applied),
      ] where reported != counted {
        files.problems.add(log.file.path, code, reported, counted)
      }
      if found.ledger.lines > ledger.records {
        files.problems.add(
          log.file.path, .moreLinesThanRecords, found.ledger.lines, ledger.records)
      }
    }
  }
}

extension Manifest {
  /// The longest line that was accepted, in bytes.
  var maxLine: Int {
    options["max_line"]?.int.flatMap { 1...Rules.longestLine ~= $0 ? $0 : nil }
      ?? Rules.defaultMaxLine
  }
}

// MARK: - Checks shared by archives and redrives

extension VerifiedFiles {
  /// Reads the manifest, which should be of that kind; nil, and a problem, when it is not.
  mutating func manifest(_ kind: OutputKind) -> Manifest? {
    do throws(Failure) {
      return try Manifest(output, kind: kind, doing: FrameWalk.doing)
    } catch {
      problems.add(RunFiles.manifest, .unreadableDocument, error.why)
      return nil
    }
  }

  /// Checks existing canonical logs, and returns the findings in each.
  mutating func checkLogs(
    _ logs: [WrittenFile], _ form: CanonicalLogs.Form, maxLine: Int, level: Int? = nil,
    counting: EventCounting? = nil, absent: AbsentIDs? = nil
  ) throws(Failure) -> [CanonicalLogs.Log] {
    let found = try CanonicalLogs(
      output: output, logs: logs, form: form, maxLine: maxLine, jobs: jobs, control: control,
      level: level, counting: counting, absent: absent
    ).run(&problems)
    for (log, found) in zip(logs, found) {
      note(log.path, found.similar)
      guard let summary = found.summary else { continue }
      compare(
        log.path, FileHash(bytes: summary.compressedBytes, xxh64: summary.hash),
        lines: found.isComplete ? summary.lines : nil)
    }
    return found
  }

  /// Checks the rejects of `inputs`, and returns their number for each; nil when not all could be
  /// read.
  mutating func checkRejects(
    of inputs: [ManifestInput]
  ) throws(Failure) -> [RejectCheck.Tally]? {
    let lanes = try FrameLane.lanes(jobs) { RejectCheck(inputs: inputs) }
    guard try walk(RunFiles.rejects, lanes) != nil else { return nil }
    return inputs.indices.map { input in
      lanes.reduce(into: RejectCheck.Tally()) { sum, lane in
        sum.add(lane.use { $0.check.tallies[input] })
      }
    }
  }

  /// Checks the loss report, and returns the count of each code; nil when it could not be read.
  /// Positions are in `inputs`; nil if these are unknown.
  mutating func checkLosses(of inputs: [ManifestInput]?) throws(Failure) -> [String: Int]? {
    guard self[ArchiveFiles.losses] != nil else { return nil }
    var losses = LossCheck(inputs: inputs)
    let file = try attempt(ArchiveFiles.losses) { this throws(Failure) in
      try losses.read(in: this.output, problems: &this.problems)
    }
    guard let file else { return nil }
    compare(ArchiveFiles.losses, file.facts, lines: file.lines)
    return losses.counts
  }
}
