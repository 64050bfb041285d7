import Jobs
import Pipeline

/// `eventmill erase`: copies an output without some people.
struct EraseCommand: Request {
  let options: RunOptions

  init(_ values: OptionValues, operands: [String]) throws(Failure) {
    options = try RunOptions(values, operands: operands)
  }

  /// Installations listed, unless JSON is requested.
  private static let mostListed = 20

  /// Runs the command and prints its result.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    let summary = try JobRunner.run(on: console) { control throws(Failure) in
      try EraseJob(
        options.read.inputs[0], options: options, tool: Version.tool, control: control
      ).run()
    }
    PublishedOutput.report(summary.warning, on: console) {
      Self.json(summary, options)
    } text: { () throws(Failure) in
      try console.print(summary: Self.lines(summary, options))
    }
    return .done
  }

  private static func lines(_ summary: EraseSummary, _ options: RunOptions) -> [String] {
    let count = NumberFormat.grouped
    return [
      "published \(options.publish.output)",
      "erased      \(count(summary.found)) of \(count(summary.requests)) requested; for the others "
        + "there was no data",
      "profiles    \(count(summary.profiles))",
      "rejects     \(count(summary.redactedRejects)) entries without their text",
    ] + installationsLeft(summary)
  }

  /// The installations that may need further requests.
  private static func installationsLeft(_ summary: EraseSummary) -> [String] {
    let left = summary.installationsLeft
    guard !left.isEmpty else { return [] }
    let title =
      "left        \(NumberFormat.grouped(left.count)) installations that were linked to them; to erase them, "
      + "too, request them:"
    var lines = [title]
    for (_, id) in left.prefix(mostListed) {
      var text = ByteBuffer()
      text.appendJSONString(id)
      lines.append("  {\"installation_id\":\(text.view.text)}")
    }
    if left.count > mostListed {
      lines.append(
        "  … and \(NumberFormat.grouped(left.count - mostListed)) more: --json lists all")
    }
    return lines
  }

  private static func json(_ summary: EraseSummary, _ options: RunOptions) -> ByteBuffer {
    JSONWriter.document { json in
      json.member("output", options.publish.output)
      json.member("requests", summary.requests)
      json.member("found", summary.found)
      json.member("profiles", summary.profiles)
      json.member("redacted_rejects", summary.redactedRejects)
      json.objects("installations_left", of: summary.installationsLeft) { element, json in
        let (request, id) = element
        json.member("request", request)
        json.member("installation_id", id)
      }
    }
  }
}
