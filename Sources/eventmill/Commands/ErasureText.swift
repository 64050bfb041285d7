import Jobs
import Pipeline
import Stages

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
