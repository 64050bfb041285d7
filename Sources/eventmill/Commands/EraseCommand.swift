import Jobs
import Pipeline
import Stages

/// `eventmill erase`: copies outputs without some people.
struct EraseCommand: JobRequest {
  let options: CommandOptions
  private var nights: NightPattern? { options.nights }

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    // Where no night matches, the directory of the lock may be missing.
    _ = try targets()
    // No night may continue from an output that is being replaced.
    let lock =
      try options.isDryRun
      ? nil : nights.map { pattern throws(Failure) in try NightFolder(pattern).lock() }
    defer { lock?.release() }
    let summary = try EraseJob(
      targets(), inFolder: !isSingle, options: options.run, isDryRun: options.isDryRun,
      control: control
    ).run()
    for warning in summary.warnings { console.warn(warning) }
    var result = CommandResult { json in
      write(summary, to: &json)
    } text: {
      [.summary(lines(summary))]
    }
    result.isPublished = !options.isDryRun
    if result.isPublished {
      result.warnings = ErasureText.warnings(ofUnknown: summary.unknown, on: console)
    }
    var leftovers: Set<String> = []
    do throws(Failure) {
      if let nights { leftovers.formUnion(try NightFolder(nights).leftovers()) }
      for output in summary.outputs {
        leftovers.formUnion(try NightFolder.leftovers(of: output.source))
      }
    } catch {
      console.warn(error)
    }
    result.warnings += leftovers.sortedByBytes.map {
      "\($0) is left of a failed run or a damaged night, and nothing is erased there; remove it"
    }
    return result
  }

  /// Whether `--out` is the only copy itself.
  private var isSingle: Bool { nights == nil && options.operands.count == 1 }

  /// The outputs, and where their copies go.
  private func targets() throws(Failure) -> [EraseJob.Target] {
    let (sources, output) = (options.operands, options.run.publish.output)
    if isSingle { return [(sources[0], output)] }
    var targets: [EraseJob.Target] = sources.map { source in
      let name = source.split(separator: "/").last.map(String.init) ?? source
      return (source, "\(output)/\(name)")
    }
    if let nights {
      let folder = NightFolder(nights)
      let kept = try folder.published()
      if kept.isEmpty {
        throw Failure.commandLine(
          "no output has a path of --nights \(nights.source)",
          "write the pattern of eventmill night --out")
      }
      for day in kept {
        let path = folder.path(of: day)
        let name = nights.base == "." ? path[...] : path.dropFirst(nights.base.count + 1)
        targets.append((path, "\(output)/\(name)"))
      }
    }
    var names: Set<String> = []
    for target in targets where !names.insert(target.output).inserted {
      throw Failure.commandLine(
        "two outputs would be copied to \(target.output)", "copy them one by one")
    }
    return targets
  }

  private func lines(_ summary: EraseSummary) -> [String?] {
    let count = NumberFormat.grouped
    return summary.outputs.flatMap { output in
      ["\(options.isDryRun ? "would publish" : "published") \(output.output)"]
        + ErasureText.lines(output.outcomes, summary.moment, naming: false)
        + [
          Summary.line("profiles", count(output.profiles)),
          Summary.line("rejects", "\(count(output.redactedRejects)) without their text"),
        ]
    } + ErasureText.unknown(summary.unknown)
  }

  private func write(_ summary: EraseSummary, to json: inout JSONWriter) {
    if options.isDryRun { json.member("dry_run", true) }
    json.member("requests", summary.requests)
    if isSingle, let output = summary.outputs.first {
      write(output, summary.moment, to: &json)
    } else {
      json.objects("outputs", of: summary.outputs) { output, json in
        json.member("source", output.source)
        write(output, summary.moment, to: &json)
      }
    }
    json.array("unknown", of: summary.unknown.map(\.line))
  }

  private func write(_ output: ErasedOutput, _ moment: Int?, to json: inout JSONWriter) {
    json.member("output", output.output)
    json.member("found", output.found)
    json.member("profiles", output.profiles)
    json.member("redacted_rejects", output.redactedRejects)
    ErasureText.write(output.outcomes, moment, to: &json)
  }
}
