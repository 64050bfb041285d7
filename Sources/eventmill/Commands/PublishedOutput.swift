import Jobs
import Pipeline

/// How a command tells of an output that it has published: nothing that goes wrong from here on
/// undoes it, or makes the command a failure.
enum PublishedOutput {
  /// Warns of what went wrong after the output was published, and prints the summary of the job:
  /// `json` with `--json`, else what `text` prints, unless `--quiet`.
  static func report(
    _ warning: Failure?, on console: Console, json: () -> ByteBuffer,
    text: () throws(Failure) -> Void
  ) {
    if let warning { console.warn(warning.message, about: warning) }
    do throws(Failure) {
      if console.settings.json {
        try console.write(json())
      } else if !console.settings.quiet {
        try text()
      }
      try console.flush()
    } catch {
      console.warn(error.message, about: error)
    }
  }

  /// Reports that `output` is there already, and that nothing was done.
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

  /// The lines that say what became of all lines, events and operations; `bad` makes what was
  /// refused stand out.
  static func ledger(_ ledger: Ledger, bad: (String) -> String = { $0 }) -> [String] {
    Ledger.equations.map { equation in
      let name = "\(equation.name)" + String(repeating: " ", count: 12 - "\(equation.name)".count)
      let parts = equation.summary(of: ledger).map { part, count in
        let text =
          "\(NumberFormat.grouped(count)) \(part.fate == .outside ? part.words : part.name)"
        return part.fate == .refused && count > 0 ? bad(text) : text
      }
      return name + NumberFormat.grouped(ledger[keyPath: equation.total]) + ": "
        + parts.joined(separator: ", ")
    }
  }

  /// Paths that a line names.
  private static let mostNamed = 3

  /// The line that says what was passed over in directories; none when there was nothing.
  static func ignoredFiles(_ ignoredFiles: IgnoredFiles) -> [String] {
    ignoredFiles.count == 0 ? [] : ["ignored     \(ignoredFiles.sentence(naming: mostNamed))"]
  }

  /// The line that says how many inputs were skipped, if any was.
  static func skipped(_ count: Int) -> [String] {
    if count == 0 { return [] }
    return [
      "skipped     inputs that earlier nights have read: \(NumberFormat.grouped(count)) "
        + "(--reingest reads them again)"
    ]
  }

  /// The line that says how many lines were rejected, at least in part; none when there are none.
  static func rejects(_ lines: Int, in output: String) -> [String] {
    guard lines > 0 else { return [] }
    return [
      "rejects     \(NumberFormat.grouped(lines)) lines have a rejected part: see "
        + "\(output)/\(RunFiles.rejects)"
    ]
  }

  /// The line that says how many parts were dropped, with the file of the output that lists them;
  /// none when there are none.
  static func losses(_ parts: Int, in output: String, listedIn file: String) -> [String] {
    guard parts > 0 else { return [] }
    return ["losses      \(NumberFormat.grouped(parts)) parts were dropped: see \(output)/\(file)"]
  }

  /// The line that says how many fields that no rule reads were left out, and the most frequent
  /// ones; none when there are none.
  static func unknownFields(_ fields: UnknownFieldCounts) -> [String] {
    guard fields.total > 0 else { return [] }
    return [
      "unknown     \(NumberFormat.grouped(fields.total)) fields that no rule reads: "
        + fields.mostFrequent
    ]
  }
}

extension IgnoredFiles {
  /// How many paths there are, and the first `most` of them.
  func sentence(naming most: Int = IgnoredFiles.mostNamed) -> String {
    let named = paths.prefix(most)
    let more = count - named.count
    return "\(NumberFormat.grouped(count)) hidden or not named like logs: "
      + named.joined(separator: ", ") + (more > 0 ? " and \(NumberFormat.grouped(more)) more" : "")
  }
}

extension TallyFacts {
  /// Checks `--max-rejects` for a command that publishes nothing.
  ///
  /// - Throws: `rejects`, when more lines have a rejected part than the options allow.
  func check(_ options: ReadOptions, besides lost: Int = 0) throws(Failure) {
    guard let limit = options.maxRejects, exceeds(limit, besides: lost) else { return }
    throw failure(
      limit, besides: lost, path: nil, advice: "fix the logs, or raise --max-rejects")
  }
}
