import Jobs
import Pipeline
import Stages

/// The outcomes of requests for erasure, for people and programs. The only place that names ids:
/// reports have the lines of the requests.
enum ErasureText {
  /// Requests, and installations of each, that are listed; `--json` lists all.
  private static let mostListed = 20

  /// The lines for `outcomes`; `moment` is when those without a time were carried out. Without
  /// `named` the requests that matched nothing are left out.
  static func lines(
    _ outcomes: [ErasureOutcome], _ moment: Int?, naming named: Bool = true
  ) -> [String] {
    let known = outcomes.filter(\.isKnown)
    var lines = [
      "erased      \(count(known.count)) of \(NumberFormat.count(outcomes.count, "request"))"
        + (moment.map { ", at \(Timestamp.text($0))" } ?? "")
    ]
    lines += known.prefix(mostListed).flatMap(Self.lines)
    if known.count > mostListed {
      lines.append("            and \(count(known.count - mostListed)) more: see --json")
    }
    return named ? lines + unknown(outcomes.filter { !$0.isKnown }.map(\.request)) : lines
  }

  /// The lines for requests that matched nothing.
  static func unknown(_ requests: [ErasureRequests.Request]) -> [String] {
    if requests.isEmpty { return [] }
    var lines = [
      "no data     \(NumberFormat.count(requests.count, "request")) matched nothing:"
    ]
    lines += requests.prefix(mostListed).map { "  line \($0.line): \(name($0))" }
    if requests.count > mostListed {
      lines.append("  and \(count(requests.count - mostListed)) more: see --json")
    }
    return lines
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
    let removed = [
      (parts.attributes, "attribute"), (parts.events, "event"), (parts.links, "link"),
    ].filter { $0.0 > 0 }.map { NumberFormat.count($0.0, $0.1) }
    let suppressed = [
      (outcome.suppressedEvents, "event"), (outcome.suppressedOperations, "operation"),
    ].filter { $0.0 > 0 }.map { NumberFormat.count($0.0, $0.1) }
    var text = "  line \(request.line): \(name(request)): removed "
    text += removed.isEmpty ? "nothing" : removed.joined(separator: ", ")
    if !suppressed.isEmpty { text += "; suppressed \(suppressed.joined(separator: ", "))" }
    text +=
      outcome.end.map { "; later data up to \(Timestamp.text($0)) is suppressed" }
      ?? "; all later data is suppressed"
    var lines = [text]
    for device in outcome.devices.prefix(mostListed) {
      lines.append(
        "    with installation_id \(device.id.jsonText), up to \(Timestamp.text(device.end))")
    }
    if outcome.devices.count > mostListed {
      lines.append(
        "    and \(NumberFormat.count(outcome.devices.count - mostListed, "more installation")): see --json"
      )
    }
    return lines
  }

  // MARK: - JSON

  /// Writes the outcomes as fields of the open object.
  static func write(
    _ outcomes: [ErasureOutcome], _ moment: Int?, to json: inout JSONWriter
  ) {
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

  // MARK: - Names

  private static func id(_ request: ErasureRequests.Request) -> String {
    String(decoding: request.id, as: UTF8.self)
  }

  private static func name(_ request: ErasureRequests.Request) -> String {
    (request.section == .custom ? "custom_id " : "installation_id ") + id(request).jsonText
  }

  private static func count(_ number: Int) -> String { NumberFormat.grouped(number) }
}
