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
    throw Failure.commandLine(
      "no built-in mapping is called \"\(operand)\"", meant: operand,
      among: BuiltInMapping.allCases.map(\.rawValue), else: "see eventmill mappings")
  }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    let all = BuiltInMapping.allCases
    let file = name.map { String(decoding: $0.text, as: UTF8.self) }
    return try console.show(
      CommandResult {
        if let file { return ByteBuffer(text: file) }
        return JSONWriter.lines(of: all) { mapping, json in
          json.members(["name": mapping.rawValue, "description": mapping.summary])
        }
      } text: {
        if let file { return [.text(file)] }
        let table = TextTable(of: all, [.text("name", \.rawValue), .text("logs", \.summary)])
        return [.lines(table.lines(heading: console.heading))]
      })
  }
}

/// `eventmill mapping infer`: proposes a mapping for logs.
struct MappingInferCommand: JobRequest {
  let options: CommandOptions
  /// The provisional name of the dialect.
  private static let dialect = "unnamed"

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    let proposal = try control.inferMapping(options.run.read)
    var result = CommandResult {
      Self.json(proposal)
    } text: {
      let mapping = proposal.text(dialect: Self.dialect)
      return mapping.isEmpty ? [] : [.text(mapping.view.text)]
    }
    result.code = proposal.missing.isEmpty ? .done : .different
    switch proposal.known {
    case .dialect(let dialect): result.notes = ["they are of \(dialect.name): no mapping is needed"]
    case .builtIn(let mapping):
      result.notes = ["they look like \(mapping.rawValue), a built-in mapping"]
    case nil:
      result.notes = proposal.choices.map {
        "\($0.field): \($0.path), \($0.certainty) % sure: \($0.why)"
      }
      guard !proposal.missing.isEmpty else { break }
      let missing = proposal.missing.map { "no \($0)" }.joined(separator: ", ")
      result.notes.append("I do not know: there is \(missing)")
    }
    if console.settings.json { result.notes = [] }
    return result
  }

  private static func json(_ proposal: MappingProposal) -> ByteBuffer {
    let mapping = proposal.text(dialect: dialect, isOneLine: true)
    return JSONWriter.document { json in
      json.member("lines", proposal.lines)
      switch proposal.known {
      case .dialect(let known): json.member("dialect", known.name)
      case .builtIn(let known): json.member("built_in", known.rawValue)
      case nil: break
      }
      json.objects("choices", of: proposal.choices) { choice, json in
        json.members([
          "field": choice.field, "path": choice.path, "certainty": choice.certainty,
          "why": choice.why,
        ])
      }
      json.array("missing", of: proposal.missing)
      if !mapping.isEmpty { json.member("mapping", JSONText(mapping.view)) }
    }
  }
}

/// `eventmill mapping test`: shows which lines and fields a mapping reads.
struct MappingTestCommand: JobRequest {
  private let options: ReadOptions
  private let dialect: Dialect

  init(options: CommandOptions) throws(Failure) {
    guard let mapping = options.run.read.rules.mappings.all.first, options.operands.count > 1
    else {
      throw Failure.commandLine(
        "mapping test needs logs", Command.mappingTest.facts.operandAdvice)
    }
    dialect = mapping.dialect
    var read = options.run.read
    read.inputs.removeFirst()
    self.options = read
  }

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    try ValidateCommand.result(options, control) { outcome in
      let lines = outcome.facts.total.lines - outcome.facts.total.blank
      let read = outcome.facts.dialects.lines(of: dialect)
      return [
        "\(NumberFormat.grouped(read)) of \(NumberFormat.count(lines, "line")) "
          + "\(read == 1 || lines == 1 ? "is" : "are") of \(dialect.name)", "",
      ]
    }
  }
}
