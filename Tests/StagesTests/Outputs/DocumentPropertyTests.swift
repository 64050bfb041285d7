@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Documents that processes hand to each other: each field is written as it is read, and anything
/// else is damage that names the field.
@Suite struct DocumentPropertyTests {
  private func check<Read: Document>(
    _ document: Read, most: Int = DocumentReading.most, requires fields: Set<String>
  ) throws {
    let changes = try DocumentChanges<Read>(of: String(document.text().text.dropLast()), most: most)
    #expect(fields.subtracting(changes.required) == [])
  }

  @Test func factsOfPartials() throws {
    let fixture = try FactsFixture()
    try fixture.runs.fixture.log(FactsFixture.log("a", lines: 3), "a.ndjson")
    let facts = try fixture.facts(["a.ndjson"])
    #expect(!facts.duplicates.isEmpty && !facts.tally.remarks.isEmpty)
    try check(
      facts,
      requires: [
        "eventmill_facts", "inputs", "inputs.path", "inputs.xxh64", "inputs.ledger.lines.total",
        "lines_with_rejects", "reasons.count", "reasons.samples.line", "unknown_fields",
        "events.name", "events.dialects", "duplicates", "read_days", "hours",
      ])
  }

  @Test func talliesOfPartitions() throws {
    let names = SnapshotNames(TallyFixture.names(["z", "y", "x", "unused"]))
    var tally = PartitionTally(TallyFixture.counted, .people, partition: 3, names)
    var parts = ErasedParts()
    (parts.events, parts.newest) = (3, 1_714_521_600_000)
    tally.counts.erased = [2: parts]
    var device = ErasedDevice(id: "D")
    (device.requests, device.momentary, device.bound) = ([2, 5], [5], 1_714_521_600_000)
    tally.counts.devices = [device.digest: device]
    tally.counts.erasedLinks = [Fingerprint(low: 7, high: 9)]
    tally.counts.changes = ProfileCounts()
    try check(
      tally, most: PartitionTally.mostCounted,
      requires: [
        "eventmill_tally", "step", "partition", "lines", "profile_changes.added", "erased.request",
        "erased.events", "devices.installation_id", "devices.requests", "profiles", "active",
        "active.days", "duplicates", "duplicates_of", "hot_ids.keys.events",
      ])
  }

  @Test func manifests() throws {
    let fixture = try RunFixture()
    try fixture.log([Sample.event("u", "a")], "1.ndjson")
    try fixture.log([Sample.event("u", "b"), "cut"], "2.ndjson")
    try fixture.run(["1.ndjson"], to: "one")
    try fixture.run(["1.ndjson", "2.ndjson"], to: "two", after: "one")
    let manifest = try Manifest(fixture.scratch("two"), doing: "reading")
    #expect(!manifest.alreadyRead.isEmpty && !manifest.earlierInputs.isEmpty)
    try check(
      manifest,
      requires: [
        "tool.version", "inputs", "inputs.path", "inputs.bytes", "inputs.content.first_line",
        "skipped.as", "skipped.content", "earlier_inputs.xxh64", "outputs", "outputs.lines",
      ])
  }

  @Test func resultsOfBenchmarks() throws {
    let entry = BenchResult.Entry(.parse, records: 4, bytes: 155, seconds: [2, 1, 3])
    try check(
      BenchResult([entry]),
      requires: [
        "eventmill_bench", "results", "results.name", "results.kind", "results.records",
        "results.bytes", "results.ns_per_record.samples",
      ])
  }

  @Test func findingsOfATrackingPlan() throws {
    let text =
      #"{"tracking_plan":"00000000000000ff","tracking":{"totals":{"value":3},"findings":["#
      + #"{"kind":"value","event":"a","attribute":"k","count":2,"file":"f","line":1}],"others":1}}"#
    let changes = try DocumentChanges<TrackingCheck>(of: text)
    let fields: Set = ["tracking_plan", "tracking.totals", "tracking.findings.kind"]
    #expect(fields.subtracting(changes.required) == [])
  }
}
