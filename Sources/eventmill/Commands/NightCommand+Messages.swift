import Jobs
import Pipeline
import Stages

/// The output of the command.
extension NightWork {
  /// Reports what was, or in a dry run would be, done about a night.
  func note(
    _ day: Day, _ action: String, _ text: String, seconds: Double? = nil, bytes: Int? = nil
  ) throws(Failure) {
    if console.settings.json {
      try console.print { json in
        json.members(["night": day.text, "action": action, "output": folder.path(of: day)])
        if let seconds { json.member("estimated_seconds", seconds) }
        if let bytes { json.member("estimated_bytes", bytes) }
      }
      try flush()
    } else if isDryRun {
      let costs = [
        seconds.map { "about \(NumberFormat.duration($0))" }, bytes.map(NumberFormat.bytes),
      ].compactMap(\.self)
      try console.print(costs.isEmpty ? text : "\(text): \(costs.joined(separator: ", "))")
    } else {
      console.note(text)
    }
  }

  func report(_ day: Day, after previous: Day?, _ summary: RunReport) throws(Failure) {
    let events = summary.ledger.accepted
    let rejects = summary.facts.linesWithRejects
    guard console.settings.json else {
      let text =
        "\(day.text): "
        + summary.verdict.text(
          "\(NumberFormat.count(events, "event")), "
            + "\(NumberFormat.count(summary.profiles, "profile")), "
            + "\(NumberFormat.count(rejects, "line")) with a rejected part, "
            + "in \(NumberFormat.tenths(summary.seconds)) s")
      summary.verdict.level == .good ? console.note(text) : console.warn(text)
      for sentence in summary.farEvents.sentences { console.note("\(day.text): \(sentence)") }
      if summary.ignoredFiles.count > 0 {
        console.note("\(day.text): ignored \(summary.ignoredFiles.sentence())")
      }
      if !summary.erased.isEmpty {
        for line in ErasureText.lines(summary.erased, summary.erasedAt) {
          console.note("\(day.text): \(line)")
        }
      }
      return
    }
    try console.print { json in
      json.members(["night": day.text, "action": "published", "output": folder.path(of: day)])
      if let previous { json.member("previous", folder.path(of: previous)) }
      summary.verdict.write("verdict", to: &json)
      json.members([
        "inputs": summary.inputs, "lost_inputs": summary.lost.count,
        "lines": summary.ledger.lines, "events": events, "lines_with_rejects": rejects,
        "profiles": summary.profiles,
      ])
      if !summary.erased.isEmpty {
        ErasureText.write(summary.erased, summary.erasedAt, to: &json)
      }
      json.members(["far_ahead": summary.farEvents.ahead, "far_behind": summary.farEvents.behind])
      summary.ignoredFiles.writeField(to: &json)
      json.members(["verified": verifies, "seconds": summary.seconds])
    }
    try flush()
  }

  /// The last line: a summary in one sentence.
  func summarize(made: [Day], removed: Int, kept: Int, late: LateFiles) throws(Failure) {
    if console.settings.json {
      try console.print { json in
        json.members([
          "action": "summary", "dry_run": isDryRun, "newest": last.text, "published": made.count,
          "removed": removed, "kept": kept,
        ])
        late.writeFields(to: &json)
        json.figures(seconds: console.clock.seconds)
      }
    } else if !console.settings.quiet {
      let files = "\(NumberFormat.count(late.unread.count, "late file"))"
      let read = made.isEmpty ? "waiting for the next night" : isDryRun ? "to read" : "read"
      try console.print(summary: [
        (made.isEmpty
          ? "\(last.text) is published\(late.unread.isEmpty ? ", and nothing is missing" : "")"
          : "\(NumberFormat.count(made.count, "night")) \(isDryRun ? "to publish" : "published"), up to \(last.text)")
          + "; \(NumberFormat.grouped(removed)) \(isDryRun ? "to remove" : "removed"), "
          + "\(NumberFormat.count(kept, "night")) kept"
          + (late.unread.isEmpty ? "" : "; \(files) \(read): \(Self.names(late.unread))")
          + (late.changed.isEmpty ? "" : "; left out: \(Self.names(late.changed))")
      ])
    }
    try flush(isNeeded: made.isEmpty)
  }

  /// Flushes the results; after a night is published, a failure is a warning.
  private func flush(isNeeded: Bool = false) throws(Failure) {
    do throws(Failure) { try console.flush() } catch {
      if isDryRun || isNeeded { throw error }
      console.warn(error.afterPublishing)
    }
  }

  static func names(_ paths: [String]) -> String {
    let shown = paths.prefix(mostNamed).joined(separator: ", ")
    let others = paths.count - mostNamed
    return others > 0 ? "\(shown) and \(NumberFormat.count(others, "other"))" : shown
  }

  private static let mostNamed = 10
}
