import Foundation
import TestSupport
import Testing

/// `--metrics`: what a collector finds after a night, good or bad.
@Suite struct MetricsTests: CommandSuite {
  let directory = ScratchDirectory.fresh

  private static let good = """
    {"id":"1","custom_id":"u","name":"ad_seen","time":"2024-06-01T00:00:00","label":" "}
    {"id":"1","custom_id":"u","name":"ad_seen","time":"2024-06-01T00:00:00"}

    {"custom_id":"u","name":"no good","time":"2024-06-01T00:00:00"}
    {"id":"u","time":"2024-06-01T00:00:00","update":{"values":{"u.city":"Paris"}}}
    {

    """

  init() throws { try directory.write(Self.good, to: "a.ndjson") }

  /// The samples of the file, by name with labels.
  private func samples() throws -> [String: String] {
    let text = try directory.text("night.prom")
    var samples: [String: String] = [:]
    var described: Set<Substring> = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if line.hasPrefix("# TYPE ") {
        #expect(words[3] == "gauge" && described.insert(words[2]).inserted, "\(line)")
      } else if !line.hasPrefix("#") {
        #expect(words.count == 2 && described.contains(words[0].prefix { $0 != "{" }), "\(line)")
        #expect(samples.updateValue(String(words[1]), forKey: String(words[0])) == nil, "\(line)")
      }
    }
    return samples
  }

  @Test func aNightThatWentWell() throws {
    try expectTranscript("metrics")
    let samples = try samples()
    for (name, value) in samples where name.contains("seconds") || name.contains("bytes") {
      #expect(Double(value).map { $0 > 0 } == true, "\(name)")
    }
    let time = try #require(samples["eventmill_last_run_timestamp_seconds"].flatMap(Int.init))
    #expect(time > 1_700_000_000)
    #expect(samples["eventmill_last_success_timestamp_seconds"] == "\(time)")
    #expect(try directory.names() == ["a.ndjson", "night.prom", "out"], "no draft is left")
    // The guide names every metric, and alerts and panels use no others. Those of night are tested
    // with it.
    func text(_ path: String) throws -> String {
      try String(contentsOf: MigrationGuide.folder.appending(path: path), encoding: .utf8)
    }
    let written = Set(samples.keys.map { $0.prefix { $0 != "{" } })
    let rows = try text("docs/guides/monitoring.md").split(separator: "\n")
      .filter { $0.hasPrefix("| `eventmill_") }
    let listed = rows.flatMap { row in
      (row.split(separator: "|").first ?? "").matches(of: /`(eventmill_\w+)/).map(\.output.1)
    }
    let ofRuns = listed.filter { !$0.hasPrefix("eventmill_night_") }
    #expect(Set(ofRuns) == written && ofRuns.count == written.count)
    for path in ["contrib/prometheus/eventmill.rules.yml", "contrib/grafana/eventmill.json"] {
      let used = try text(path).matches(of: /eventmill_\w+/).map(\.output)
      #expect(used.count > 3 && Set(used).isSubset(of: listed), "\(path)")
    }
  }
}
