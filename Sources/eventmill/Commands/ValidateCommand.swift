import Jobs
import Pipeline

/// `eventmill validate`: checks logs and writes nothing.
struct ValidateCommand: JobRequest {
  /// Bytes in long zstd frames from which on shorter ones are advised: reading them takes seconds.
  private static let manyInLongFrames = 256 << 20

  let options: CommandOptions

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    try Self.result(
      options.run.read, control, byFile: options.validateGrouping == .file,
      top: options.top ?? .max
    ) { _ in [] }
  }

  /// Totals and the `top` most frequent reasons, and with `byFile` inputs, after `first`.
  static func result(
    _ options: ReadOptions, _ control: JobControl, byFile: Bool = false, top: Int = .max,
    _ first: @escaping (ReadSummary) -> [String]
  ) throws(Failure) -> CommandResult {
    let read = try control.validate(options)
    let (facts, inputs) = (read.facts, read.inputs)
    let files = zip(inputs, facts.ledgers).filter { rejected($0.1) > 0 }
      .mostFrequentFirst { rejected($0.1) }.prefix(byFile ? top : 0)
    var result = CommandResult { json in
      write(read, top: top, to: &json)
      if byFile {
        json.objects("inputs", of: files) { file, json in
          json.member("path", file.0)
          file.1.write("ledger", to: &json)
        }
      }
    } text: {
      let frames = longFrames(read.inLongFrames, of: read.bytes)
      let remarks = (Summary.remarks(facts) + [frames]).compactMap { $0 }
      return [.lines(first(read)), .table(totals(facts.total))]
        + (files.isEmpty ? [] : [.lines([""]), .table(table(of: files))])
        + CodeTable(facts.reasons, of: inputs, top: top).parts("reason")
        + CodeTable(facts.losses, of: inputs, top: top).parts("loss")
        + CodeTable(facts.remarks, of: inputs, top: top).parts("remark")
        + [.lines(remarks.isEmpty ? [] : [""] + remarks)]
    }
    result.add(read)
    result.warnings = Summary.copies(read.copies)
    result.code = (read.lost.first { $0.kind == .corrupt } ?? read.lost.first)
      .map { ExitCode($0.kind, signal: nil) }
    result.failure = facts.excess(of: options)
    return result
  }

  /// Advice for logs that one core decompresses for the most part: `long` of `bytes` bytes.
  static func longFrames(_ long: Int, of bytes: Int) -> String? {
    let limit = "\(InputSummary.longFrame >> 20) MiB"
    return Summary.line(
      "frames",
      "\(NumberFormat.bytes(long)) are in zstd frames of more than \(limit), and one core "
        + "decompresses each of them; write frames of at most \(limit), and all cores do",
      if: long >= manyInLongFrames && 2 * long >= bytes)
  }

  private static func totals(_ ledger: Ledger) -> TextTable {
    func cell(
      _ equation: Ledger.Equation, _ fates: Ledger.Fate..., named: Bool = false
    ) -> String {
      equation.summary(of: ledger).filter { fates.contains($0.part.fate) }.map { part, count in
        NumberFormat.grouped(count) + (named ? " \(part.name)" : "")
      }.joined(separator: ", ")
    }
    return TextTable(
      of: Ledger.equations,
      [
        .text("") { "\($0.name)" }, .number("total") { ledger[keyPath: $0.total] },
        .right("good") { cell($0, .kept) }, .right("bad") { cell($0, .refused) },
        .text("") { cell($0, .setAside, .outside, named: true) },
      ]
    ) { $0.parts.contains { $0.fate == .refused && ledger[keyPath: $0.count] > 0 } ? [3] : [] }
  }

  private static func rejected(_ ledger: Ledger) -> Int {
    ledger.rejectedLines + ledger.rejected + ledger.refused
  }

  private static func table(of files: ArraySlice<(String, Ledger)>) -> TextTable {
    TextTable(
      of: files,
      [
        .location("file", \.0), .number("lines", \.1.lines),
        .number("rejected lines", \.1.rejectedLines), .number("events", \.1.rejected),
        .number("operations", \.1.refused),
      ])
  }

  private static func write(_ read: ReadSummary, top: Int, to json: inout JSONWriter) {
    let (facts, inputs) = (read.facts, read.inputs)
    facts.total.write("ledger", to: &json)
    json.member("lines_with_rejects", facts.linesWithRejects)
    json.objects("not_logs", of: read.notLogs) { failure, json in
      json.members(["path": failure.path ?? "", "why": failure.why])
    }
    json.objects("lost", of: read.lost) { failure, json in
      json.member("path", failure.path ?? "")
      json.member("from_offset", failure.offset ?? 0)
      json.member("kind", failure.kind.rawValue)
      json.member("why", failure.why)
    }
    read.ignoredFiles.writeField(to: &json)
    json.member("bytes_in_long_frames", read.inLongFrames)
    CodeTable(facts.reasons, of: inputs, top: top).write("reasons", to: &json)
    CodeTable(facts.losses, of: inputs, top: top).write("losses", to: &json)
    facts.remarks(of: inputs).write("remarks", to: &json)
    facts.unknownFields.write("unknown_fields", to: &json)
  }
}
