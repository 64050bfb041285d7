import Jobs
import Pipeline
import Stages

/// `eventmill tracking infer`: makes a tracking plan from logs.
struct TrackingInferCommand: Request {
  let options: CommandOptions

  /// Runs the command and prints the plan, with `--json` on one line.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    let (plan, read) = try JobRunner.run(on: console) { control throws(Failure) in
      try TrackingJob(options.run.read, control: control).infer()
    }
    // A plan of half the logs could be mistaken for a plan of all.
    try read.facts.check(options.run.read, besides: read.lostLines)
    try console.write(plan.json(console.settings.json ? .compact : .pretty))
    try console.flush()
    return TrackingCheckCommand.report(read, on: console)
  }
}

/// `eventmill tracking check`: compares the events of logs with a tracking plan.
struct TrackingCheckCommand: Request {
  let options: CommandOptions

  /// Runs the command and prints a table, or one JSON object per finding.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    let plan = try TrackingPlan(reading: options.operands[0])
    var logs = options.run.read
    logs.inputs.removeFirst()
    let (found, read) = try JobRunner.run(on: console) { control throws(Failure) in
      try TrackingJob(logs, control: control).check(plan)
    }
    if console.settings.json {
      var text = ByteBuffer()
      for row in found.rows {
        JSONWriter.line(to: &text) { json in
          for field in TrackingCheck.Row.fields(found: "example") { field.write(row, &json) }
        }
      }
      try console.write(text)
    } else if !found.rows.isEmpty {
      try console.print(Self.table(found.rows))
    }
    // The table first, even if both streams are the same.
    try console.flush()
    console.note(
      found.summary
        + (found.others > 0
          ? "; \(NumberFormat.grouped(found.others)) of them are not shown, because there are too many"
          : ""))
    let code = Self.report(read, on: console)
    try read.facts.check(logs, besides: read.lostLines)
    let fails = found.totals.contains { options.failing.contains($0.kind) }
    return code == .done && fails ? .different : code
  }

  /// Reports what was read, and returns the exit code.
  static func report(_ read: ReadSummary, on console: Console) -> ExitCode {
    let ledger = read.facts.total
    console.note(
      "\(NumberFormat.count(ledger.lines, "line")), "
        + "\(NumberFormat.count(ledger.accepted, "event")), "
        + "\(NumberFormat.count(read.facts.linesWithRejects, "line")) with a rejected part; "
        + JobRunner.speed(bytes: read.bytes, seconds: read.seconds))
    JobRunner.report(ignoredFiles: read.ignoredFiles, on: console)
    return JobRunner.report(lost: read.lost, on: console)
  }

  private static func table(_ rows: [TrackingCheck.Row]) -> TextTable {
    var table = TextTable([
      ("finding", .left), ("event", .left), ("attribute", .left), ("count", .right),
      ("first at", .left), ("expected", .left), ("found", .left),
    ])
    for row in rows {
      table.add(
        [
          row.kind.rawValue, row.event, row.attribute ?? "-", NumberFormat.grouped(row.count),
          "\(row.file):\(row.line)", row.expected ?? "-", row.found ?? "-",
        ].map(CountCommand.harmless))
    }
    return table
  }
}

/// `eventmill tracking diff`: shows the differences between two tracking plans.
struct TrackingDiffCommand: Request {
  let options: CommandOptions

  /// Runs the command and prints a table, or one JSON object per difference.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    let old = try TrackingPlan(reading: options.operands[0])
    let new = try TrackingPlan(reading: options.operands[1])
    let changes = new.changes(since: old)
    if console.settings.json {
      var text = ByteBuffer()
      for change in changes { JSONWriter.line(to: &text) { json in change.write(to: &json) } }
      try console.write(text)
    } else if !changes.isEmpty {
      var table = TextTable([
        ("change", .left), ("event", .left), ("attribute", .left), ("before", .left),
        ("after", .left),
      ])
      for change in changes {
        table.add(
          [
            change.kind.rawValue, change.event ?? "-", change.attribute ?? "-",
            change.before ?? "-", change.after ?? "-",
          ].map(CountCommand.harmless))
      }
      try console.print(table)
    }
    try console.flush()
    console.note(
      changes.isEmpty
        ? "the plans are equal" : NumberFormat.count(changes.count, "difference"))
    return changes.isEmpty ? .done : .different
  }
}
