import Jobs
import Pipeline
import Stages

/// The lines of summaries.
enum Summary {
  private static let indent = 12

  /// A line; nil if there is nothing to say.
  static func line(
    _ name: String, _ text: @autoclosure () -> String, if isThere: Bool = true
  ) -> String? {
    isThere
      ? name + String(repeating: " ", count: max(0, indent - name.count)) + text() : nil
  }

  static func read(_ bytes: Int, _ seconds: Double) -> String? {
    line("read", JobRunner.speed(bytes: bytes, seconds: seconds))
  }

  /// The lines with the outcomes of all lines, events and operations.
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

  static func counts(_ facts: TallyFacts, _ more: [String] = []) -> String {
    let counts = [
      NumberFormat.count(facts.total.lines, "line"),
      NumberFormat.count(facts.total.accepted, "event"),
    ]
    let rejects = "\(NumberFormat.count(facts.linesWithRejects, "line")) with a rejected part; "
    return (counts + more + [rejects]).joined(separator: ", ")
  }

  private static let mostNamed = 3

  static func ignoredFiles(_ files: IgnoredFiles) -> String? {
    line("ignored", files.sentence(naming: mostNamed), if: files.count > 0)
  }

  static func skipped(_ count: Int) -> String? {
    line(
      "skipped",
      "inputs with content that was read before: \(NumberFormat.grouped(count)) "
        + "(--reingest reads them, too)", if: count > 0)
  }

  static func skipped(_ inputs: [RepeatedInput]) -> String? {
    skipped(inputs.count).map { "\($0): \(names(inputs))" }
  }

  /// The warning of a command that reads copies, too.
  static func copies(_ inputs: [RepeatedInput]) -> [String] {
    let count = NumberFormat.count(inputs.count, "copy of another input", "copies of other inputs")
    return inputs.isEmpty ? [] : ["run skips \(count), read here: \(names(inputs))"]
  }

  private static func names(_ inputs: [RepeatedInput]) -> String {
    list(inputs.map { "\($0.path) is \($0.first)" }, atMost: mostNamed)
  }

  /// `a, b and 3 more`: those after the first `most`, and `others`.
  static func list(_ names: [String], atMost most: Int, others: Int = 0) -> String {
    let more = max(0, names.count - most) + others
    return names.prefix(most).joined(separator: ", ")
      + (more > 0 ? " and \(NumberFormat.grouped(more)) more" : "")
  }

  /// The lines about rejected and dropped parts, which files of `output` list, and remarks.
  static func rejects(_ facts: TallyFacts, in output: String, losses file: String) -> [String?] {
    let lines = facts.linesWithRejects
    return [
      line(
        "rejects",
        "\(NumberFormat.count(lines, "line has", "lines have")) a rejected part: see "
          + "\(output)/\(RunFiles.rejects)", if: lines > 0)
    ] + losses(facts, in: output, listedIn: file)
  }

  private static let mostCodes = 5

  /// The line about dropped parts, which a file of `output` lists, and as ``remarks(_:)``.
  static func losses(_ facts: TallyFacts, in output: String, listedIn file: String) -> [String?] {
    let parts = NumberFormat.count(facts.losses.total, "part was", "parts were")
    let codes = facts.losses.mostFrequentFirst(by: \.count).map {
      "\($0.code.text) \(NumberFormat.grouped($0.count))"
    }
    return [
      line(
        "losses", "\(parts) dropped: \(list(codes, atMost: mostCodes)); see \(output)/\(file)",
        if: facts.losses.total > 0)
    ] + remarks(facts)
  }

  /// The lines about implausible dates and unknown fields, with the most frequent ones.
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

/// Reasons or losses, the most frequent first, with examples.
struct CodeTable {
  private let codes: [TallyFacts.CodeCount]
  /// The inputs' paths, by the numbers in samples.
  private let inputs: [String]

  init(_ codes: [TallyFacts.CodeCount], of inputs: [String], top: Int = .max) {
    self.codes = Array(codes.mostFrequentFirst(by: \.count).prefix(top))
    self.inputs = inputs
  }

  /// A table with `samples` examples of each code; nothing without codes.
  func parts(_ title: String, samples: Int = 1) -> [CommandResult.Part] {
    guard !codes.isEmpty else { return [] }
    let rows = codes.flatMap { code in
      code.samples.prefix(samples).enumerated().map { ($0 == 0 ? code : nil, $1) }
    }
    let table = TextTable(
      of: rows,
      [
        .text(title) { $0.0?.code.text ?? "" },
        .right("count") { $0.0.map { NumberFormat.grouped($0.count) } ?? "" },
        .location(samples == 1 ? "first at" : "at") { "\(inputs[$0.1.input]):\($0.1.line)" },
        .text("path", \.1.path),
      ])
    return [.lines([""]), .table(table)]
  }

  /// Writes the array `key`, with the first example of each code or all known ones.
  func write(_ key: StaticString, samples: Bool = false, to json: inout JSONWriter) {
    json.objects(key, of: codes) { code, json in
      json.members(["code": code.code.text, "count": code.count])
      let places = code.places(in: inputs)
      if samples { places.write("samples", to: &json) } else { places[0].write("first", to: &json) }
    }
  }
}
