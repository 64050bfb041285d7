import Jobs
import Pipeline
import Stages

/// `eventmill night`: makes all missing nights, and removes old ones.
struct NightCommand: Request {
  /// The options of every night.
  private let options: RunOptions
  private let logs: NightPattern
  private let folder: NightFolder
  /// The first night of all, if none is published.
  private let first: Day?
  /// The newest night to make.
  private let last: Day
  private let retention: Retention
  /// Days after the end of a night from which on its events are rejected.
  private let ahead: Int?
  private let verifies: Bool
  private let isDryRun: Bool
  /// The file for the metrics of each run.
  private let metrics: String?

  init(_ values: OptionValues, operands: [String]) throws(Failure) {
    options = try RunOptions(values, operands: [], limit: .usual)
    guard let logs = try values.pattern(.logs), let output = try values.pattern(.out) else {
      throw RawArguments.usage("night needs --logs and --out", "see eventmill help night")
    }
    (self.logs, folder) = (logs, NightFolder(output))
    first = try values.date(.first).map { Day(of: $0) }
    // The only use of the clock: nothing in an output depends on it.
    last =
      try values.date(.date).map { Day(of: $0) }
      ?? Day(of: System.secondsSince1970 * 1000).advanced(by: -1)
    let bounds = 0...Self.mostKept
    retention = Retention(
      daily: try values.number(.keepDaily, in: bounds, example: 14) ?? 0,
      weekly: try values.number(.keepWeekly, in: bounds, example: 8) ?? 0,
      monthly: try values.number(.keepMonthly, in: bounds, example: 12) ?? 0)
    ahead = try values.number(.maxAhead, in: 0...Self.mostAhead, example: 1)
    verifies = try !values.isOn(.noVerify)
    isDryRun = try values.isOn(.dryRun)
    metrics = try values.text(.metrics)
  }

  private static let mostKept = 100_000
  private static let mostAhead = 36_525

  /// Runs the command, or shows what it would do.
  ///
  /// - Throws: why a night was not published; earlier ones are.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    try folder.check(logs: logs)
    if isDryRun { return try rehearse(on: console) }
    let lock = try folder.lock()
    defer { lock.release() }
    let metrics = metrics.map { NightMetrics(besides: $0, last: last) }
    let code: ExitCode
    do throws(Failure) {
      code = try work(on: console)
    } catch {
      let code = ExitCode(error.kind, signal: console.signals.received)
      write(metrics, code, console)
      throw error
    }
    write(metrics, code, console)
    return code
  }

  private func write(_ metrics: NightMetrics?, _ code: ExitCode, _ console: Console) {
    guard let metrics else { return }
    do throws(Failure) {
      try metrics.write(published: try folder.published(), code)
    } catch {
      // As in a run: it does not undo what was published.
      console.warn(error.message, about: error)
    }
  }

  // MARK: Nights

  private func work(on console: Console) throws(Failure) -> ExitCode {
    try folder.finishRemovals()
    let published = try folder.published()
    let plan = try NightPlan(published: published, first: first, last: last)
    var previous = plan.previous
    var worst = ExitCode.done
    if let newest = published.last {
      if try isUnverified(newest) {
        try verify(newest, on: console)
        try note(newest, "verified", "verified \(folder.path(of: newest))", on: console)
      }
      try folder.makeCurrent(newest)
    }
    for day in plan.missing {
      if let signal = console.signals.received {
        throw Failure(
          .interrupted, doing: "making the nights", why: "\(signal.name) was received",
          advice: "run it again: published nights are kept")
      }
      let (summary, code) = try make(day, after: previous, on: console)
      if verifies { try verify(day, on: console) }
      try folder.makeCurrent(day)
      try report(day, after: previous, summary, on: console)
      if code != .done { worst = code }
      previous = day
      console.signals.end(with: nil)
    }
    try prune(published: try folder.published(), made: plan.missing, on: console)
    return worst
  }

  /// Publishes a night; with `--keep-going` possibly without unreadable parts.
  private func make(
    _ day: Day, after previous: Day?, on console: Console
  ) throws(Failure) -> (RunSummary, ExitCode) {
    var options = options
    options.read.inputs = try inputs(of: day)
    // An empty directory means a day without events; a missing one was handled before.
    options.read.allowEmpty = true
    options.publish.output = folder.path(of: day)
    options.merge.previous = previous.map(folder.path)
    if let ahead {
      let end = min(day.advanced(by: ahead + 1).start, Timestamp.latest)
      options.read.rules.notAfter = min(options.read.rules.notAfter ?? end, end)
    }
    try folder.prepare(day)
    let made = options
    let summary = try RunCommand.perform(options, metrics: metrics, on: console) {
      control throws(Failure) in
      try NightlyRun(made, tool: Version.tool, control: control).run()
    }
    guard let summary else { preconditionFailure("a run publishes or fails") }
    return (summary, RunCommand.warn(of: summary, on: console))
  }

  /// The logs of a night; empty if they are missing and that is allowed.
  private func inputs(of day: Day) throws(Failure) -> [String] {
    let path = logs.path(of: day)
    let doing = "finding the logs of the night"
    if try System.real.statusIfAny(of: path, doing: doing) != nil { return [path] }
    if options.read.allowEmpty { return [] }
    throw Failure(
      .io, doing: doing, path: path, why: "it does not exist",
      advice: "deliver the logs of that day and run again; if there were none: "
        + "mkdir \(path), or --allow-empty")
  }

  /// Whether the newest night was published but not verified: the last command was interrupted.
  private func isUnverified(_ newest: Day) throws(Failure) -> Bool {
    guard verifies else { return false }
    return try !folder.isCurrent(newest)
  }

  /// Verifies a night; moves it aside if it is damaged, because no night may continue from it.
  private func verify(_ day: Day, on console: Console) throws(Failure) {
    let path = folder.path(of: day)
    let outcome = try JobRunner.run(on: console) { control throws(Failure) in
      try VerifyJob(path, jobs: options.read.jobs, control: control).run()
    }
    guard let first = outcome.problems.first else { return }
    let bad = try folder.putAside(day)
    throw Failure(
      .io, doing: "verifying the night", path: path,
      why: "it is damaged: \(first.message); it is now \(bad)",
      advice: "check the disk; to make the night again, remove \(bad), and run again")
  }

  // MARK: Retention

  /// Removes expired nights, or in a dry run lists those that would expire once all in `planned`
  /// are published. Then prints the summary; `made` are the new nights.
  private func prune(
    published: [Day], planned: [Day] = [], made: [Day], on console: Console
  ) throws(Failure) {
    var removed = 0
    for (day, refusal) in try folder.expired(retention, of: published, and: planned) {
      let path = folder.path(of: day)
      if let refusal {
        console.warn("\(path) is old, and kept: \(refusal)")
        continue
      }
      if isDryRun {
        try note(day, "would_remove", "would remove \(path)", on: console)
      } else {
        try folder.remove(day)
        try note(day, "removed", "removed \(path)", on: console)
      }
      removed += 1
    }
    try summarize(
      made: made, removed: removed, kept: published.count + planned.count - removed, on: console)
  }

  /// Shows what would be done.
  private func rehearse(on console: Console) throws(Failure) -> ExitCode {
    let published = try folder.published()
    let plan = try NightPlan(published: published, first: first, last: last)
    if let newest = published.last, try isUnverified(newest) {
      try note(newest, "would_verify", "would verify \(folder.path(of: newest))", on: console)
    }
    var previous = plan.previous
    for day in plan.missing {
      let logs = try inputs(of: day).first ?? "no logs"
      try folder.checkFree(day)
      let before = previous.map { ", continuing from \(folder.path(of: $0))" } ?? ""
      try note(
        day, "would_publish", "would publish \(folder.path(of: day)) from \(logs)\(before)",
        on: console)
      previous = day
    }
    try prune(published: published, planned: plan.missing, made: plan.missing, on: console)
    return .done
  }

  // MARK: Messages

  /// Reports what was done about a night: to people on standard error, unless it is a dry run.
  private func note(
    _ day: Day, _ action: String, _ text: String, on console: Console
  ) throws(Failure) {
    if console.settings.json {
      try console.write(
        JSONWriter.document { json in
          json.member("night", day.text)
          json.member("action", action)
          json.member("output", folder.path(of: day))
        })
      try console.flush()
    } else if isDryRun {
      try console.print(text)
    } else {
      console.note(text)
    }
  }

  private func report(
    _ day: Day, after previous: Day?, _ summary: RunSummary, on console: Console
  ) throws(Failure) {
    let events = summary.ledger.accepted
    let rejects = summary.facts.linesWithRejects
    guard console.settings.json else {
      console.note(
        "\(day.text): \(NumberFormat.grouped(events)) events, "
          + "\(NumberFormat.grouped(summary.profiles)) profiles, "
          + "\(NumberFormat.grouped(rejects)) lines with a rejected part, "
          + "in \(NumberFormat.tenths(summary.seconds)) s")
      return
    }
    try console.write(
      JSONWriter.document { json in
        json.member("night", day.text)
        json.member("action", "published")
        json.member("output", folder.path(of: day))
        if let previous { json.member("previous", folder.path(of: previous)) }
        json.member("inputs", summary.inputs)
        json.member("lost_inputs", summary.lost.count)
        json.member("lines", summary.ledger.lines)
        json.member("events", events)
        json.member("lines_with_rejects", rejects)
        json.member("profiles", summary.profiles)
        json.member("verified", verifies)
        json.member("seconds", summary.seconds)
      })
    try console.flush()
  }

  /// The last line: a summary in one sentence.
  private func summarize(
    made: [Day], removed: Int, kept: Int, on console: Console
  ) throws(Failure) {
    if console.settings.json {
      try console.write(
        JSONWriter.document { json in
          json.member("action", "summary")
          json.member("dry_run", isDryRun)
          json.member("newest", last.text)
          json.member("published", made.count)
          json.member("removed", removed)
          json.member("kept", kept)
          json.figures(seconds: console.clock.seconds)
        })
    } else if !console.settings.quiet {
      let nights = { (count: Int) in "\(NumberFormat.grouped(count)) night\(count == 1 ? "" : "s")"
      }
      try console.print(summary: [
        (made.isEmpty
          ? "\(last.text) is published, and nothing is missing"
          : "\(nights(made.count)) \(isDryRun ? "to publish" : "published"), up to \(last.text)")
          + "; \(NumberFormat.grouped(removed)) \(isDryRun ? "to remove" : "removed"), \(nights(kept)) kept"
      ])
    }
  }
}

extension OptionValues {
  /// The paths of nights.
  fileprivate func pattern(_ option: Option) throws(Failure) -> NightPattern? {
    guard let text = try text(option) else { return nil }
    do throws(NightPattern.Problem) {
      return try NightPattern(text)
    } catch {
      throw bad(option, allowed: "it \(error.text)", example: "'logs/%Y-%m-%d'")
    }
  }
}
