import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What holds for every drafted event, whatever the line contains. The validator does not check
/// drafted attributes again, so they are checked here.
@Suite struct DraftFuzzTests {
  /// A drafted record is accepted, with the same text and without losses, when it is read as v2.
  @Test(arguments: Effort.first(4, of: Array(0..<12)) as [UInt64])
  func draftedRecordsBreakNoRule(seed: UInt64) throws {
    var lines = RandomForeignLines(seed: seed)
    let harness = StageHarness()
    var drafted = 0
    for _ in 0..<400 {
      let line = lines.line()
      guard let canonical = try harness.explain(line).canonical else { continue }
      drafted += 1
      let again = try #require(try harness.explain(canonical).first)
      #expect(again.outcome == "accepted", "seed \(seed): \(line): \(again.reasons)")
      #expect(again.canonical == canonical, "seed \(seed): \(line)")
      #expect(again.losses.isEmpty, "seed \(seed): \(line)")
    }
    #expect(drafted > 200, "seed \(seed)")
  }

  /// Values that are copied as text are the same text as those with an entry for each part.
  @Test(arguments: Effort.first(4, of: Array(100..<112)) as [UInt64])
  func copiedValuesAreTheSame(seed: UInt64) throws {
    var lines = RandomForeignLines(seed: seed)
    let block = (0..<300).map { _ in lines.line() + "\n" }.joined()
    let copied = written(block, copies: true)
    let taken = written(block, copies: false)
    #expect(copied.text == taken.text, "seed \(seed)")
    #expect(copied.entries < taken.entries, "seed \(seed): none were copied")
  }

  private func written(_ block: String, copies: Bool) -> (text: String, entries: Int) {
    let harness = StageHarness()
    harness.load(Array(block.utf8))
    var reader = ReaderStage(rules: Rules(), needsValues: !copies)
    var validator = ValidatorStage(rules: Rules())
    var migration = MigrationStage()
    reader.process(harness.unit)
    validator.process(harness.unit)
    migration.process(harness.unit)
    let batch = harness.unit.batch
    var text = ByteBuffer()
    for record in 0..<batch.records.count {
      _ = CanonicalWriter.append(record: record, of: batch, to: &text)
      text.append(UInt8(ascii: "\n"))
    }
    return (text.view.text, batch.tape.count)
  }
}

/// Lines of the dialects `pulse`, `bolts` and `realm` with values of every form.
private struct RandomForeignLines: RandomChoices {
  var random: RepeatableRandom

  init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

  mutating func line() -> String {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      return
        #"{"event_type":"\#(pick(["page view", "scroll", "gesture"]))","timestamp":1714641300000,"#
        + #""sub_sids":\#(value(0)),"is_background":\#(value(2)),"data":\#(object(0))}"#
    case 1:
      return #"{"name":"com.parse.bolts.measurement_event","time":1714641300000,"user_id":"u","#
        + #""userInfo":{"event_name":"e","event_args":\#(object(0)),"extra":\#(value(1))}}"#
    case 2:
      return #"{"_id":"1","timestamp":"2024-05-02T09:15:00.000Z","activity":"a","event":"custom","#
        + #""data":\#(value(0)),"ward":\#(value(2))}"#
    default:
      let list = "[\(object(0)),\(object(0))]"
      let payload =
        chance(50)
        ? #"{"type":\#(text()),"value":\#(list)}"#
        : #"{"C":{"insertions":\#(list),"modifications":[{"oldValue":\#(object(0)),"newValue":\#(object(0))}]}}"#
      let escaped = payload.reduce(into: "") { text, character in
        if character == "\"" || character == "\\" { text.append("\\") }
        text.append(character)
      }
      return
        #"{"_id":"2","timestamp":"2024-05-02T09:15:00.000Z","activity":"a","data":"\#(escaped)","#
        + #""event":"\#(payload.hasPrefix("{\"type") ? "read" : "write")"}"#
    }
  }

  private mutating func object(_ depth: Int) -> String {
    let keys = [
      "a", "b", "A", "a b", "x/y", "é", "!", "type", "speed", "element", "metadata", "scroll_info",
      "params", "items_count", "additional_ids", "userId", "date(a)", "$tags", "inputURL",
      "previous_events", "direction", "timestamp", String(repeating: "k", count: 40),
    ]
    let count = chance(5) ? 30 : Int.random(in: 0..<6, using: &random)
    let members = (0..<count).map { _ in "\"\(pick(keys))\":\(value(depth + 1))" }
    return "{" + members.joined(separator: chance(5) ? " , " : ",") + "}"
  }

  private mutating func value(_ depth: Int) -> String {
    if depth < 6, chance(45) {
      if chance(60) { return object(depth) }
      let count = chance(5) ? 30 : Int.random(in: 0..<4, using: &random)
      let isOfObjects = chance(40)
      let items = (0..<count).map { _ in isOfObjects ? object(depth) : value(depth + 1) }
      return "[" + items.joined(separator: ",") + "]"
    }
    return chance(60)
      ? text()
      : pick([
        "null", "true", "false", "1", "-2.50", "1e5", "1e999", "12345678901234567890123", "0",
        "1714641300000", "1\(String(repeating: "0", count: 400))",
      ])
  }

  private mutating func text() -> String {
    "\""
      + pick([
        "x", "", " ", "\\n", "a\\nb", "\\u00e9", "é", "a\\\"b", "\\/", "up",
        "2024-05-02T09:15:00.000Z",
        "https://a.test/x", String(repeating: "y", count: 301), String(repeating: "é", count: 300),
        String(repeating: " ", count: 300) + "x", "\\u0000", "\u{7F}",
      ]) + "\""
  }
}
