@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Partials that honor opt-outs, which other tasks have collected of all inputs.
@Suite struct CollectedOptOutsTests {
  private static let files = 4
  private let runs: PartialRuns
  private var fixture: RunFixture { runs.fixture }

  init() throws { runs = try PartialRuns() }

  private func names(_ night: Int) -> [String] {
    (0..<Self.files).map { "night-\(night)/\($0).ndjson" }
  }

  /// Logs of a night. Consent statements are in any log, also in others than the events that they
  /// are about.
  private func writeLogs(_ night: Int, _ log: inout RandomLog) throws {
    for (number, name) in names(night).enumerated() {
      try fixture.log(log.lines(30 + number), name)
    }
  }

  /// Collects the opt-outs of some logs, and of a partition of the output `previous`.
  private func collect(
    _ inputs: [String], to output: String, after previous: String? = nil, partition: Int? = nil,
    by tool: ToolVersion = .unversioned
  ) throws(Failure) {
    // Makes the directory; what is hidden is not a collection.
    #expect(throws: Never.self) {
      try fixture.scratch.write([], to: "\(output.prefix { $0 != "/" })/.lock")
    }
    var options = fixture.options(inputs, to: output)
    options.merge.previous = previous.map { fixture.scratch($0) }
    options.read.allowEmpty = inputs.isEmpty
    let job = CollectOptOutsJob(options, partition: partition, control: JobControl(tool: tool))
    if try !job.isPublished() { _ = try job.run() }
  }

  private func change(
    _ previous: String?, _ optOuts: String? = nil
  ) -> (inout RunOptions) -> Void {
    {
      $0.snapshot.partitions = 2
      $0.merge.previous = previous.map { fixture.scratch($0) }
      $0.merge.optOuts = optOuts.map { fixture.scratch($0) }
      $0.merge.honorsOptOut = optOuts != nil
    }
  }

  /// A night in pieces: tasks that collect opt-outs are others than those that make partials.
  private func cut(_ night: Int, after previous: String?) throws {
    let (names, optOuts) = (names(night), "opt-outs-\(night)")
    try collect(
      [names[3], names[0]], to: "\(optOuts)/z", after: previous, partition: previous.map { _ in 1 })
    try collect([names[1]], to: "\(optOuts)/b", after: previous)
    try collect([names[2]], to: "\(optOuts)/a", after: previous)
    // Another task has read the same.
    try collect([names[2], names[1]], to: "\(optOuts)/y", after: previous)
    if previous != nil { try collect([], to: "\(optOuts)/state", after: previous, partition: 0) }
    let partials = ["partial-\(night)-0", "partial-\(night)-1"]
    try runs.partial([names[0], names[1]], to: partials[0], change(previous, optOuts))
    try runs.partial([names[3], names[2]], to: partials[1], change(previous, optOuts))
    try runs.mergeAll(partials, partitions: 2, to: "cut-\(night)") {
      $0.merge.previous = previous.map { fixture.scratch($0) }
    }
  }

  @Test(arguments: UInt64(1)...6)
  func theBytesOfOneRun(seed: UInt64) throws {
    var log = RandomLog(seed: seed, tellsPrivacy: true)
    for night in 1...3 {
      let previous = night > 1 ? "cut-\(night - 1)" : nil
      try writeLogs(night, &log)
      let summary = try fixture.run(names(night), to: "whole-\(night)") {
        change(previous)(&$0)
        $0.merge.honorsOptOut = true
      }
      #expect(summary.facts.total.suppressed > 0)
      try cut(night, after: previous)
      try runs.expectSame("cut-\(night)", "whole-\(night)", "seed \(seed), night \(night)")
    }
  }

  @Test func thoseOfAnotherVersionAreRefused() throws {
    try fixture.log([Sample.event("u", "a")], "a.ndjson")
    let other = ToolVersion(version: "another", commit: "", zstd: "")
    try collect(["a.ndjson"], to: "opt-outs/a", by: other)
    let failure = Failure.of(try runs.partial(["a.ndjson"], to: "p", change(nil, "opt-outs")))
    #expect(failure?.kind == .usage)
    #expect(failure?.why.contains("version another of eventmill") == true)
  }
}
