import Pipeline
import Stages

extension Verification {
  /// Checks the canonical logs of an archive, or of a redrive, with the files `own` besides logs:
  /// against the manifest, for consistency, and their ledgers against both.
  mutating func checkLogs(_ manifest: Manifest, in own: [String]) throws(Failure) {
    let isArchive = manifest.kind == .migration
    files.list(manifest, own, optional: manifest.logs.map(\.file.path))
    if isArchive {
      checkSources(manifest)
      try checkArchived(manifest)
    } else if let redriven = files[RunFiles.redriven] {
      found = try checkLogs([redriven], maxLine: Rules.longestLine) { RedrivenTextStage() }
    }
    let rejects = try files.checkRejects(of: manifest)
    if let absent { try files.look(through: [(RunFiles.rejects, .rejects)], for: absent, manifest) }
    if var report = ReportCheck(in: &files, manifest) {
      if isArchive {
        report.checkLedger()
        report.checkInputs()
        report.checkLogs()
        if let rejects { report.checkRejects(rejects) }
      } else {
        report.checkRedrive(found.first, entries: rejects?.entries)
      }
      files.problems.add(report.problems)
      try report.checkLosses(&files)
    }
    try files.compareOthers()
  }

  /// Checks that every input has one log, with a ledger that balances.
  private mutating func checkSources(_ manifest: Manifest) {
    let name = RunFiles.manifest
    var sources: [FilePath: ManifestOutput] = [:]
    for log in manifest.logs where sources.updateValue(log, forKey: FilePath(log.source)) != nil {
      files.problems.add(name, .listsTwoLogs, log.source)
    }
    for input in manifest.inputs {
      guard let log = sources.removeValue(forKey: FilePath(input.path)) else {
        files.problems.add(name, .listsNoLog, input.path)
        continue
      }
      let path = log.file.path
      guard let ledger = log.ledger else {
        files.problems.add(name, .logHasNoLedger, path)
        continue
      }
      if let why = ledger.mismatch { files.problems.add(name, .unbalancedPart, path, why) }
      if ledger.lines != input.lines {
        files.problems.add(name, .logOfOtherLines, path, ledger.lines, input.path, input.lines)
      }
    }
    for log in manifest.logs where sources[FilePath(log.source)] != nil {
      files.problems.add(name, .logOfNoInput, log.file.path, log.source)
    }
  }

  private mutating func checkArchived(_ manifest: Manifest) throws(Failure) {
    let logs = manifest.logs.filter { files[$0.file.path] != nil }
    found = try checkLogs(logs.map(\.file), maxLine: manifest.maxLine) { CanonicalTextStage() }
    for (log, found) in zip(logs, found) where found.isComplete {
      guard let ledger = log.ledger else { continue }
      for (code, reported, counted) in [
        (
          ProblemCode.otherLogEvents, ledger.accepted,
          found.ledger.accepted + found.ledger.duplicates
        ), (.otherLogOperations, ledger.applied, found.ledger.applied),
      ] where reported != counted { files.problems.add(log.file.path, code, reported, counted) }
      // A line that a mapping describes may have several owners, each with a canonical line.
      if manifest.options["mapping"] == nil, found.ledger.lines > ledger.records {
        files.problems.add(log.file.path, .moreLinesThanRecords, found.ledger.lines, ledger.records)
      }
    }
  }

  /// Checks existing canonical logs, and returns the findings in each.
  private mutating func checkLogs(
    _ logs: [WrittenFile], maxLine: Int, _ text: @escaping @Sendable () -> any Stage<WorkUnit>
  ) throws(Failure) -> [CanonicalLogs.Log] {
    let found = try CanonicalLogs(
      output: files.output, logs: logs, text: text, maxLine: maxLine, jobs: files.jobs,
      control: files.control, level: level, counting: counting, absent: absent
    ).run(&files.problems)
    for (log, found) in zip(logs, found) {
      files.note(log.path, found.similar)
      files.markChecked(log.path)
      guard let summary = found.summary else { continue }
      files.compare(
        log.path, FileHash(bytes: summary.compressedBytes, xxh64: summary.hash),
        lines: found.isComplete ? summary.lines : nil)
    }
    return found
  }
}

extension Manifest {
  /// The longest line that was accepted, in bytes.
  var maxLine: Int {
    options["max_line"]?.int.flatMap { 1...Rules.longestLine ~= $0 ? $0 : nil }
      ?? Rules.defaultMaxLine
  }
}

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

  /// Checks the rejects, and returns their number, and those of each input, which a redrive does
  /// not know; nil when not all could be read.
  mutating func checkRejects(
    of manifest: Manifest
  ) throws(Failure) -> (entries: Int, ledgers: [Ledger])? {
    let inputs = manifest.kind == .redrive ? nil : manifest.inputs
    // A redrive with it keeps lines that are not entries.
    let keepsAll = inputs == nil && manifest.options["keep_going"]?.bool ?? false
    let lanes = try FrameLane.lanes(jobs) { RejectCheck(inputs: inputs, keepsAll: keepsAll) }
    guard let outcome = try walk(RunFiles.rejects, lanes) else { return nil }
    var ledgers = Array(repeating: Ledger(), count: inputs?.count ?? 0)
    for lane in lanes {
      for (input, ledger) in lane.use({ $0.check.ledgers }).enumerated() {
        ledgers[input].add(ledger)
      }
    }
    return (outcome.lines, ledgers)
  }
}
