package import Jobs
package import Pipeline
import Stages

/// `eventmill diff`: shows the differences between two outputs (docs/reference/file-formats.md).
struct DiffCommand: Request {
  let options: CommandOptions
  private var old: String { options.operands[0] }
  private var new: String { options.operands[1] }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    var outcome: DiffOutcome?
    try console.untilClosed { () throws(Failure) in
      outcome = try JobRunner.run(on: console) { control throws(Failure) in
        let job = DiffJob(old, new, control: control)
        guard options.listsProfiles else { return try job.run() }
        return try job.run { change throws(Failure) in try print(change, on: console) }
      }
    }
    guard let outcome else { return .different }
    var result = CommandResult { json in
      write(outcome, to: &json)
    } text: {
      let text = DiffText(outcome, width: console.resultWidth, heading: console.heading)
      let isApart = options.listsProfiles && outcome.profiles.differing > 0
      return [.lines((isApart ? [""] : []) + text.lines(old, new))]
    }
    result.code = outcome.isEqual ? .done : .different
    return try console.show(result)
  }

  // MARK: - Profiles

  private func print(_ change: ProfileChange, on console: Console) throws(Failure) {
    if console.settings.json {
      try console.write(
        JSONWriter.document { json in
          json.members(["change": change.kind.rawValue, "kind": change.owner, "id": change.id])
          if change.kind == .changed {
            json.objects("fields", of: change.fields) { field, json in
              json.member("path", field.path)
              if let old = field.old { json.member("old") { $0.append(text: old) } }
              if let new = field.new { json.member("new") { $0.append(text: new) } }
            }
          }
        })
    } else {
      for line in DiffText.lines(of: change) { try console.print(line) }
    }
    try console.endIfClosed()
  }

  // MARK: - JSON

  private func write(_ outcome: DiffOutcome, to json: inout JSONWriter) {
    json.members(["old": old, "new": new, "equal": outcome.isEqual])
    Named(outcome.totals.map { ($0.name, $0.count) }).write("totals", to: &json)
    outcome.events.write("events", to: &json)
    outcome.attributes.write("attributes", to: &json)
    outcome.profiles.write("profiles", to: &json)
    if let days = outcome.days { json.object("daily_counts") { write(days, to: &$0) } }
    write("rejects", outcome.rejects.map { ($0.code, $0.count) }, "code", to: &json)
  }

  private func write(_ changes: DailyChanges, to json: inout JSONWriter) {
    json.members(["old": changes.isCounted.old, "new": changes.isCounted.new])
    guard changes.isCounted.old, changes.isCounted.new else { return }
    if changes.start.old != changes.start.new {
      json.object("complete_from") { json in
        if let day = changes.start.old { json.member("old", day) }
        if let day = changes.start.new { json.member("new", day) }
      }
    }
    changes.days.write("days", to: &json)
    json.member("equal_days", changes.equal)
    write("weeks", changes.weeks, "week", to: &json)
    write("months", changes.months, "month", to: &json)
  }

  /// Writes an array of changes, whose names are in the field `name` of each.
  private func write(
    _ key: StaticString, _ changes: [(String, Change)], _ name: StaticString,
    to json: inout JSONWriter
  ) {
    json.objects(key, of: changes) { change, json in
      json.member(name, change.0)
      change.1.writeFields(to: &json)
    }
  }
}

extension Change: WrittenObject {
  package static let fields: [Field<Change>] = [
    .written("old", \.old), .written("new", \.new),
  ]
}

extension EventChange: WrittenObject {
  package static let fields: [Field<EventChange>] = [
    .written("name", \.name), .written("old", \.old), .written("new", \.new),
  ]
}

extension EventFigures: WrittenObject {
  package static let fields: [Field<EventFigures>] = [
    .written("count", \.count), .written("profiles", \.profiles),
    .written("duplicates", \.duplicates),
    .written("first_seen") { $0.firstSeen.map(Timestamp.text) },
    .written("last_seen") { $0.lastSeen.map(Timestamp.text) },
  ]
}

extension AttributeChange: WrittenObject {
  package static let fields: [Field<AttributeChange>] = [
    .written("name", \.name), .written("old") { $0.old.isEmpty ? nil : $0.old },
    .written("new") { $0.new.isEmpty ? nil : $0.new },
    .written("profiles") { $0.profiles > 0 ? $0.profiles : nil },
  ]
}

extension DailyChanges.Day: WrittenObject {
  package static let fields: [Field<DailyChanges.Day>] = [
    .written("day", \.name), .written("old", \.old), .written("new", \.new),
  ]
}

extension DailyChanges.Figures: WrittenObject {
  package static let fields: [Field<DailyChanges.Figures>] = [
    .written("events", \.events), .written("active", \.active),
    .written("new", \.new),
  ]
}
