import Jobs
import Pipeline
import Stages

/// `eventmill tracking infer`: makes a tracking plan from logs.
struct TrackingInferCommand: JobRequest {
  let options: CommandOptions

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    let (plan, read) = try TrackingJob(options.run.read, control: control).infer()
    // A plan of half the logs could be mistaken for a plan of all.
    if let failure = read.facts.excess(of: options.run.read, besides: read.lostLines) {
      throw failure
    }
    var result = CommandResult {
      plan.json(.compact)
    } text: {
      let text = plan.json(.pretty)
      return [.text(text.view.text)]
    }
    result.add(read, note: Summary.counts(read.facts))
    return result
  }
}

/// `eventmill tracking check`: compares the events of logs with a tracking plan.
struct TrackingCheckCommand: JobRequest {
  let options: CommandOptions

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    let plan = try TrackingPlan(reading: options.operands[0])
    var logs = options.run.read
    logs.inputs.removeFirst()
    let (found, read) = try TrackingJob(logs, control: control).check(plan)
    var result = CommandResult {
      JSONWriter.lines(of: found.rows) { row, json in
        for field in TrackingCheck.Row.fields(found: "example") { field.write(row, &json) }
      }
    } text: {
      found.rows.isEmpty ? [] : [.table(Self.table(found.rows))]
    }
    let others = NumberFormat.grouped(found.others)
    result.notes = [
      found.summary
        + (found.others > 0 ? "; \(others) of them are not shown, because there are too many" : "")
    ]
    result.add(read, note: Summary.counts(read.facts))
    result.failure = read.facts.excess(of: logs, besides: read.lostLines)
    if read.lost.isEmpty, found.totals.contains(where: { options.failing.contains($0.kind) }) {
      result.code = .different
    }
    return result
  }

  private static func table(_ rows: [TrackingCheck.Row]) -> TextTable {
    TextTable(
      of: rows,
      [
        .text("finding", \.kind.rawValue), .text("event", \.event.harmless),
        .text("attribute") { $0.attribute?.harmless }, .number("count", \.count),
        .location("first at") { "\($0.file):\($0.line)".harmless },
        .text("expected") { $0.expected?.harmless }, .text("found") { $0.found?.harmless },
      ])
  }
}

/// `eventmill tracking diff`: shows the differences between two tracking plans.
struct TrackingDiffCommand: JobRequest {
  let options: CommandOptions

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    let old = try TrackingPlan(reading: options.operands[0])
    let changes = try TrackingPlan(reading: options.operands[1]).changes(since: old)
    var result = CommandResult {
      JSONWriter.lines(of: changes) { $0.writeFields(to: &$1) }
    } text: {
      if changes.isEmpty { return [] }
      let table = TextTable(
        of: changes,
        [
          .text("change", \.kind.rawValue), .text("event") { $0.event?.harmless },
          .text("attribute") { $0.attribute?.harmless }, .text("before") { $0.before?.harmless },
          .text("after") { $0.after?.harmless },
        ])
      return [.table(table)]
    }
    result.notes = [
      changes.isEmpty ? "the plans are equal" : NumberFormat.count(changes.count, "difference")
    ]
    result.code = changes.isEmpty ? .done : .different
    return result
  }
}
