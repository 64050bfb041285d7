import Foundation
import TestSupport
import Testing

/// `mapping infer`: what lines show, and nothing that they do not.
@Suite struct MappingInferTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws { directory = try ScratchDirectory() }

  /// A log of `count` lines.
  private func write(_ count: Int = 40, _ line: (Int) -> String) throws {
    let text = (0..<count).map { line($0) + "\n" }.joined()
    try directory.write(Array(text.utf8), to: "log")
  }

  /// What is missing, if nothing is proposed.
  private func missing() throws -> [String] {
    let result = try run("mapping infer log")
    #expect(result.status == 6 && result.output.isEmpty, "\(result.text)")
    #expect(result.errors.contains("I do not know: "), "\(result.errors)")
    return try NaiveJSON(parsing: run("mapping infer --json log").output)["missing"]?.items
      .compactMap(\.text) ?? []
  }

  @Test func knownFormsNeedNoProposal() throws {
    let sample = MigrationGuide.folder.appending(path: "sample-data/mappings/ga4.ndjson").path
    let known = try run("mapping infer \(sample)")
    #expect(known.status == 0)
    #expect(known.errors.contains("they look like ga4, a built-in mapping"), "\(known.errors)")
    #expect(try known.output == run("mappings ga4").output)
    try write { #"{"custom_id":"u","id":"\#($0)","name":"n","time":"2024-06-01T00:00:00Z"}"# }
    let canonical = try run("mapping infer log")
    #expect(canonical.status == 0 && canonical.output.isEmpty)
    #expect(canonical.errors.contains("they are of v1: no mapping is needed"))
  }

  @Test func eventsInListsAreFound() throws {
    try write { line in
      let events = (0..<3).map { item in
        #"{"ts":17146413\#(10 + item),"eventType":"\#(["open", "tap", "close"][item])"}"#
      }.joined(separator: ",")
      return #"{"v":1,"sent":{"by":{"userId":"u-\#(line % 7)"},"log":[\#(events)]}}"#
    }
    let proposal = try succeed("mapping infer log")
    try directory.write(proposal.output, to: "mapping.json")
    let mapping = try NaiveJSON(parsing: proposal.output)["lines"]?[0]
    #expect(mapping?["unroll"]?.text == "/sent/log")
    #expect(mapping?["name"]?.text == "/sent/log/*/eventType")
    #expect(mapping?["time"]?["unit"]?.text == "s")
    #expect(mapping?["custom_id"]?.text == "/sent/by/userId")
    let test = try succeed("mapping test mapping.json log")
    #expect(test.lines.contains("events        120   120    0  "), "\(test.text)")
  }

  /// Each of these would be a guess.
  @Test func whatLinesDoNotShowIsNotProposed() throws {
    let time = #""time":"2024-06-01T00:00:00Z""#
    try write { #"{"user_id":"u-\#($0)","event":"open",\#(time)}"# }
    #expect(try missing() == ["id that is seen again"])
    try write { #"{"user_id":"u-\#($0 % 3)","event":"open","time":"1970-01-01T00:00:00Z"}"# }
    #expect(try missing() == ["time"])
    try write { #"{"user_id":"u-\#($0 % 3)","action":"said \#($0)",\#(time)}"# }
    #expect(try missing() == ["name with few values"])
    try write { #"{"user_id":"u-\#($0 % 3)","user":{"type":"a"},"v":\#($0),"created":"x"}"# }
    #expect(try missing() == ["time", "name with few values"])
    try write { "[\($0)]\n7" }
    #expect(try missing() == ["JSON object"])
  }
}
