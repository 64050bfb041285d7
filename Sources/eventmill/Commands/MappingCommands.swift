import Jobs
import Pipeline
import Stages

/// `eventmill mapping list` and `mapping show`: the built-in mappings.
struct MappingsCommand: Request {
  /// The one whose file is printed; nil for a table of all.
  private let name: BuiltInMapping?

  init(options: CommandOptions) throws(Failure) {
    name = options.operands.first.flatMap(BuiltInMapping.init(rawValue:))
    guard let operand = options.operands.first, name == nil else { return }
    throw Failure.commandLine(
      "no built-in mapping is called \"\(operand)\"", meant: operand,
      among: BuiltInMapping.allCases.map(\.rawValue), else: "see eventmill mapping list")
  }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    let all = BuiltInMapping.allCases
    let file = name.map { String(decoding: $0.text, as: UTF8.self) }
    return try console.show(
      CommandResult {
        if let file {
          // In one line: no text in it has a line end.
          let lines = file.split(separator: "\n").map { $0.drop { $0 == " " } }
          return ByteBuffer(text: lines.joined() + "\n")
        }
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

/// `eventmill mapping test`: shows which lines and fields a mapping reads.
struct MappingTestCommand: JobRequest {
  private let options: ReadOptions
  private let dialect: Dialect

  init(options: CommandOptions) throws(Failure) {
    guard let mapping = options.run.read.rules.mappings.all.first, options.operands.count > 1 else {
      throw Failure.commandLine("mapping test needs logs", Command.mappingTest.facts.operandAdvice)
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
