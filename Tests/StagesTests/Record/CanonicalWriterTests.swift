import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct CanonicalWriterTests {
  @Test func keysStandInTheirOrder() throws {
    let line = try StageHarness().explain(
      #"{"events":[{"attributes":{"z":1,"$tags":["T"],"a":1.50,"$label":"l"},"time":1714521600000,"#
        + #""name":"N","id":7}],"attributes":{"b":{"$remove":["x"],"$add":["y"]},"date(A)":null},"#
        + #""overwrite":true,"time":"2024-05-01T02:00:00+02:00","#
        + #""identifiers":{"installation_id":"i","custom_id":"u"}}"#)
    #expect(
      line.canonical.map { String(decoding: $0, as: UTF8.self) }
        == #"{"identifiers":{"custom_id":"u","installation_id":"i"},"time":"2024-05-01T00:00:00.000Z","#
        + #""overwrite":true,"attributes":{"b":{"$add":["y"],"$remove":["x"]},"date(a)":null},"#
        + #""events":[{"id":"7","name":"n","time":"2024-05-01T00:00:00.000Z","#
        + #""attributes":{"$label":"l","$tags":["t"],"z":1,"a":1.50}}]}"#)
  }

  @Test func stringsUseTheShortestEscaping() throws {
    let line = try StageHarness().explain(
      #"{"name":"n","time":\#(Sample.time),"attributes":{"a":"\u00e9\/\u0022\\\t\u0001\u007f"}}"#
    )
    let canonical = String(decoding: try #require(line.canonical), as: UTF8.self)
    #expect(canonical.hasSuffix(#""attributes":{"a":"é/\"\\\t\u0001"# + "\u{7F}\"}}]}"))
  }

  @Test func onlyWhatWasAcceptedIsWritten() throws {
    let line = try StageHarness().explain(
      #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"attributes":{"a":"","b":1},"#
        + #""events":[{"name":"-"},{"name":"n"}]}"#)
    #expect(line.outcome == "partial")
    #expect(
      line.canonical.map { String(decoding: $0, as: UTF8.self) }
        == #"{"identifiers":{"custom_id":"u"},"time":"2024-05-01T00:00:00.000Z","attributes":{"b":1},"#
        + #""events":[{"name":"n","time":"2024-05-01T00:00:00.000Z"}]}"#)
  }

  @Test func nothingIsWrittenWhenNothingSurvives() {
    let harness = StageHarness()
    harness.load(Array(#"{"name":"-"}"#.utf8))
    harness.work()
    var text = ByteBuffer()
    #expect(!CanonicalWriter.append(record: 0, of: harness.unit.batch, to: &text))
    #expect(text.view.isEmpty)
  }

  /// The canonical form of any record is accepted, and is its own canonical form.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func canonicalFormIsAFixedPoint(seed: UInt64) throws {
    var records = RandomRecords(seed: seed)
    let harness = StageHarness()
    var survived = 0
    for policy in V1Policy.allCases {
      var rules = Rules()
      rules.v1 = policy
      let lines = (0..<150).map { _ in records.line() }
      let explained = try harness.explain(Array(lines.joined(separator: "\n").utf8), rules)
      #expect(explained.count == lines.count)
      let canonical = explained.compactMap(\.canonical)
      let again = try harness.explain(Array(canonical.joined(separator: [0x0A])))
      #expect(again.count == canonical.count)
      for (line, first) in zip(again, canonical) {
        let source = String(decoding: first, as: UTF8.self)
        #expect(line.outcome == "accepted", "seed \(seed): \(source)")
        #expect(line.canonical == first, "seed \(seed): \(source)")
        #expect(line.losses.isEmpty, "seed \(seed): \(source)")
      }
      survived += canonical.count
    }
    #expect(survived > 40)
  }

  /// Copying the source gives the same bytes as writing value by value.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func whatIsCopiedIsWhatWouldBeWritten(seed: UInt64) {
    var records = RandomRecords(seed: seed)
    let harness = StageHarness()
    var compared = 0
    for _ in 0..<300 {
      harness.load(Array(records.line().utf8))
      harness.work()
      let batch = harness.unit.batch
      for index in batch.events.indices where batch.events[index].isAccepted {
        let event = batch.events[index]
        let line = batch.lines[Int(batch.records[Int(event.record)].line)]
        var copied = ByteBuffer()
        var written = ByteBuffer()
        CanonicalWriter.appendAttributes(
          of: event, in: batch.tape, isCompact: line.isCompact, to: &copied)
        CanonicalWriter.appendAttributes(of: event, in: batch.tape, to: &written)
        #expect(copied.view.text == written.view.text, "seed \(seed)")
        if line.isCompact, !written.isEmpty { compared += 1 }
      }
    }
    #expect(compared > 10, "seed \(seed)")
  }

  @Test(arguments: [
    (#"{"a":1,"B":2,"c":"x"}"#, #"{"a":1,"b":2,"c":"x"}"#),
    (
      #"{"date(d)":"2024-01-01T00:00:00Z","e":1}"#, #"{"date(d)":"2024-01-01T00:00:00.000Z","e":1}"#
    ),
    (
      #"{"a":1,"date(d)":"2024-01-01T00:00:00.000Z","url(u)":"https://x"}"#,
      #"{"a":1,"date(d)":"2024-01-01T00:00:00.000Z","url(u)":"https://x"}"#
    ),
    (#"{"a":{"B":1},"c":["\u0061","b"],"d":[]}"#, #"{"a":{"b":1},"c":["a","b"],"d":[]}"#),
    (#"{"a":1,"$tags":["T","t"],"b":2,"a":3}"#, #"{"$tags":["t"],"b":2,"a":3}"#),
    (#"{"o":[{"a":1,"a":2}],"z":true}"#, #"{"o":[{"a":2}],"z":true}"#),
    (#"{ "a" : 1 , "b" : [ "x" , "y" ] }"#, #"{"a":1,"b":["x","y"]}"#),
  ]) func attributesAreWritten(_ source: String, _ canonical: String) throws {
    let harness = StageHarness()
    let line =
      #"{"identifiers":{},"events":[{"name":"n","time":"2024-06-01T00:00:00Z","attributes":"#
      + source + "}]}"
    harness.load(Array(line.utf8))
    harness.work()
    let batch = harness.unit.batch
    #expect(batch.events[0].isAccepted)
    var text = ByteBuffer()
    CanonicalWriter.appendAttributes(
      of: batch.events[0], in: batch.tape, isCompact: batch.lines[0].isCompact, to: &text)
    #expect(text.view.text == canonical)
  }
}
