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
    return try JobControl().dryRun(options.read, options.publish)
  }

  @Test func itFindsWhatTheMigrationFindsAndWritesNothing() throws {
    let outcome = try dryRun()
    #expect(try fixture.scratch.names() == ["logs"])
    let (found, summary) = (outcome.read.facts, try fixture.migrate(["logs"], to: "out"))
    #expect(found.total == summary.facts.total)
    #expect(outcome.inputs.map(\.ledger) == summary.inputs.map(\.ledger))
    #expect(outcome.inputs.map(\.target) == summary.inputs.map(\.target))
    #expect(outcome.read.textLines == summary.outputLines)
    #expect(found.linesWithRejects == summary.facts.linesWithRejects)
    #expect(found.reasons.map(\.count) == summary.facts.reasons.map(\.count))
    #expect(found.losses.map(\.count) == summary.facts.losses.map(\.count))
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
