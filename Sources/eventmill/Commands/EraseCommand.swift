import Jobs
import Pipeline
import Stages

/// `eventmill erase`: copies outputs without some people.
struct EraseCommand: JobRequest {
  private let options: CommandOptions
  /// The paths of nights that are copied, besides the named outputs.
  private let nights: NightPattern?

  init(options: CommandOptions) throws(Failure) {
    (self.options, nights) = (options, try options.given.value(.nights, .outputs))
  }

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    // No night may continue from an output that is being replaced.
    let lock =
      try options.isDryRun
      ? nil : nights.map { pattern throws(Failure) in try NightFolder(pattern).lock() }
    defer { lock?.release() }
    let summary = try EraseJob(
      targets(), in: isSingle ? nil : options.run.publish.output, options: options.run,
      isDryRun: options.isDryRun, control: control
    ).run()
    for warning in summary.warnings { console.warn(warning) }
    var result = CommandResult { json in
      write(summary, to: &json)
    } text: {
      [.summary(lines(summary))]
    }
    result.isPublished = true
    result.warnings = ErasureText.warnings(ofUnknown: summary.unknown, on: console)
    var leftovers: Set<String> = []
    if let nights { leftovers.formUnion(try NightFolder(nights).leftovers()) }
    for output in summary.outputs {
      leftovers.formUnion(try NightFolder.leftovers(of: output.source))
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
    if isSingle { return [EraseJob.Target(sources[0], to: output)] }
    var targets = sources.map { source in
      let name = source.split(separator: "/").last.map(String.init) ?? source
      return EraseJob.Target(source, to: "\(output)/\(name)")
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
        targets.append(EraseJob.Target(path, to: "\(output)/\(name)"))
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

/// The outcomes of requests for erasure, for people and programs. The only place that names ids:
/// reports have the lines of the requests.
enum ErasureText {
  /// Requests, and installations of each, that are listed; `--json` lists all.
  private static let mostListed = 20

  /// The lines for `outcomes`; `moment` is when those without a time were carried out.
  static func lines(
    _ outcomes: [ErasureOutcome], _ moment: Int?, naming named: Bool = true
  ) -> [String] {
    let known = outcomes.filter(\.isKnown)
    let lines =
      [
        "erased      \(count(known.count)) of \(NumberFormat.count(outcomes.count, "request"))"
          + (moment.map { ", at \(Timestamp.text($0))" } ?? "")
      ] + known.prefix(mostListed).flatMap(Self.lines)
      + more(known.count, "            and ") { "\(count($0)) more" }
    return named ? lines + unknown(outcomes.filter { !$0.isKnown }.map(\.request)) : lines
  }

  private static func more(_ count: Int, _ start: String, _ words: (Int) -> String) -> [String] {
    count > mostListed ? ["\(start)\(words(count - mostListed)): see --json"] : []
  }

  static func unknown(_ requests: [ErasureRequests.Request]) -> [String] {
    if requests.isEmpty { return [] }
    return ["no data     \(NumberFormat.count(requests.count, "request")) matched nothing:"]
      + requests.prefix(mostListed).map { "  line \($0.line): \(name($0))" }
      + more(requests.count, "  and ") { "\(count($0)) more" }
  }

  /// The warning of requests that matched nothing where there is no summary with them (`--quiet`).
  /// Without ids: messages may be kept longer than the data.
  static func warnings(
    ofUnknown requests: [ErasureRequests.Request], on console: Console
  ) -> [String] {
    guard console.settings.quiet, !console.settings.json, !requests.isEmpty else { return [] }
    let lines = requests.prefix(mostListed).map { "\($0.line)" }.joined(separator: ", ")
    return [
      "\(NumberFormat.count(requests.count, "request")) for erasure matched nothing: "
        + (requests.count == 1 ? "line " : "lines ") + lines
        + (requests.count > mostListed ? ", …" : "")
    ]
  }

  private static func lines(_ outcome: ErasureOutcome) -> [String] {
    let (parts, request) = (outcome.parts, outcome.request)
    func list(_ counts: [(Int, String)]) -> String {
      counts.filter { $0.0 > 0 }.map { NumberFormat.count($0.0, $0.1) }.joined(separator: ", ")
    }
    let removed = list([
      (parts.attributes, "attribute"), (parts.events, "event"), (parts.links, "link"),
    ])
    let suppressed = list([
      (outcome.suppressedEvents, "event"), (outcome.suppressedOperations, "operation"),
    ])
    let later =
      outcome.end.map { "later data up to \(Timestamp.text($0)) is" } ?? "all later data is"
    let text =
      "  line \(request.line): \(name(request)): removed \(removed.isEmpty ? "nothing" : removed)"
      + (suppressed.isEmpty ? "" : "; suppressed \(suppressed)") + "; \(later) suppressed"
    let devices = outcome.devices.prefix(mostListed).map {
      "    with installation_id \($0.id.jsonText), up to \(Timestamp.text($0.end))"
    }
    return [text] + devices
      + more(outcome.devices.count, "    and ") { NumberFormat.count($0, "more installation") }
  }

  static func write(_ outcomes: [ErasureOutcome], _ moment: Int?, to json: inout JSONWriter) {
    if let moment { json.member("erased_at", Timestamp.text(moment)) }
    json.objects("erasures", of: outcomes) { outcome, json in
      outcome.writeRequest(to: &json)
      json.member("id", id(outcome.request))
      outcome.writeCounts(to: &json)
      json.objects("installations", of: outcome.devices) { device, json in
        json.members(["installation_id": device.id, "mark": Timestamp.text(device.end)])
      }
    }
  }

  private static func id(_ request: ErasureRequests.Request) -> String {
    String(decoding: request.id, as: UTF8.self)
  }

  private static func name(_ request: ErasureRequests.Request) -> String {
    (request.section == .custom ? "custom_id " : "installation_id ") + id(request).jsonText
  }

  private static func count(_ number: Int) -> String { NumberFormat.grouped(number) }
}
