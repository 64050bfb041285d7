import Jobs
import Pipeline

/// `eventmill export`: makes flat tables of an output.
struct ExportCommand: JobRequest {
  let options: CommandOptions

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    let (output, format) = (options.run.publish.output, options.format ?? .csv)
    let summary = try ExportJob(
      options.operands[0], format: format, onlyChanges: options.exportsChanges,
      options: options.run, control: control
    ).run()
    return CommandResult(published: output, summary.warning) { json in
      json.member("format", format.rawValue)
      json.objects("tables", of: summary.tables) { table, json in
        json.members([
          "name": table.name, "rows": table.rows, "files": table.files, "bytes": table.bytes,
        ])
      }
      json.figures(bytes: summary.bytes, seconds: summary.seconds)
    } text: {
      let table = TextTable(
        of: summary.tables,
        [
          .text("table", \.name), .number("rows", \.rows), .number("files", \.files),
          .right("size") { NumberFormat.bytes($0.bytes) },
        ])
      return [.lines(["published \(output)"]), .table(table)]
    }
  }
}
