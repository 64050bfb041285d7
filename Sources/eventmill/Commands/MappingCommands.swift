import Jobs
import Pipeline
import Stages

/// `eventmill mappings`: shows the built-in mappings.
struct MappingsCommand: Request {
  /// The one whose file is printed; nil for a table of all.
  private let name: BuiltInMapping?

  init(options: CommandOptions) throws(Failure) {
    name = options.operands.first.flatMap(BuiltInMapping.init(rawValue:))
    guard let operand = options.operands.first, name == nil else { return }
    let names = BuiltInMapping.allCases.map(\.rawValue)
    throw Failure.commandLine(
      "no built-in mapping is called \"\(operand)\"",
      NearestName.of(operand, among: names).map { "did you mean \($0)?" }
        ?? "see eventmill mappings")
  }

  /// Prints the file of one, or a line for each.
  ///
  /// - Throws: when it cannot be printed.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    if let name {
      var text = ByteBuffer()
      text.append(contentsOf: name.text)
      try console.write(text)
    } else if console.settings.json {
      var text = ByteBuffer()
      for mapping in BuiltInMapping.allCases {
        JSONWriter.line(to: &text) { json in
          json.member("name", mapping.rawValue)
          json.member("description", mapping.summary)
        }
      }
      try console.write(text)
    } else {
      var table = TextTable([("name", .left), ("logs", .left)])
      for mapping in BuiltInMapping.allCases { table.add([mapping.rawValue, mapping.summary]) }
      for line in table.lines(heading: console.heading) { try console.print(line) }
    }
    try console.flush()
    return .done
  }
}

/// `eventmill mapping infer`: proposes a mapping for logs.
struct MappingInferCommand: Request {
  let options: CommandOptions
  /// The provisional name of the dialect.
  private static let dialect = "unnamed"

  /// Prints the mapping, and the certainty of each field.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    let proposal = try JobRunner.run(on: console) { control throws(Failure) in
      try InferMappingJob(options.run.read, control: control).run()
    }
    guard proposal.lines > 0 else {
      console.note("no line is a JSON object, so there is nothing to propose")
      return .failed
    }
    let mapping = proposal.text(dialect: Self.dialect, isOneLine: console.settings.json)
    if console.settings.json {
      try console.write(Self.json(proposal, mapping.view))
    } else {
      try console.write(mapping)
    }
    // The mapping first, even if both streams are the same.
    try console.flush()
    if !console.settings.json {
      for choice in proposal.choices {
        console.note("\(choice.field): \(choice.path), \(choice.certainty) % sure: \(choice.why)")
      }
    }
    for field in proposal.missing {
      console.note(
        "\(field): nothing in \(NumberFormat.count(proposal.lines, "line")) looks like it")
    }
    return proposal.missing.isEmpty ? .done : .failed
  }

  private static func json(_ proposal: MappingProposal, _ mapping: ByteView) -> ByteBuffer {
    JSONWriter.document { json in
      json.member("lines", proposal.lines)
      json.objects("choices", of: proposal.choices) { choice, json in
        json.member("field", choice.field)
        json.member("path", choice.path)
        json.member("certainty", choice.certainty)
        json.member("why", choice.why)
      }
      json.array("missing", of: proposal.missing)
      json.member("mapping", JSONText(mapping))
    }
  }
}

/// `eventmill mapping test`: shows which lines and fields a mapping reads.
struct MappingTestCommand: Request {
  private let options: ReadOptions
  private let dialect: Dialect

  init(options: CommandOptions) throws(Failure) {
    let mappings = try MappingFiles.load([options.operands[0]])
    guard let mapping = mappings.all.first, options.operands.count > 1 else {
      throw Failure.commandLine(
        "mapping test needs logs", Command.mappingTest.facts.operandAdvice)
    }
    dialect = mapping.dialect
    var read = options.run.read
    read.inputs.removeFirst()
    read.rules.mappings = mappings
    self.options = read
  }

  /// Checks the logs as `validate` does, after reporting how many lines the mapping reads.
  ///
  /// - Throws: as ``ValidateCommand/execute(on:)``.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    try ValidateCommand.execute(options, on: console) { outcome throws(Failure) in
      let lines = outcome.facts.total.lines - outcome.facts.total.blank
      let read = outcome.facts.dialects.lines(of: dialect)
      try console.print(
        "\(NumberFormat.grouped(read)) of \(NumberFormat.count(lines, "line")) \(read == 1 || lines == 1 ? "is" : "are") of \(dialect.name)"
      )
      try console.print("")
    }
  }
}
