import Jobs
import Pipeline

/// Reports a published output: later problems neither undo it nor make the command a failure.
enum PublishedOutput {
  /// Warns about a problem after publication, and prints the summary of the job: `json` with
  /// `--json`, else what `text` prints, unless `--quiet`.
  static func report(
    _ warning: Failure?, on console: Console, json: () -> ByteBuffer,
    text: () throws(Failure) -> Void
  ) {
    if let warning { console.warn(warning) }
    do throws(Failure) {
      if console.settings.json {
        try console.write(json())
      } else if !console.settings.quiet {
        try text()
      }
      try console.flush()
    } catch {
      console.warn(error)
    }
  }

  /// Reports that `output` already exists, and that nothing was done.
  /// - Throws: `io`, when standard output cannot be written.
  static func reportFinished(
    _ output: String, _ step: (MergeStep, Int)? = nil, on console: Console
  ) throws(Failure) -> ExitCode {
    console.note(
      (step.map { "\($0) of partition \($1) in " } ?? "") + "\(output) is finished already")
    guard console.settings.json else { return .done }
    let text = JSONWriter.document { json in
      json.member("output", output)
      if let (step, partition) = step {
        json.member("step", step.rawValue)
        json.member("partition", partition)
      }
      json.member("already_finished", true)
      json.figures(seconds: console.clock.seconds)
    }
    try console.write(text.view)
    return .done
  }

  /// The lines with the outcomes of all lines, events and operations; `bad` highlights refused
  /// ones.
  static func ledger(_ ledger: Ledger, bad: (String) -> String = { $0 }) -> [String] {
    Ledger.equations.map { equation in
      let name = "\(equation.name)" + String(repeating: " ", count: 12 - "\(equation.name)".count)
      let parts = equation.summary(of: ledger).map { part, count in
        let text = NumberFormat.count(
          count, part.fate == .outside ? part.words : part.label,
          part.fate == .outside ? part.words : part.name)
        return part.fate == .refused && count > 0 ? bad(text) : text
      }
      return name + NumberFormat.grouped(ledger[keyPath: equation.total]) + ": "
        + parts.joined(separator: ", ")
    }
  }

  /// Paths listed in a line.
  private static let mostNamed = 3

  /// The line about ignored files in directories; none without any.
  static func ignoredFiles(_ ignoredFiles: IgnoredFiles) -> [String] {
    ignoredFiles.count == 0 ? [] : ["ignored     \(ignoredFiles.sentence(naming: mostNamed))"]
  }

  /// The line about skipped inputs, if any.
  static func skipped(_ count: Int) -> [String] {
    if count == 0 { return [] }
    return [
      "skipped     inputs with content that was read before: \(NumberFormat.grouped(count)) "
        + "(--reingest reads them, too)"
    ]
  }

  /// The same, with the first of them and the names under which their content was read.
  static func skipped(_ inputs: [RepeatedInput]) -> [String] {
    let named = inputs.prefix(mostNamed).map { "\($0.path) is \($0.first)" }
    let more = inputs.count - named.count
    return skipped(inputs.count).map {
      "\($0): \(named.joined(separator: ", "))"
        + (more > 0 ? " and \(NumberFormat.grouped(more)) more" : "")
    }
  }

  /// The line about lines with a rejected part; none without any.
  static func rejects(_ lines: Int, in output: String) -> [String] {
    guard lines > 0 else { return [] }
    return [
      "rejects     \(NumberFormat.count(lines, "line has", "lines have")) a rejected part: see "
        + "\(output)/\(RunFiles.rejects)"
    ]
  }

  /// The line about dropped parts, with the file of the output that lists them; none without any.
  static func losses(_ parts: Int, in output: String, listedIn file: String) -> [String] {
    guard parts > 0 else { return [] }
    return [
      "losses      \(NumberFormat.count(parts, "part was", "parts were")) dropped: see \(output)/\(file)"
    ]
  }

  /// The line about accepted dates that are implausible, and their most frequent keys; none without
  /// any.
  static func remarks(_ dates: NameCounts) -> [String] {
    guard dates.total > 0 else { return [] }
    return [
      "remarks     \(NumberFormat.count(dates.total, "date is", "dates are")) before 1900 or after 2100: "
        + dates.mostFrequent
    ]
  }

  /// The line about omitted fields that no rule reads, and the most frequent ones; none without
  /// any.
  static func unknownFields(_ fields: NameCounts) -> [String] {
    guard fields.total > 0 else { return [] }
    return [
      "unknown     \(NumberFormat.count(fields.total, "field")) that no rule reads: "
        + fields.mostFrequent
    ]
  }
}

extension TallyFacts {
  /// Checks `--max-rejects` for a command that publishes nothing.
  ///
  /// - Throws: `rejects`, when more lines have a rejected part than the options allow.
  func check(_ options: ReadOptions, besides lost: Int = 0) throws(Failure) {
    guard let limit = options.maxRejects, exceeds(limit, besides: lost) else { return }
    throw failure(
      limit, besides: lost, path: nil, advice: ["fix the logs", "raise --max-rejects"])
  }
}
