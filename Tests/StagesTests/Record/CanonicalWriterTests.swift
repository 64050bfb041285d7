import Pipeline
import TestSupport
import Testing

@testable import Stages

/// How records are written, byte for byte; vectors compare values.
@Suite struct CanonicalWriterTests {
  @Test func keysStandInTheirOrder() throws {
    let line = try StageHarness().explain(
      #"{"events":[{"attributes":{"z":1,"$tags":["T"],"a":1.50,"$label":"l"},"time":1714521600000,"#
        + #""name":"N","id":7}],"attributes":{"b":{"$remove":["x"],"$add":["y"]},"date(A)":null},"#
        + #""overwrite":true,"time":"2024-05-01T02:00:00+02:00","#
        + #""identifiers":{"installation_id":"i","custom_id":"u"}}"#)
    #expect(
      line.canonicalText
        == #"{"identifiers":{"custom_id":"u","installation_id":"i"},"time":"2024-05-01T00:00:00.000Z","#
        + #""overwrite":true,"attributes":{"b":{"$add":["y"],"$remove":["x"]},"date(a)":null},"#
        + #""events":[{"id":"7","name":"n","time":"2024-05-01T00:00:00.000Z","#
        + #""attributes":{"$label":"l","$tags":["t"],"z":1,"a":1.50}}]}"#)
  }

  @Test func stringsUseTheShortestEscaping() throws {
    let line = try StageHarness().explain(
      #"{"name":"n","time":\#(Sample.time),"attributes":{"a":"\u00e9\/\u0022\\\t\u0001\u007f"}}"#
    )
    #expect(line.canonicalText.hasSuffix(#""attributes":{"a":"é/\"\\\t\u0001"# + "\u{7F}\"}}]}"))
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func whatIsCopiedIsWhatWouldBeWritten(seed: UInt64) {
    var records = RandomPlainLines(seed: seed)
    let harness = StageHarness()
    var compared = 0
    for _ in 0..<300 {
      harness.load(Array(records.line().utf8))
      harness.work()
      let batch = harness.unit.batch
      for event in batch.events.indices.map({ batch.events[$0] }) where event.isAccepted {
        func text(isCompact: Bool) -> String {
          var text = ByteBuffer()
          CanonicalWriter.appendAttributes(
            of: event, in: batch.tape, isCompact: isCompact, to: &text)
          return text.view.text
        }
        let line = batch.lines[Int(batch.records[Int(event.record)].line)]
        let written = text(isCompact: false)
        #expect(text(isCompact: line.isCompact) == written, "seed \(seed)")
        if line.isCompact, !written.isEmpty { compared += 1 }
      }
    }
    #expect(compared > 10, "seed \(seed)")
  }
}
