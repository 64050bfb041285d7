import Foundation
import TestSupport
import Testing

/// `--metrics`: what a collector finds after a night, good or bad.
@Suite struct MetricsTests: CommandSuite {
  let directory: ScratchDirectory

  private static let good = """
    {"id":"1","custom_id":"u","name":"ad_seen","time":"2024-06-01T00:00:00","label":" "}
    {"id":"1","custom_id":"u","name":"ad_seen","time":"2024-06-01T00:00:00"}

    {"custom_id":"u","name":"no good","time":"2024-06-01T00:00:00"}
    {"id":"u","time":"2024-06-01T00:00:00","update":{"values":{"u.city":"Paris"}}}
    {

    """

  init() throws {
    directory = try ScratchDirectory()
    try directory.write(Self.good, to: "a.ndjson")
  }

  private static let run = "run --metrics night.prom --quiet --out out"

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

  /// A night that fails keeps the time of the last success, and says that it failed.
  @Test func aNightThatFailed() throws {
    try directory.write(
      "eventmill_last_success_timestamp_seconds 1.7172e+09\nother 3\n",
      to: "night.prom")
    try expect(1, "\(Self.run) no-such-file")
    let samples = try samples()
    #expect(samples["eventmill_last_success_timestamp_seconds"] == "1717200000")
    #expect(samples["eventmill_last_exit_code"] == "1")
    #expect(samples["eventmill_last_run_timestamp_seconds"] != nil)
    #expect(samples.count == 3, "nothing else is known")
  }

  @Test func tooManyRejectsAreCounted() throws {
    try expect(3, "\(Self.run) --max-rejects 1 a.ndjson")
    let samples = try samples()
    #expect(samples["eventmill_last_exit_code"] == "3")
    #expect(samples["eventmill_lines_with_rejects_total"] == "2")
    #expect(samples["eventmill_rejects_total{reason=\"bad_name\"}"] == "1")
    #expect(samples["eventmill_profiles"] == nil, "nothing was published")
    #expect(samples["eventmill_last_success_timestamp_seconds"] == nil, "there never was one")
  }

  /// With `--keep-going` an output is published, but its exit code must not be overlooked.
  @Test func aDamagedInputIsNoSuccess() throws {
    try directory.write([0x28, 0xB5, 0x2F, 0xFD, 0x00], to: "b.ndjson.zst")
    try expect(4, "\(Self.run) --keep-going a.ndjson b.ndjson.zst")
    let samples = try samples()
    #expect(samples["eventmill_last_exit_code"] == "4")
    #expect(samples["eventmill_lost_inputs"] == "1" && samples["eventmill_profiles"] == "1")
    #expect(samples["eventmill_last_success_timestamp_seconds"] == nil)
  }

  /// The output is published. Metrics that cannot be written are a warning.
  @Test(arguments: ["no-such-directory/night.prom", "a-directory", "/dev/full"])
  func aFileThatCannotBeWrittenIsAWarning(_ path: String) throws {
    try directory.write([], to: "a-directory/x")
    let result = try succeed("run --quiet --metrics \(path) --out out a.ndjson")
    #expect(result.errors.hasPrefix("warning: "))
    #expect(directory.has("out/manifest.json"))
  }
}
