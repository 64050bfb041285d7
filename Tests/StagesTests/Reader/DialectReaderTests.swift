import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Records that a redrive has written (data-model 3); `Vectors/examples.jsonl` has the others.
@Suite struct DialectReaderTests {
  private func read(_ lines: String...) -> StageHarness {
    let harness = StageHarness()
    harness.load(Array(lines.joined(separator: "\n").utf8))
    harness.work()
    return harness
  }

  /// What a redrive writes is read as v2, under the limits of v2, and counted for the dialect it
  /// names.
  @Test(arguments: [
    (#"{"source":"a","line":1,"offset":0,"dialect":"v1"}"#, Dialect.v1, true),
    (#"{"dialect":"v2"}"#, .v2, true), (#"{"dialect":"v9"}"#, .v2, true),
    (#"{"dialect":1}"#, .v2, true), ("{}", .v2, true), ("1", .v2, false), ("null", .v2, false),
    (#"null,"redriven":{"dialect":"v1"}"#, .v1, true),
    (#"{"dialect":"v1"},"redriven":null"#, .v2, false),
  ])
  func aRedrivenRecordCountsForItsFirstDialect(
    _ note: String, _ dialect: Dialect, _ isObject: Bool
  ) {
    let event = #"{"name":"n","time":\#(Sample.time)}"#
    let harness = read(#"{"identifiers":{},"events":[\#(event)],"extra":1,"redriven":\#(note)}"#)
    let batch = harness.unit.batch
    #expect(batch.lines[0].outcome == .record && batch.events[0].isAccepted)
    #expect(batch.records[0].dialect == .v2 && batch.records[0].countedDialect == dialect)
    #expect((batch.records[0].redriven.exists) == isObject && batch.hasRedriven == isObject)
    // A value other than an object does not describe a redrive, so no rule reads it.
    #expect(batch.unknownNames.map(\.name) == (note == "1" ? ["extra", "redriven"] : ["extra"]))
  }

  /// In v1 `redriven` is an unknown field. No later line counts as redriven because of it.
  @Test func onlyV2RecordsAreRedriven() {
    let harness = read(
      #"{"identifiers":{},"redriven":{}}"#,
      #"{"name":"n","time":\#(Sample.time),"redriven":{"dialect":"v2"}}"#)
    #expect(harness.unit.batch.records[1].countedDialect == .v1)
    #expect(harness.unit.batch.unknownNames.map(\.name) == ["redriven"])
    harness.load(Array(#"{"name":"n"}"#.utf8))
    harness.work()
    #expect(!harness.unit.batch.hasRedriven)
  }
}
