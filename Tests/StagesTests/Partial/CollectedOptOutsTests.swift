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
    by tool: ToolVersion = .unversioned, _ change: (inout RunOptions) -> Void = { _ in }
  ) throws(Failure) {
    // Makes the directory; what is hidden is not a collection.
    #expect(throws: Never.self) {
      try fixture.scratch.write([], to: "\(output.prefix { $0 != "/" })/.lock")
    }
    var options = fixture.options(inputs, to: output)
    options.merge.previous = previous.map { fixture.scratch($0) }
    options.read.allowEmpty = inputs.isEmpty
    change(&options)
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

  @Test func whatDoesNotGoTogetherIsRefused() throws {
    var log = RandomLog(seed: 1, tellsPrivacy: true)
    for night in 1...2 { try writeLogs(night, &log) }
    let one = names(1)
    func refusal(
      _ words: String, kind: Failure.Kind = .usage,
      _ value: @autoclosure () throws(Failure) -> Void
    ) {
      let failure = Failure.thrown(value)
      #expect(
        failure?.kind == kind && failure?.why.contains(words) == true, "\(failure?.message ?? "")")
    }
    func partial(
      _ inputs: [String], _ output: String = "p", after previous: String? = nil
    ) throws(Failure) {
      try runs.partial(inputs, to: output, change(previous, "opt-outs"))
    }
    func merge(_ partials: [String]) throws(Failure) { try runs.merge(0, partials, to: "m") }
    try fixture.scratch.write([], to: "opt-outs/.a.lock")
    refusal("it contains none", try partial(one))
    try collect(Array(one[..<3]), to: "opt-outs/a")
    refusal("none were collected from", try partial(one))
    // Not all logs of the collection are merged.
    try partial(Array(one[..<2]), "few")
    refusal("not collected from exactly the inputs", try merge(["few"]))
    try collect([one[3]], to: "opt-outs/b")
    try partial([one[3]], "all")
    refusal("other options", try merge(["few", "all"]))
    // Another content under the same name; other options; another thing.
    let bytes = try fixture.scratch.bytes(one[3])
    try fixture.log([], one[3])
    try collect([one[3]], to: "opt-outs/c")
    refusal("had another content", try partial(one))
    try fixture.scratch.remove("opt-outs/c")
    try partial(one, "changed")
    refusal("not collected from exactly the inputs", try merge(["changed"]))
    try fixture.scratch.write(bytes, to: one[3])
    try collect([one[3]], to: "opt-outs/d") { $0.read.rules.v1 = .lenient }
    refusal("collected with other options", try partial(one))
    try fixture.scratch.remove("opt-outs/d")
    let other = ToolVersion(version: "another", commit: "", zstd: "")
    try collect([one[3]], to: "opt-outs/e", by: other)
    refusal("version another of eventmill", try partial(one))
    try fixture.scratch.remove("opt-outs/e")
    // The previous output.
    try fixture.run(one, to: "r") {
      change(nil)(&$0)
      $0.merge.honorsOptOut = true
    }
    let two = names(2)
    try fixture.scratch.remove("opt-outs")
    try collect(two, to: "opt-outs/a", after: "r", partition: 1)
    refusal("part-00000-of-00002.zst of the previous output", try partial(two, after: "r"))
    refusal("it has 2 partitions", try collect([], to: "opt-outs/x", after: "r", partition: 2))
    try collect([], to: "opt-outs/b", after: "r", partition: 0)
    // Damage.
    let file = "opt-outs/a/\(RunFiles.optOuts)"
    try fixture.scratch.change(file) { $0[24] ^= 1 }
    refusal("does not match its manifest", kind: .corrupt, try partial(two, after: "r"))
    try fixture.scratch.remove(file)
    refusal("it is missing", kind: .corrupt, try partial(two, after: "r"))
    try fixture.expectOnly(["night-1", "night-2", "few", "all", "changed", "m", "opt-outs", "r"])
  }
}
