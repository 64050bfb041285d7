import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Events without time, and with names of their sources, on their way to the shards.
@Suite struct RouterStageTests {
  private let harness = StageHarness()
  private let names = RunNames()

  /// The output of the stages after the reader for the line `text` of the dialect `turnstile`.
  private func work(_ text: String, _ rules: Rules = Rules()) throws -> RecordBatch {
    harness.load(Array(text.utf8))
    let batch = harness.unit.batch
    batch.begin(harness.unit.block.bytes)
    let line = 0..<text.utf8.count
    guard case .value(let root) = Scanner.scan(line: line, into: batch.tape) else {
      Issue.record("no JSON: \(text)")
      return batch
    }
    batch.lines.append(LineEntry(start: 0, length: UInt32(line.count), number: 0, outcome: .record))
    batch.lines[0].record = Node(0)
    batch.keys.learn(from: batch.tape.names)
    let reader = DialectReader()
    reader.root.read(root, of: batch)
    reader.read(0, of: .v2, as: TurnstileDialect.self, into: batch)
    var validator = ValidatorStage(rules: rules)
    var migration = MigrationStage()
    validator.process(harness.unit)
    migration.process(harness.unit)
    return batch
  }

  private func router() -> RouterStage { RouterStage(names: names, sources: [.unknown]) }

  /// The source names that are handed on with a line.
  private func sourceNames(_ text: String, _ router: RouterStage) throws -> [String] {
    _ = try work(text)
    router.process(harness.unit)
    let (slice, events) = (harness.unit.slices[0], names.events.list())
    #expect(slice.operations.count == 1)
    return slice.sourceNames.map { "\(events[$0.name].text) \(slice.text($0).text)" }
  }

  @Test func whatMayBeWithoutTimeCountsWithALoss() throws {
    _ = try work(#"{"gate":"north","card":"u"}"#)
    let found = try #require(try harness.explain().first)
    #expect(found.outcome == "accepted" && found.losses == ["time missing_time"])
    #expect(
      found.canonical.map { String(decoding: $0, as: UTF8.self) }
        == #"{"identifiers":{"custom_id":"u"},"events":[{"name":"north","untimed":true}]}"#)
  }

  @Test func aTimeIsTakenWhereThereIsOne() throws {
    var rules = Rules()
    rules.defaultTime = 1_714_521_600_000
    for (line, time) in [
      (#"{"gate":"north","at":1714641300000}"#, "2024-05-02T09:15:00.000Z"),
      (#"{"gate":"north"}"#, "2024-05-01T00:00:00.000Z"),
      (#"{"gate":"north","at":null}"#, "2024-05-01T00:00:00.000Z"),
    ] {
      _ = try work(line, rules)
      let found = try #require(try harness.explain().first)
      #expect(found.losses.isEmpty)
      #expect(
        found.canonical.map { String(decoding: $0, as: UTF8.self) }
          == "{\"identifiers\":{},\"events\":[{\"name\":\"north\",\"time\":\"\(time)\"}]}")
    }
    _ = try work(#"{"gate":"north","at":"soon"}"#, rules)
    #expect(try harness.explain().first?.reasons == ["event:0 time invalid_time"])
  }

  /// Losses of a rejected event are not reported.
  @Test func aRejectedEventHasNoLoss() throws {
    _ = try work(#"{"gate":"","card":"u"}"#)
    let found = try #require(try harness.explain().first)
    #expect(found.reasons == ["event:0 name bad_name"] && found.losses.isEmpty)
  }

  @Test func itGoesToItsKeyWithoutATime() throws {
    let router = router()
    _ = try work(#"{"gate":"North","card":"u","id":"t"}"#)
    router.process(harness.unit)
    let slice = harness.unit.slices[0]
    let operation = try #require(slice.operations.first)
    #expect(operation.kind == .event && operation.time == EventTime.absent)
    #expect(slice.key(operation).text == "custom:u")
    let (shard, counters) = (
      ProfileShard.shards(1, KeyLogOptions(partitions: 1))[0], EventCounters()
    )
    shard.apply(slice, counters)
    #expect(counters.totals.count == 1 && counters.totals.readDays.isEmpty)
    #expect(counters.hours.events == 0)
    #expect(counters.totals.sourceNames(of: operation.name).names == ["North"])
  }

  @Test func sourceNamesAreHandedOnOnce() throws {
    let router = router()
    #expect(try sourceNames(#"{"gate":"Main/North"}"#, router) == ["main_north Main/North"])
    #expect(try sourceNames(#"{"gate":"Main/North"}"#, router) == [])
    #expect(try sourceNames(#"{"gate":"main_north"}"#, router) == [], "it is the canonical name")
    #expect(try sourceNames(#"{"gate":"Main North"}"#, router) == ["main_north Main North"])
    #expect(try sourceNames(#"{"gate":"South"}"#, router) == ["south South"])
    // Another lane has met nothing yet.
    #expect(try sourceNames(#"{"gate":"South"}"#, self.router()) == ["south South"])
  }

  @Test func longSourceNamesAreCut() throws {
    let long = String(repeating: "N", count: 255)
    let name = String(repeating: "n", count: Characters.longestName)
    let router = router()
    #expect(try sourceNames("{\"gate\":\"\(long)éé\"}", router) == ["\(name) \(long)"])
    #expect(try sourceNames("{\"gate\":\"\(long)ü\"}", router) == [], "they are one")
  }

  /// The source name of an event is counted only if the event is accepted.
  @Test func rejectedEventsHandOnNothing() throws {
    let router = router()
    _ = try work(#"{"gate":"North","at":"soon"}"#)
    router.process(harness.unit)
    #expect(harness.unit.slices[0].operations.isEmpty)
    #expect(harness.unit.slices[0].sourceNames.isEmpty)
  }
}
