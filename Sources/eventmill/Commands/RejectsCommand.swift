import Jobs
import Pipeline
import Stages

/// `eventmill rejects`: shows the rejects of an output, from counts to lines.
struct RejectsCommand: Request {
  let options: CommandOptions

  private static let usual = 10

  /// Most entries shown; nil for all.
  private var most: Int? {
    if options.showsRaw { return options.lines }
    let isListed = options.reason != nil && options.rejectGrouping == nil
    return options.lines ?? (isListed ? Self.usual : 0)
  }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    let control = console.beginUnwatched()
    let job = RejectsJob(
      options.operands[0], reason: options.reason, by: options.rejectGrouping ?? .reason,
      control: control)
    var listing = Listing()
    var outcome = RejectsJob.Outcome()
    let most = most
    try console.untilClosed { () throws(Failure) in
      outcome = try job.run { reject throws(Failure) in
        if let most, listing.shown >= most { return }
        try show(reject, &listing, on: console)
        try console.endIfClosed()
      }
    }
    if listing.cut > 0 {
      console.note(
        "\(NumberFormat.count(listing.cut, "line is", "lines are")) left out: the rejects have only "
          + "the beginning, or none, of the text")
    }
    if options.showsRaw { return .done }
    if most == 0 || options.rejectGrouping != nil { return try console.show(groups(of: outcome)) }
    if !console.settings.json, outcome.selected == 0 {
      console.note("there are no such rejects")
    } else if !console.settings.json, listing.shown < outcome.selected {
      console.note(
        NumberFormat.count(outcome.selected - listing.shown, "more entry is", "more entries are")
          + " not shown; --lines shows more")
    }
    try console.flush()
    return .done
  }

  /// What was printed so far. Entries of one line follow each other.
  private struct Listing {
    var shown = 0
    /// Lines whose text is not whole.
    var cut = 0
    private var last: (source: String, line: Int)?

    mutating func begins(_ reject: ListedReject) -> Bool {
      defer { last = (reject.source, reject.line) }
      return last?.line != reject.line || last?.source != reject.source
    }
  }

  private static let longestShown = 1000

  private func show(
    _ reject: ListedReject, _ listing: inout Listing, on console: Console
  ) throws(Failure) {
    let isFirst = listing.shown == 0
    if options.showsRaw {
      guard listing.begins(reject) else { return }
      guard let raw = reject.raw, !reject.isTruncated else { return listing.cut += 1 }
      listing.shown += 1
      return try console.write(Self.line(raw))
    }
    listing.shown += 1
    if console.settings.json { return try console.write(Self.line(reject.entry)) }
    if listing.begins(reject) {
      if !isFirst { try console.print("") }
      try console.print(console.heading("\(reject.source):\(reject.line)".visible))
      let text = reject.raw?.text ?? "(its text is not here)"
      let isCut = text.unicodeScalars.count > Self.longestShown
      try console.print(
        "  \(String(text.unicodeScalars.prefix(Self.longestShown)).visible)\(isCut ? "…" : "")")
    }
    for (code, path, message) in reject.reasons {
      let place = path.isEmpty ? "" : " \(path)"
      try console.print("  \(code)\(place): \(message)".visible)
    }
  }

  private static func line(_ bytes: ByteView) -> ByteBuffer {
    var line = ByteBuffer(capacity: bytes.count + 1)
    line.append(bytes)
    line.append(JSONByte.lineFeed)
    return line
  }

  private func groups(of outcome: RejectsJob.Outcome) -> CommandResult {
    let name = (options.rejectGrouping ?? .reason).rawValue
    let all = outcome.groups
    let rows = options.top.map { Array(all.prefix($0)) } ?? all
    var result = CommandResult {
      JSONWriter.lines(of: rows) { row, json in
        json.members(["group": row.name, "by": name, "entries": row.count])
      }
    } text: {
      guard outcome.selected > 0 else { return [.lines(["there are no rejects"])] }
      let share = { (count: Int) in NumberFormat.percent(Double(count) / Double(outcome.selected)) }
      let table = TextTable(
        of: rows,
        [
          options.rejectGrouping == .file
            ? .location(name, \.name.visible) : .text(name, \.name.visible),
          .number("entries", \.count), .right("share") { share($0.count) },
        ])
      return [.table(table)]
    }
    result.note(notShown: all.count - rows.count)
    return result
  }
}
