import Jobs
import Pipeline

/// The lines of summaries.
enum Summary {
  /// Columns of the name of a line.
  private static let indent = 12

  /// A line; nil if there is nothing to say.
  static func line(
    _ name: String, _ text: @autoclosure () -> String, if isThere: Bool = true
  ) -> String? {
    isThere
      ? name + String(repeating: " ", count: max(0, indent - name.count)) + text() : nil
  }

  /// The line with the amount and the speed of reading.
  static func read(_ bytes: Int, _ seconds: Double) -> String? {
    line("read", JobRunner.speed(bytes: bytes, seconds: seconds))
  }

  /// The lines with the outcomes of all lines, events and operations; `bad` highlights refused
  /// ones.
  static func ledger(_ ledger: Ledger, bad: (String) -> String = { $0 }) -> [String?] {
    Ledger.equations.map { equation in
      let parts = equation.summary(of: ledger).map { part, count in
        let text = NumberFormat.count(
          count, part.fate == .outside ? part.words : part.label,
          part.fate == .outside ? part.words : part.name)
        return part.fate == .refused && count > 0 ? bad(text) : text
      }
      return line(
        "\(equation.name)",
        NumberFormat.grouped(ledger[keyPath: equation.total]) + ": "
          + parts.joined(separator: ", "))
    }
  }

  /// What was read, for a note; `more` stands before the lines with rejects.
  static func counts(_ facts: TallyFacts, _ more: [String] = []) -> String {
    let counts = [
      NumberFormat.count(facts.total.lines, "line"),
      NumberFormat.count(facts.total.accepted, "event"),
    ]
    let rejects = "\(NumberFormat.count(facts.linesWithRejects, "line")) with a rejected part; "
    return (counts + more + [rejects]).joined(separator: ", ")
  }

  /// Paths listed in a line.
  private static let mostNamed = 3

  /// The line about ignored files in directories.
  static func ignoredFiles(_ files: IgnoredFiles) -> String? {
    line("ignored", files.sentence(naming: mostNamed), if: files.count > 0)
  }

  /// The line about skipped inputs.
  static func skipped(_ count: Int) -> String? {
    line(
      "skipped",
      "inputs with content that was read before: \(NumberFormat.grouped(count)) "
        + "(--reingest reads them, too)", if: count > 0)
  }

  /// The same, with the first of them and the names under which their content was read.
  static func skipped(_ inputs: [RepeatedInput]) -> String? {
    let named = inputs.prefix(mostNamed).map { "\($0.path) is \($0.first)" }
    let more = inputs.count - named.count
    return skipped(inputs.count).map {
      "\($0): \(named.joined(separator: ", "))"
        + (more > 0 ? " and \(NumberFormat.grouped(more)) more" : "")
    }
  }

  /// The lines about rejected and dropped parts, which files of `output` list, and as
  /// ``remarks(_:)``.
  static func rejects(
    _ facts: TallyFacts, in output: String, losses file: String
  ) -> [String?] {
    let lines = facts.linesWithRejects
    return [
      line(
        "rejects",
        "\(NumberFormat.count(lines, "line has", "lines have")) a rejected part: see "
          + "\(output)/\(RunFiles.rejects)", if: lines > 0)
    ] + losses(facts, in: output, listedIn: file)
  }

  /// The line about dropped parts, which a file of `output` lists, and as ``remarks(_:)``.
  static func losses(
    _ facts: TallyFacts, in output: String, listedIn file: String
  ) -> [String?] {
    let parts = NumberFormat.count(facts.losses.total, "part was", "parts were")
    return [
      line("losses", "\(parts) dropped: see \(output)/\(file)", if: facts.losses.total > 0)
    ] + remarks(facts)
  }

  /// The lines about accepted dates that are implausible, and about omitted fields that no rule
  /// reads, with the most frequent keys and fields.
  static func remarks(_ facts: TallyFacts) -> [String?] {
    let (dates, fields) = (facts.implausibleDates, facts.unknownFields)
    return [
      line(
        "remarks",
        "\(NumberFormat.count(dates.total, "date is", "dates are")) before 1900 or after 2100: "
          + dates.mostFrequent, if: dates.total > 0),
      line(
        "unknown",
        "\(NumberFormat.count(fields.total, "field")) that no rule reads: \(fields.mostFrequent)",
        if: fields.total > 0),
    ]
  }
}
