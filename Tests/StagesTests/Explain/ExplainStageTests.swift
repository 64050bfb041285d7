@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct ExplainStageTests {
  private func text(_ line: String) throws -> String {
    String(decoding: try StageHarness().explain(line).source.bytes, as: UTF8.self)
  }

  @Test func blankAndRejectedLines() throws {
    #expect(
      try text(" ")
        == #"{"line":1,"outcome":"blank","events":[],"operations":[],"losses":[],"reasons":[]}"#)
    #expect(
      try text("[]")
        == #"{"line":1,"outcome":"rejected","events":[],"operations":[],"losses":[],"reasons":"#
        + #"[{"code":"not_object","path":"","message":"the line is JSON but not an object"}]}"#)
    #expect(
      try text(#"{"name":"n","custom_id":true}"#).hasPrefix(
        #"{"line":1,"dialect":"v1","detected_by":["name"],"outcome":"rejected","events":[],"#))
  }

  @Test func fieldsAreInTheirOrder() throws {
    let found = try StageHarness().explain(
      #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"overwrite":true,"#
        + #""attributes":{"date(A)":0,"$x":1,"q\"":1},"events":[{"name":"a","label":1},{}]}"#)
    #expect(
      found.value.names == [
        "line", "dialect", "detected_by", "outcome", "canonical", "events", "operations", "losses",
        "reasons",
      ])
    #expect(found.outcome == "partial")
    #expect(found.value["events"]?[0]?.names == ["index", "outcome"])
    #expect(found.value["events"]?[1]?.names == ["index", "outcome", "reasons"])
    #expect(
      found.value["operations"]?.items.map { $0["key"]?.text } == ["*", "date(a)", "$x", "q\""])
  }

  /// The validator's losses and the migration's each stand at their own line, whatever lies
  /// between.
  @Test func lossesStandAtTheirLines() throws {
    let lines = (0..<50).map { line -> String in
      switch line % 3 {
      case 0: #"{"name":"n","time":\#(Sample.time),"tags":[1," "],"attributes":{"a":""}}"#
      case 1: "{"
      default: #"{"name":"n","time":\#(Sample.time),"label":" "}"#
      }
    }
    let found = try StageHarness().explain(Array(lines.joined(separator: "\n").utf8), .lenient)
    for (number, line) in found.enumerated() {
      let expected: [[String]] = [
        ["tags[0] wrong_type", "attributes.a string_empty", "tags[1] tag_blank"], [],
        ["label label_blank"],
      ]
      #expect(line.losses == expected[number % 3], "line \(number)")
    }
  }

  @Test func explainJobWritesLinesInOrder() throws {
    let fixture = try RunFixture()
    try fixture.log((0..<3000).map { $0 % 7 == 0 ? "{" : Sample.event("u\($0)", "a") }, "b.ndjson")
    try fixture.log([Sample.event("first", "a")], "a.ndjson")
    var texts: [[UInt8]] = []
    for jobs in [1, 3] {
      var options = fixture.options(["b.ndjson", "a.ndjson"], to: "")
      options.read.jobs = jobs
      let collected = Locked<[UInt8]>([])
      try JobControl().explain(options.read) { text in collected.withLock { $0 += text.array } }
      texts.append(collected.withLock { $0 })
    }
    #expect(texts[0] == texts[1])
    let lines = texts[0].split(separator: 0x0A)
    #expect(lines.count == 3001)
    let numbers = try lines.map { try NaiveJSON(parsing: Array($0))["line"]?.integer }
    #expect(numbers == [1] + Array(1...3000))
  }
}
