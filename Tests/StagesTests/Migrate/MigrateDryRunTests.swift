@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// `eventmill migrate --dry-run`: what the migration finds, and nothing on the disk.
@Suite struct MigrateDryRunTests {
  private let fixture: RunFixture

  init() throws {
    fixture = try RunFixture()
    try fixture.log(Sample.log(seed: 15, count: 200), "logs/a.ndjson")
    try fixture.log(["{", ""], "logs/a.json")
  }

  private func dryRun(_ change: (inout RunOptions) -> Void = { _ in }) throws -> DryRunOutcome {
    var options = fixture.options(["logs"], to: "out")
    change(&options)
    return try MigrateDryRun(options.read, options.publish, control: JobControl()).run()
  }

  @Test func itFindsWhatTheMigrationFindsAndWritesNothing() throws {
    let outcome = try dryRun()
    #expect(try fixture.scratch.names() == ["logs"])
    let summary = try fixture.migrate(["logs"], to: "out")
    #expect(outcome.read.facts.total == summary.facts.total)
    #expect(outcome.inputs.map(\.ledger) == summary.inputs.map(\.ledger))
    #expect(outcome.inputs.map(\.output) == summary.inputs.map(\.output))
    #expect(outcome.outputLines == summary.outputLines)
    #expect(outcome.read.facts.linesWithRejects == summary.facts.linesWithRejects)
    #expect(outcome.read.facts.reasons.map(\.count) == summary.facts.reasons.map(\.count))
    #expect(outcome.read.facts.losses.map(\.count) == summary.facts.losses.map(\.count))
    #expect(outcome.expectedBytes > 0 && outcome.expectedBytes <= summary.outputBytes)
    #expect(outcome.expectedSeconds >= outcome.read.seconds)
  }

  @Test func itNeedsNoOutputButLooksAtOne() throws {
    #expect(try dryRun { $0.publish.output = "" }.inputs.count == 2)
    try fixture.log(["x"], "out/something.ndjson")
    #expect(throws: Failure.self) { try dryRun() }
    #expect(throws: Failure.self) { try dryRun { $0.publish.output = fixture.scratch("logs/out") } }
  }

  @Test func aDamagedInputIsTold() throws {
    try fixture.scratch.write([0x28, 0xB5, 0x2F, 0xFD, 0x20], to: "logs/b.ndjson")
    #expect(throws: Failure.self) { try dryRun() }
    let outcome = try dryRun { $0.read.keepGoing = true }
    #expect(outcome.read.lost.count == 1 && outcome.inputs.count == 3)
  }
}

@Suite struct SizeEstimateTests {
  /// One frame of eight is compressed, and stands for the others.
  @Test func aSampleStandsForTheRest() throws {
    var estimate = try SizeEstimate(level: 1)
    var random = RepeatableRandom(seed: 3)
    var text = ByteBuffer()
    while text.count < 1 << 20 { text.append(UInt8.random(in: 0x20...0x5F, using: &random)) }
    for _ in 0..<20 { try estimate.append(text.view) }
    try estimate.endFile()
    #expect(estimate.text == 20 << 20)
    // Six bits of each byte say something.
    let share = Double(estimate.bytes) / Double(estimate.text)
    #expect(0.74...0.78 ~= share)
    #expect(estimate.seconds >= estimate.sampleSeconds)
  }

  @Test func smallFilesAreFramesOfTheirOwn() throws {
    var estimate = try SizeEstimate(level: 1)
    for _ in 0..<16 {
      try estimate.append("{\"a\":1}\n")
      try estimate.endFile()
      try estimate.endFile()
    }
    #expect(estimate.text == 128)
    #expect(estimate.bytes > 128, "a frame has a header and a checksum")
  }

  @Test func nothingIsNothing() throws {
    let estimate = try SizeEstimate(level: 1)
    #expect(estimate.bytes == 0 && estimate.seconds == 0)
  }
}
