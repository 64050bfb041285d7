import Jobs
import Pipeline

/// `eventmill night list`: shows every night of a chain, or the files that each has read.
struct NightListCommand: Request {
  let options: CommandOptions

  func execute(on console: Console) throws(Failure) -> ExitCode {
    guard let output = options.night.output else { preconditionFailure("--out is required") }
    let folder = NightFolder(output)
    let nights = try folder.list(upTo: options.night.last, options.night.retention)
    return try console.show(
      options.listsFiles
        ? files(of: nights, try unread(in: folder, nights, on: console), on: console)
        : list(of: nights, folder, on: console))
  }

  private func list(
    of nights: [ListedNight], _ folder: NightFolder, on console: Console
  ) -> CommandResult {
    CommandResult {
      JSONWriter.lines(of: nights) { night, json in
        json.members(["night": night.day.text, "state": night.state.rawValue])
        if night.count > 1 { json.members(["through": night.last.text, "nights": night.count]) }
        if let why = night.why { json.member("why", why) }
        json.member("output", folder.path(of: night.day))
        night.figures.writeKnown(to: &json)
        if let bytes = night.bytes { json.member("bytes", bytes) }
      }
    } text: {
      guard !nights.isEmpty else { return [.lines(["there is no night yet"])] }
      let table = TextTable(
        of: nights,
        [
          // Numbers are never cut.
          .right("night") { $0.day.text }, .right("state") { $0.state.rawValue },
          .known("lines", \.figures.lines), .right("rejects") { Self.rejects(of: $0.figures) },
          .known("people", \.figures.people),
          .right("took") { $0.figures.seconds.map(NumberFormat.duration) ?? "-" },
          .right("size") { $0.bytes.map(NumberFormat.bytes) ?? "-" }, .text("from", \.figures.base),
          .text("note") { night in
            if night.count > 1 {
              return "\(NumberFormat.count(night.count, "night")), to \(night.last.text)"
            }
            let late = night.figures.late.count
            return night.why?.visible ?? (late > 0 ? NumberFormat.count(late, "late file") : nil)
          },
        ]
      ) { [.bad, .rejected, .damaged, .missing].contains($0.state) ? [1] : [] }
      return [.table(table)]
    }
  }

  private static func rejects(of figures: NightFigures) -> String {
    guard let lines = figures.lines, let rejects = figures.linesWithRejects, lines > 0 else {
      return "-"
    }
    return NumberFormat.percent(Double(rejects) / Double(lines))
  }

  private typealias Row = (path: String, night: String?, outcome: String, lines: Int?)

  private func unread(
    in folder: NightFolder, _ nights: [ListedNight], on console: Console
  ) throws(Failure) -> [Row] {
    guard let logs = options.night.logs else { return [] }
    let published = nights.filter { $0.bytes != nil }.map(\.day)
    let late = try JobRunner.run(on: console) { control throws(Failure) in
      try folder.lateFiles(
        ofLast: .max, published: published, logs: logs, options.run.read, control)
    }
    for failure in late.failures { console.warn(failure) }
    let unread = late.unread + late.packed
    let outcomes = [("unread", unread), ("changed", late.changed), ("gone", late.gone)]
    return outcomes.flatMap { outcome, paths in paths.map { ($0, nil, outcome, nil) } }
  }

  private func files(
    of nights: [ListedNight], _ others: [Row], on console: Console
  ) -> CommandResult {
    let rows =
      nights.flatMap { night in
        night.files.map { file -> Row in
          let lines = file.outcome == .skipped ? nil : file.lines
          return (file.path, night.day.text, file.outcome.rawValue, lines)
        }
      } + others
    return CommandResult {
      JSONWriter.lines(of: rows) { row, json in
        json.members(["path": row.path, "outcome": row.outcome])
        if let night = row.night { json.member("night", night) }
        if let lines = row.lines { json.member("lines", lines) }
      }
    } text: {
      guard !rows.isEmpty else { return [.lines(["no night has read a file"])] }
      let table = TextTable(
        of: rows,
        [
          .text("night", \.night), .text("outcome", \.outcome), .known("lines", \.lines),
          .text("file") { $0.path.visible },
        ]
      ) { $0.night == nil ? [1] : [] }
      return [.table(table)]
    }
  }
}

extension NightFigures {
  fileprivate func writeKnown(to json: inout JSONWriter) {
    if let ended { json.member("ended", ended) }
    if let seconds { json.member("seconds", seconds) }
    if let lines { json.member("lines", lines) }
    if let linesWithRejects { json.member("lines_with_rejects", linesWithRejects) }
    if let people { json.member("profiles", people) }
    if let base { json.member("base", base) }
    if !late.isEmpty { json.array("late_files", of: late) }
  }
}

extension TextTable.Column {
  fileprivate static func known(
    _ title: String, _ number: @escaping (Row) -> Int?
  ) -> TextTable.Column<Row> {
    .right(title) { number($0).map(NumberFormat.grouped) ?? "-" }
  }
}
