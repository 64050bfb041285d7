import Jobs
import Pipeline
import Stages

/// `eventmill diff`: shows the differences between two outputs (docs/reference/file-formats.md).
struct DiffCommand: Request {
  let options: CommandOptions
  private var old: String { options.operands[0] }
  private var new: String { options.operands[1] }

  /// Runs the command and prints the differences.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind. Differences are a result.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    let outcome: DiffOutcome
    do throws(Failure) {
      outcome = try JobRunner.run(on: console) { control throws(Failure) in
        let job = DiffJob(old, new, control: control)
        guard options.listsProfiles else { return try job.run() }
        return try job.run { change throws(Failure) in try print(change, on: console) }
      }
    } catch {
      // A closed reader ends the output; it is not a failure.
      guard error == Self.unread else { throw error }
      return .different
    }
    if console.settings.json {
      try console.write(json(outcome))
    } else {
      let text = DiffText(outcome, width: console.resultWidth, heading: console.heading)
      if options.listsProfiles, outcome.profiles.differing > 0 { try console.print("") }
      for line in text.lines(old, new) { try console.print(line) }
    }
    try console.flush()
    return outcome.isEqual ? .done : .different
  }

  private static let unread = Failure(
    .io, doing: "writing to", path: "standard output", why: "its reader has closed it")

  // MARK: - Profiles

  private func print(_ change: ProfileChange, on console: Console) throws(Failure) {
    if console.settings.json {
      try console.write(
        JSONWriter.document { json in
          json.member("change", change.kind.rawValue)
          json.member("kind", change.owner)
          json.member("id", change.id)
          if change.kind == .changed {
            json.objects("fields", of: change.fields) { field, json in
              json.member("path", field.path)
              write("old", field.old, to: &json)
              write("new", field.new, to: &json)
            }
          }
        })
    } else {
      for line in DiffText.lines(of: change) { try console.print(line) }
    }
    if console.isOutputClosed { throw Self.unread }
  }

  private func write(_ name: StaticString, _ value: String?, to json: inout JSONWriter) {
    guard let value else { return }
    json.member(name) { $0.append(text: value) }
  }

  // MARK: - JSON

  private func json(_ outcome: DiffOutcome) -> ByteBuffer {
    JSONWriter.document { json in
      json.member("old", old)
      json.member("new", new)
      json.member("equal", outcome.isEqual)
      json.object("totals") { json in
        for (name, count) in outcome.totals {
          json.object(named: name) { json in
            json.member("old", count.old)
            json.member("new", count.new)
          }
        }
      }
      json.objects("events", of: outcome.events) { event, json in
        json.member("name", event.name)
        write("old", event.old, to: &json)
        write("new", event.new, to: &json)
      }
      json.objects("attributes", of: outcome.attributes) { attribute, json in
        json.member("name", attribute.name)
        if !attribute.old.isEmpty { json.array("old", of: attribute.old) }
        if !attribute.new.isEmpty { json.array("new", of: attribute.new) }
        if attribute.profiles > 0 { json.member("profiles", attribute.profiles) }
      }
      outcome.profiles.write("profiles", to: &json)
      if let days = outcome.days { write(days, to: &json) }
      json.objects("rejects", of: outcome.rejects) { reason, json in
        json.member("code", reason.code)
        json.member("old", reason.count.old)
        json.member("new", reason.count.new)
      }
    }
  }

  private func write(_ changes: DailyChanges, to json: inout JSONWriter) {
    json.object("daily_counts") { json in
      json.member("old", changes.isCounted.old)
      json.member("new", changes.isCounted.new)
      guard changes.isCounted.old, changes.isCounted.new else { return }
      if changes.start.old != changes.start.new {
        json.object("complete_from") { json in
          if let day = changes.start.old { json.member("old", day) }
          if let day = changes.start.new { json.member("new", day) }
        }
      }
      json.objects("days", of: changes.days) { day, json in
        json.member("day", day.name)
        write("old", day.old, to: &json)
        write("new", day.new, to: &json)
      }
      json.member("equal_days", changes.equal)
      for (key, member, periods) in [
        ("weeks", "week", changes.weeks), ("months", "month", changes.months),
      ] as [(StaticString, StaticString, [(name: String, active: Change)])] {
        json.objects(key, of: periods) { period, json in
          json.member(member, period.name)
          json.member("old", period.active.old)
          json.member("new", period.active.new)
        }
      }
    }
  }

  private func write(
    _ name: StaticString, _ figures: DailyChanges.Figures?, to json: inout JSONWriter
  ) {
    guard let figures else { return }
    json.object(name) { json in
      json.member("events", figures.events)
      json.member("active", figures.active)
      json.member("new", figures.new)
    }
  }

  private func write(_ name: StaticString, _ event: EventFigures?, to json: inout JSONWriter) {
    guard let event else { return }
    json.object(name) { json in
      json.member("count", event.count)
      json.member("profiles", event.profiles)
      json.member("duplicates", event.duplicates)
      if let first = event.firstSeen { json.member("first_seen", Timestamp.text(first)) }
      if let last = event.lastSeen { json.member("last_seen", Timestamp.text(last)) }
    }
  }
}
