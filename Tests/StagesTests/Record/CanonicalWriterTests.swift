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
      #"{"name":"n","time":\#(ReasonTests.time),"attributes":{"a":"\u00e9\/\u0022\\\t\u0001\u007f"}}"#
    )
    let canonical = String(decoding: try #require(line.canonical), as: UTF8.self)
    #expect(canonical.hasSuffix(#""attributes":{"a":"é/\"\\\t\u0001"# + "\u{7F}\"}}]}"))
  }

  @Test func onlyWhatWasAcceptedIsWritten() throws {
    let line = try StageHarness().explain(
      #"{"identifiers":{"custom_id":"u"},"time":\#(ReasonTests.time),"attributes":{"a":"","b":1},"#
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

  /// Whatever a record is, its canonical form is accepted and is its own canonical form.
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
}
