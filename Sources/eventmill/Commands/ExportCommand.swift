import Jobs
import Pipeline

/// `eventmill export`: makes flat tables of an output.
struct ExportCommand: Request {
  let options: CommandOptions

  /// Runs the command and prints the tables it made.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    let summary = try JobRunner.run(on: console) { control throws(Failure) in
      try ExportJob(
        options.operands[0], format: options.format, options: options.run, tool: Version.tool,
        control: control
      ).run()
    }
    PublishedOutput.report(summary.warning, on: console) {
      json(summary)
    } text: { () throws(Failure) in
      try console.print("published \(options.run.publish.output)")
      var table = TextTable([
        ("table", .left), ("rows", .right), ("files", .right), ("size", .right),
      ])
      for (name, rows, files, bytes) in summary.tables {
        table.add(
          [
            name, NumberFormat.grouped(rows), NumberFormat.grouped(files),
            NumberFormat.bytes(bytes),
          ]
        )
      }
      try console.print(table)
    }
    return .done
  }

  private func json(_ summary: ExportSummary) -> ByteBuffer {
    JSONWriter.document { json in
      json.member("output", options.run.publish.output)
      json.member("format", options.format.rawValue)
      json.objects("tables", of: summary.tables) { table, json in
        json.member("name", table.name)
        json.member("rows", table.rows)
        json.member("files", table.files)
        json.member("bytes", table.bytes)
      }
      json.figures(bytes: summary.bytes, seconds: summary.seconds)
    }
  }
}
