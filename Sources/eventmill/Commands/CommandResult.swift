import Jobs
import Pipeline

/// The result of a command, for programs and for people.
struct CommandResult {
  enum Part {
    /// Lines that are filled on a terminal; those that are nil say nothing.
    case summary([String?])
    case lines([String])
    case table(TextTable)
    /// Text with its line ends.
    case text(String)
  }

  /// Whether an output was published: later problems neither undo it nor make the command a
  /// failure, and there is no text with `--quiet`.
  var isPublished = false
  let json: () -> ByteBuffer
  let text: () -> [Part]
  private(set) var warning: Failure?
  var notes: [String] = []
  var warnings: [String] = []
  /// Operands that the command could do nothing with.
  var unchecked: [Failure] = []
  /// Inputs that are not logs, and files that are not inputs.
  var notLogs: [Failure] = []
  var ignoredFiles = IgnoredFiles()
  var lost: [Failure] = []
  /// The exit code, unless it follows from the lost inputs.
  var code: ExitCode?
  /// The failure of a command that also has a result.
  var failure: Failure?

  init(object: @escaping (inout JSONWriter) -> Void, text: @escaping () -> [Part]) {
    self.init(json: { JSONWriter.document { object(&$0) } }, text: text)
  }

  init(json: @escaping () -> ByteBuffer, text: @escaping () -> [Part]) {
    (self.json, self.text) = (json, text)
  }

  /// A text about the command `command`, which is empty for the program.
  init(document field: StaticString, _ text: String, of command: String) {
    self.init(
      object: { json in
        if !command.isEmpty { json.member("command", command) }
        json.member(field, text)
      }, text: { [.text(text)] })
  }

  init(
    published output: String, _ warning: Failure?, fields: @escaping (inout JSONWriter) -> Void,
    text: @escaping () -> [Part]
  ) {
    self.init(
      object: { json in
        json.member("output", output)
        fields(&json)
      }, text: text)
    (isPublished, self.warning) = (true, warning)
  }

  init(finished output: String, _ step: (MergeStep, Int)? = nil, on console: Console) {
    self.init(
      object: { json in
        json.member("output", output)
        if let (step, partition) = step {
          json.members(["step": step.rawValue, "partition": partition])
        }
        json.member("already_finished", true)
        json.figures(seconds: console.clock.seconds)
      }, text: { [] })
    let what = step.map { "\($0) of partition \($1) in " } ?? ""
    notes = ["\(what)\(output) is finished already"]
  }

  /// Adds the note on `rows` of a table that are left out, if there are any.
  mutating func note(notShown rows: Int) {
    if rows > 0 {
      notes.append(NumberFormat.count(rows, "more row is", "more rows are") + " not shown")
    }
  }

  /// Adds what a job has read; `note` is what its note says before its speed.
  mutating func add(_ read: ReadSummary, note: String = "") {
    if !isPublished {
      notes.append(note + JobRunner.speed(bytes: read.bytes, seconds: read.seconds))
    }
    (notLogs, ignoredFiles, lost) = (read.notLogs, read.ignoredFiles, read.lost)
  }
}

extension Failure {
  /// The same where the output is published already: running again would not work.
  var afterPublishing: Failure { advising(["the output is published"]) }
}

extension TallyFacts {
  /// Writes the numbers of dropped parts, remarks and unknown fields as fields of the open object.
  func writeTotals(to json: inout JSONWriter) {
    json.member("losses", losses.total)
    json.member("remarks", remarks.total)
    json.member("unknown_fields", unknownFields.total)
  }
}

extension Console {
  /// Prints a result and what goes with it, and returns the exit code.
  func show(_ result: CommandResult) throws(Failure) -> ExitCode {
    if let warning = result.warning { warn(warning) }
    do throws(Failure) {
      if settings.json {
        try write(result.json())
      } else if !(result.isPublished && settings.quiet) {
        for part in result.text() { try print(part) }
      }
      // The result first, even if both streams are the same.
      try flush()
    } catch {
      guard result.isPublished else { throw error }
      warn(error.afterPublishing)
    }
    result.notes.forEach(note)
    for warning in result.warnings { warn(warning) }
    if result.ignoredFiles.count > 0 { note("ignored \(result.ignoredFiles.sentence())") }
    for failure in result.unchecked + result.notLogs { warn(failure) }
    let code = report(lost: result.lost)
    if let failure = result.failure { throw failure }
    return result.code ?? code
  }

  func report(lost: [Failure]) -> ExitCode {
    for failure in lost {
      warn("the rest is lost: \(failure.message { _ in false })", about: failure)
    }
    return ExitCode(lost: lost)
  }

  private func print(_ part: CommandResult.Part) throws(Failure) {
    switch part {
    case .summary(let lines): try print(summary: lines.compactMap { $0 })
    case .lines(let lines): for line in lines { try print(line) }
    case .table(let table): try print(table)
    case .text(let text): try write(ByteBuffer(text: text))
    }
  }
}

extension JSONWriter {
  mutating func members(_ fields: KeyValuePairs<StaticString, any JSONScalar>) {
    for (name, value) in fields { member(name, value) }
  }

  /// A line for each of `items`: an object, whose fields `members` writes.
  static func lines<Item>(
    of items: some Sequence<Item>, _ members: (Item, inout JSONWriter) -> Void
  ) -> ByteBuffer {
    var text = ByteBuffer()
    for item in items { line(to: &text) { members(item, &$0) } }
    return text
  }

  /// Writes input and resources as fields of the open object (docs/guides/monitoring.md).
  mutating func figures(lines: Int? = nil, bytes: Int? = nil, seconds: Double) {
    let usage = ProcessUsage()
    if let lines { member("lines", lines) }
    if let bytes { member("bytes", bytes) }
    member("seconds", seconds)
    if let seconds = usage.processorSeconds { member("processor_seconds", seconds) }
    if let bytes = usage.peakMemory { member("peak_memory_bytes", bytes) }
    if let bytes = usage.readBytes { member("read_bytes", bytes) }
    if let bytes = usage.writtenBytes { member("written_bytes", bytes) }
  }
}
