import Jobs
import Pipeline
import Stages

/// `eventmill night`: makes all missing nights, and removes old ones.
struct NightCommand: Request {
  let options: CommandOptions

  func execute(on console: Console) throws(Failure) -> ExitCode {
    try NightWork(options, console).execute()
  }
}

extension CommandOptions.Night {
  /// The newest night to make: yesterday, unless one is named.
  var last: Day {
    to.map { Day(of: $0) } ?? Day(of: System.secondsSince1970 * 1000).advanced(by: -1)
  }
}

/// The work of one command.
final class NightWork {
  private let options: CommandOptions
  private let logs: NightPattern
  let folder: NightFolder
  let last: Day
  let console: Console
  private var made: [Day] = []
  private var damaged: [Day] = []
  /// Nights to make again that were made without logs, which was allowed then.
  private var madeEmpty: Set<Day> = []
  /// Files that came late or have changed; nil until they are looked for.
  private var late: LateFiles?
  private var worst = ExitCode.done
  /// The worst of the nights that were made.
  private var verdict: Verdict.Level?

  private var run: RunOptions { options.run }
  private var night: CommandOptions.Night { options.night }
  var isDryRun: Bool { options.isDryRun }
  var verifies: Bool { night.verifies }

  init(_ options: CommandOptions, _ console: Console) {
    guard let logs = options.night.logs, let output = options.night.output else {
      preconditionFailure("night needs both patterns")
    }
    (self.options, self.logs, self.console) = (options, logs, console)
    (folder, last) = (NightFolder(output), options.night.last)
  }

  func execute() throws(Failure) -> ExitCode {
    let metrics = isDryRun ? nil : options.metrics.map { NightMetrics(besides: $0, last: last) }
    for path in [options.metrics, metrics?.path].compactMap(\.self) {
      try MetricsFile(path: path).check(folder)
    }
    var lock: DirectoryLock?
    defer { lock?.release() }
    do throws(Failure) {
      try folder.check(logs: logs)
      try warnOfFirst()
      if isDryRun { return try rehearse() }
      lock = try folder.lock()
      try work()
    } catch {
      if error.kind == .rejects { verdict = .bad }
      // Another command that holds the lock writes its own.
      if lock != nil || error.kind != .locked {
        write(metrics, ExitCode(error.kind, signal: console.signals.received))
      }
      // A job that was interrupted does not know of the nights before its own.
      throw error.kind == .interrupted
        ? error.advising(["run it again: published nights are kept"]) : error
    }
    write(metrics, worst)
    return worst
  }

  private func write(_ metrics: NightMetrics?, _ code: ExitCode) {
    guard let metrics else { return }
    do throws(Failure) {
      let published = try folder.published()
      try metrics.write(
        published: published, verdict ?? published.last.flatMap(folder.verdict), late,
        damaged: damaged.count, code)
    } catch {
      // As in a run: it does not undo what was published.
      console.warn(error)
    }
  }

  // MARK: Nights

  /// Warns if the first night asked for is before that of the chain; expired ones may have been.
  private func warnOfFirst() throws(Failure) {
    guard let from = night.from.map({ Day(of: $0) }), let oldest = try folder.published().first,
      from < oldest, folder.isFirst(oldest)
    else { return }
    console.warn(
      "--from-night \(from.text) is before the first night, \(oldest.text), and nights before that "
        + "are not made; to make them, begin again in an empty directory")
  }

  private func work() throws(Failure) {
    while let damaged = try makeMissing() { try putAside(damaged) }
    try prune(published: try folder.published(), made: made, late: late ?? LateFiles())
  }

  /// Makes the nights that are missing, up to a damaged one, which is returned.
  private func makeMissing() throws(Failure) -> DamagedNight? {
    let published = try folder.published()
    if let damaged = try unlisted(after: published) { return damaged }
    let plan = try plan(published)
    var previous = plan.previous
    if let newest = published.last {
      if try isUnverified(newest) {
        if let damaged = try verify(newest) { return damaged }
        try note(newest, "verified", "verified \(folder.path(of: newest))")
      }
      try folder.makeCurrent(newest)
    }
    let found = try lateFiles(published, plan)
    late = late ?? LateFiles()
    late?.add(found)
    try removeOutdated(published, plan)
    for day in plan.missing {
      if let signal = console.signals.received {
        throw Failure(
          .interrupted, doing: "making the nights", why: "\(signal.name) was received")
      }
      let late = day == plan.missing.first ? found : LateFiles()
      let summary: RunReport
      do throws(Failure) {
        summary = try make(day, after: previous, late, replaces: published.contains(day))
      } catch {
        guard let previous, let damaged = folder.damage(of: previous, in: error) else {
          throw error
        }
        return damaged
      }
      RunCommand.warnings(of: summary, on: console).forEach { console.warn($0) }
      let code = console.report(lost: summary.lost)
      warn(ofChanged: summary.changedInputs)
      self.late?.changed += summary.changedInputs
      if verifies, let damaged = try verify(day) { return damaged }
      try folder.makeCurrent(day)
      try report(day, after: previous, summary)
      if code != .done { worst = code }
      verdict = max(verdict ?? .good, summary.verdict.level)
      made.append(day)
      previous = day
      console.signals.end(with: nil)
    }
    return nil
  }

  /// The oldest night after the `published` ones that has lost its manifest.
  private func unlisted(after published: [Day]) throws(Failure) -> DamagedNight? {
    try folder.unlisted().first { damaged in published.allSatisfy { $0 < damaged.day } }
  }

  /// Moves a damaged night aside, so that it is made again, once in a command.
  private func putAside(_ found: DamagedNight) throws(Failure) {
    let (day, path) = (found.day, folder.path(of: found.day))
    let isRepeated = damaged.contains(day)
    madeEmpty.formUnion(folder.empty(among: try folder.published(), from: day))
    let aside = try folder.putAside(found, logs: logs, maxNames: run.read.maxNames)
    let what = "it is damaged\(isRepeated ? " again" : ""): \(found.why); it is now \(aside)"
    made.removeAll { $0 >= day }
    if isRepeated {
      throw Failure(
        .io, doing: "making the night", path: path, why: what,
        advice: "check the disk and the memory of this machine, and run again")
    }
    damaged.append(day)
    console.warn("\(path): \(what), and the night is made again")
    if console.settings.json { try note(day, "damaged", "") }
  }

  /// The nights to make: missing ones, and those made without logs that have come since.
  private func plan(_ published: [Day]) throws(Failure) -> NightPlan {
    let again = try folder.outdated(among: published, hasLogs: hasLogs)
    if let again { madeEmpty.formUnion(folder.empty(among: published, from: again)) }
    // The first night of all, if none is published.
    var first = night.from.map { Day(of: $0) }
    if let damaged = damaged.min() { first = published.isEmpty ? damaged : nil }
    return try NightPlan(published: published, first: first, last: last, again: again)
  }

  /// How the folders of the nights before those to make differ from what was read of them.
  private func lateFiles(_ published: [Day], _ plan: NightPlan) throws(Failure) -> LateFiles {
    let earlier = published.filter { !plan.missing.contains($0) }
    guard night.lateDays > 0, !earlier.isEmpty else { return LateFiles() }
    let late = try JobRunner.run(on: console) { control throws(Failure) in
      try folder.lateFiles(
        ofLast: night.lateDays, published: earlier, logs: logs, run.read,
        reingest: run.merge.reingest, control)
    }
    for failure in late.failures { console.warn(failure) }
    warn(ofChanged: late.changed)
    if !late.gone.isEmpty {
      console.warn(
        "\(NumberFormat.count(late.gone.count, "file")) that a night has read "
          + "\(late.gone.count == 1 ? "is" : "are") gone: \(Self.names(late.gone))")
    }
    return late
  }

  private func warn(ofChanged paths: [String]) {
    let why =
      "no longer has all that a night has read under that name, and is left out; "
      + "restore it, or give it another name to have all of it read"
    for path in paths { console.warn("\(path) \(why)") }
  }

  /// Removes the nights after the one that is made again, the newest first. That one is replaced
  /// only when it is made: until then an interrupted command finds the same plan.
  private func removeOutdated(_ published: [Day], _ plan: NightPlan) throws(Failure) {
    guard let again = plan.missing.first, published.contains(again) else { return }
    try note(
      again, isDryRun ? "would_remake" : "remaking",
      "\(isDryRun ? "would make" : "making") \(folder.path(of: again)) and what follows again: it "
        + "was made without logs, and \(logs.path(of: again)) has some now")
    if isDryRun { return }
    try folder.remove(published.reversed().filter { $0 > again }) { () throws(Failure) in
      try folder.makeCurrent(again)
    }
  }

  /// In a dry run: checks that a damaged night would be made again, and says so.
  private func noteDamage(_ damaged: DamagedNight) throws(Failure) {
    let day = damaged.day
    let aside = try folder.checkRemade(damaged, logs: logs, maxNames: run.read.maxNames)
    console.warn("\(folder.path(of: day)): it is damaged: \(damaged.why)")
    try note(
      day, "would_remake",
      "would move \(folder.path(of: day)) to \(aside), and make the night again")
  }

  /// Publishes a night; with `--keep-going` possibly without unreadable parts.
  private func make(
    _ day: Day, after previous: Day?, _ late: LateFiles, replaces: Bool
  ) throws(Failure) -> RunReport {
    var (options, made) = (run, self.options)
    // A late file may be linked into the folder of this night: it keeps its name.
    options.read.inputs = late.unread + late.copies + (try inputs(of: day))
    options.read.mayRepeat = true
    options.late = late
    // An empty directory means a day without events; a missing one was handled before.
    options.read.allowEmpty = true
    options.publish.output = folder.path(of: day)
    options.merge.previous = previous.map(folder.path)
    if let ahead = night.maxAhead {
      let end = min(day.advanced(by: ahead + 1).start, Timestamp.latest)
      options.read.rules.notAfter = min(options.read.rules.notAfter ?? end, end)
    }
    if let behind = night.maxBehind {
      let beginning = max(day.advanced(by: -behind).start, Rules.earliestTime)
      options.read.rules.notBefore = max(options.read.rules.notBefore ?? beginning, beginning)
    }
    options.publish.replace = replaces
    if !replaces { try folder.prepare(day) }
    made.run = options
    let summary = try RunCommand.perform(made, on: console) { run, control throws(Failure) in
      try NightlyRun(run, control: control).run()
    }
    guard let summary else { preconditionFailure("a run publishes or fails") }
    return summary
  }

  /// The logs of a night; empty if they are missing and that is allowed.
  private func inputs(of day: Day) throws(Failure) -> [String] {
    let path = logs.path(of: day)
    let doing = "finding the logs of the night"
    if try System.real.statusIfAny(of: path, doing: doing) != nil { return [path] }
    if run.read.allowEmpty || madeEmpty.contains(day) { return [] }
    throw Failure(
      .io, doing: doing, path: path, why: "it does not exist",
      advice: "deliver the logs of that day and run again; if there were none: "
        + "\(path.mkdir), or --allow-empty")
  }

  private func hasLogs(_ day: Day) throws(Failure) -> Bool {
    try NightFolder.hasLogs(at: logs.path(of: day), run.read)
  }

  /// Whether the newest night was published but not verified: the last command was interrupted.
  private func isUnverified(_ newest: Day) throws(Failure) -> Bool {
    verifies ? try !folder.isCurrent(newest) : false
  }

  private func verify(_ day: Day) throws(Failure) -> DamagedNight? {
    let path = folder.path(of: day)
    let outcome = try JobRunner.run(on: console) { control throws(Failure) in
      try VerifyJob(path, jobs: run.read.jobs, control: control).run()
    }
    return outcome.problems.first.map { DamagedNight(day, why: $0.message) }
  }

  // MARK: Retention

  /// Removes expired nights, or in a dry run lists those that would expire once all in `planned`
  /// are published. Then prints the summary; `made` are the new nights, those in `empty` of them
  /// without logs, and `late` files found in the folders of earlier nights.
  private func prune(
    published: [Day], planned: [Day] = [], made: [Day], empty: Set<Day> = [], late: LateFiles
  ) throws(Failure) {
    for damaged in try folder.unlisted() {
      console.warn(
        "\(folder.path(of: damaged.day)): it is damaged: \(damaged.why); it is not counted and "
          + "kept; restore it from a copy, or remove it")
    }
    var removed = 0
    let expired = try folder.expired(night.retention, of: published, and: planned, empty: empty)
    for (day, refusal) in expired {
      let path = folder.path(of: day)
      if let refusal {
        console.warn("\(path) is old, and kept: \(refusal)")
        continue
      }
      if isDryRun {
        try note(day, "would_remove", "would remove \(path)")
      } else {
        try folder.remove([day])
        try note(day, "removed", "removed \(path)")
      }
      removed += 1
    }
    try summarize(
      made: made, removed: removed, kept: published.count + planned.count - removed, late: late)
  }

  private func rehearse() throws(Failure) -> ExitCode {
    var published = try folder.published()
    if let damaged = try unlisted(after: published) {
      _ = try folder.checkRemade(damaged, logs: logs, maxNames: run.read.maxNames)
    }
    var plan = try plan(published)
    let unverified = try published.last.flatMap { day throws(Failure) in
      try isUnverified(day) ? day : nil
    }
    if let unverified {
      try note(unverified, "would_verify", "would verify \(folder.path(of: unverified))")
    }
    while let day = plan.missing.isEmpty ? unverified : plan.previous,
      let damaged = try folder.damage(of: day, jobs: run.read.jobs, maxNames: run.read.maxNames)
    {
      try noteDamage(damaged)
      madeEmpty.formUnion(folder.empty(among: published, from: day))
      published.removeAll { $0 >= day }
      self.damaged.append(day)
      plan = try self.plan(published)
    }
    let late = try lateFiles(published, plan)
    try removeOutdated(published, plan)
    var previous = plan.previous
    let estimate = NightEstimate(try folder.list(upTo: last, night.retention))
    for day in plan.missing {
      let logs = try inputs(of: day).first ?? "no logs"
      if ![published, damaged].joined().contains(day) { try folder.checkFree(day) }
      let before = previous.map { ", continuing from \(folder.path(of: $0))" } ?? ""
      try note(
        day, "would_publish", "would publish \(folder.path(of: day)) from \(logs)\(before)",
        seconds: estimate.seconds(
          for: try NightFolder.inputBytes(at: self.logs.path(of: day), run.read) ?? 0),
        bytes: estimate.bytes)
      previous = day
    }
    var empty: Set<Day> = []
    for day in plan.missing where try !hasLogs(day) { empty.insert(day) }
    // The first of them reads the late files.
    if let first = plan.missing.first, !late.unread.isEmpty { empty.remove(first) }
    try prune(
      published: published.filter { !plan.missing.contains($0) }, planned: plan.missing,
      made: plan.missing, empty: empty, late: late)
    return .done
  }
}
