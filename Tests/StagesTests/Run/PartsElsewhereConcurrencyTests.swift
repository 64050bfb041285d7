import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Jobs
@testable import Stages

/// Outputs whose parts are named by their content and committed by the manifest, as on object
/// storage: every reader of outputs accepts them like those of a run.
@Suite struct PartsElsewhereConcurrencyTests {
  private static let partitions = 3

  private let runs: PartialRuns
  private var fixture: RunFixture { runs.fixture }
  private var scratch: ScratchDirectory { fixture.scratch }

  /// Two nights of logs, and the first of them once by a run and once committed by its manifest.
  init() throws {
    runs = try PartialRuns()
    for night in 1...2 {
      try fixture.log(
        (0..<40).map { Sample.event("u-\($0 % 11)", "seen", day: night, id: "\(night)-\($0)") }
          + ["no JSON"], "night-\(night).ndjson")
    }
    try fixture.run(["night-1.ndjson"], to: "whole", Self.change)
    try runs.partial(["night-1.ndjson"], to: "partial", Self.change)
    try runs.mergeSteps(["partial"], partitions: Self.partitions, to: "merged", Self.change)
    try commit("merged", to: "out")
  }

  private static let change: @Sendable (inout RunOptions) -> Void = {
    ($0.snapshot.partitions, $0.snapshot.dedupeDays) = (partitions, 7)
  }

  /// Commits the partitions in `merged` as a driver on object storage does: parts under names that
  /// it makes of the manifests of the partitions, then what the finish has made, without any part.
  private func commit(_ merged: String, to output: String) throws {
    for number in 0..<Self.partitions {
      let path = "\(merged)/\(MergeStep.people.directory(number, of: Self.partitions))"
      for file in try fixture.json("\(path)/manifest.json")["outputs"]?.items ?? [] {
        guard let name = file["path"]?.text, name != RunFiles.tally, let hash = file["xxh64"]?.text
        else { continue }
        let parts = name.split(separator: ".", maxSplits: 1)
        try scratch.write(
          scratch.bytes("\(path)/\(name)"), to: "\(output)/\(parts[0])-\(hash).\(parts[1])")
        try scratch.remove("\(path)/\(name)")
      }
    }
    var options = fixture.options([merged], to: "small")
    options.publish.partsElsewhere = true
    _ = try FinishJob(options, control: JobControl()).run()
    #expect(
      try scratch.files(below: "small").sorted() == [
        "daily_counts.ndjson", "event_counts.csv", "event_counts.ndjson", "manifest.json",
        "rejects.ndjson.zst", "report.html", "report.json", "state/totals.ndjson.zst",
      ])
    for name in try scratch.files(below: "small") {
      try scratch.write(scratch.bytes("small/\(name)"), to: "\(output)/\(name)")
    }
    try scratch.remove("small")
  }

  /// The name that a part of a run has in `output`.
  private func named(_ part: String, in output: String) throws -> String {
    let parts = part.split(separator: ".", maxSplits: 1)
    return try #require(
      scratch.files(below: output).first {
        $0.hasPrefix("\(parts[0])-") && $0.hasSuffix(".\(parts[1])")
      })
  }

  private func problems() throws -> [String] { try fixture.problems(of: scratch("out")) }

  /// The lines of the state of `output`.
  private func state(_ output: String) throws(Failure) -> [String] {
    var lines: [String] = []
    try ProfileLookup(scratch(output), withKnownNames: true, control: JobControl())
      .forEachState { lines.append($0.text) }
    return lines
  }

  @Test func itHasTheContentsOfARunUnderOtherNames() throws {
    #expect(try problems() == [])
    let whole = try runs.fixture.repeatable("whole")
    #expect(try runs.fixture.repeatable("out").count == whole.count)
    for (name, bytes) in whole where name != RunFiles.manifest {
      let path = name.contains("-of-") ? try named(name, in: "out") : name
      #expect(try scratch.bytes("out/\(path)") == bytes, "\(name)")
    }
    #expect(try runs.facts(ofReport: "out") == runs.facts(ofReport: "whole"))
    #expect(try state("out") == state("whole") && state("out").count == 11)
    let lookup = try ProfileLookup(scratch("out"), control: JobControl())
    #expect(try lookup.find("u-7") != nil)

    let requests = try fixture.log([#"{"custom_id":"u-7"}"#], "requests.ndjson")
    for source in ["whole", "out"] {
      let summary = try fixture.erase(from: source, to: "rest-\(source)")
      #expect(summary.single.found == 1 && summary.single.profiles == 10)
      #expect(try fixture.problems(of: scratch("rest-\(source)"), absent: requests) == [])
      let present = try fixture.problems(of: scratch(source), absent: requests)
      #expect(present.count { $0.contains("holdsAbsent") } >= 2)
    }
    #expect(try runs.fixture.repeatable("rest-out") == runs.fixture.repeatable("rest-whole"))

    try fixture.run(["night-1.ndjson"], to: "out") {
      Self.change(&$0)
      $0.publish.replace = true
    }
    try runs.expectSame("out", "whole", "in its place")
  }

  @Test func theNextNightIsThatAfterARun() throws {
    for output in ["whole", "out"] {
      try fixture.run(["night-2.ndjson"], to: "next-\(output)", after: output) { Self.change(&$0) }
      // Another option, so that nothing can be copied.
      try fixture.run([], to: "read-\(output)", after: output) {
        $0.read.allowEmpty = true
        $0.snapshot.partitions = 2
      }
    }
    try runs.expectSame("next-out", "next-whole", "goes on from parts named by their content")
    try runs.expectSame("read-out", "read-whole", "reads parts named by their content")
  }

  /// A task brings of the output before only what its step reads.
  @Test(arguments: ["whole", "out"])
  func aStepNeedsOnlyItsOwnPartOfTheNightBefore(previous: String) throws {
    try fixture.run(["night-2.ndjson"], to: "next", after: previous) { Self.change(&$0) }
    func bring(_ number: Int?) throws -> String {
      let directory = "before-\(number.map { "\($0)" } ?? "none")"
      let own = number.map { number in
        ["part-#-of-#", "index-#-of-#"].map { RunFiles.numbered($0, number, of: Self.partitions) }
      }
      let names = try scratch.files(below: previous).filter { name in
        [RunFiles.manifest, RunFiles.totals, RunFiles.report].contains(name)
          || own?.contains { name.contains($0) } == true
      }
      #expect(names.count == (number == nil ? 3 : 6))
      for name in names {
        try scratch.write(scratch.bytes("\(previous)/\(name)"), to: "\(directory)/\(name)")
      }
      return scratch(directory)
    }
    let small = try bring(nil)
    try runs.partial(["night-2.ndjson"], to: "partial-2") {
      Self.change(&$0)
      $0.merge.previous = small
    }
    let parts = try (0..<Self.partitions).map(bring)
    for step in MergeStep.allCases {
      for number in 0..<Self.partitions {
        try runs.merge(number, step: step, ["partial-2"], to: "merged-2") {
          Self.change(&$0)
          $0.merge.previous = parts[number]
        }
      }
    }
    try runs.finish("again", of: ["merged-2"])
    try runs.expectSame("again", "next", "each step had its own part")
    // Another one's part is missed, by a name that can be found.
    let failure = Failure.of(
      try runs.merge(1, ["partial-2"], to: "other") {
        Self.change(&$0)
        $0.merge.previous = parts[0]
      })
    #expect(failure?.kind == .corrupt && failure?.why.contains("it is missing") == true)
    #expect(failure?.path?.contains("part-00001-of-00003") == true)
  }

  @Test func missingDamagedAndFurtherPartsAreFound() throws {
    for template in ["profiles/part-#-of-#.ndjson.zst", "state/part-#-of-#.zst"] {
      let part = try named(RunFiles.numbered(template, 1, of: Self.partitions), in: "out")
      try scratch.move("out/\(part)", to: "away")
      #expect(try problems().contains { $0.hasPrefix("\(part): listedButUnreadable") })
      try scratch.copy("away", to: "out/\(part)")
      try scratch.damage("out/\(part)")
      #expect(try problems().contains { $0.hasPrefix("\(part): otherHash") })
      try scratch.damage("out/\(part)")
      try scratch.remove("away")
    }
    // What an attempt with other inputs may have left.
    let further = "profiles/part-00001-of-00003-0123456789abcdef.ndjson.zst"
    try scratch.write([], to: "out/\(further)")
    #expect(try problems() == ["\(further): notListed"])
  }

  /// Without it, no key would be found in the state.
  @Test(arguments: ["0", "9999", "\"x\""])
  func anOutputThatDoesNotSayItsNumberOfPartsIsRefused(_ number: String) throws {
    try scratch.edit("out/manifest.json") {
      $0.replacing("\"partitions\": 3", with: "\"partitions\": \(number)")
    }
    let failure = Failure.of(try state("out"))
    #expect(failure?.kind == .corrupt)
    #expect(failure?.why == "it does not say of how many parts its state is")
  }

  /// A name whose hash differs from that of its entry is not the name of a part.
  @Test func aNameThatDoesNotFollowFromTheContentIsRefused() throws {
    let part = try named("state/index-00002-of-00003.zst", in: "out")
    let other = "state/index-00002-of-00003-0123456789abcdef.zst"
    try scratch.move("out/\(part)", to: "out/\(other)")
    try scratch.edit("out/manifest.json") { $0.replacing(part, with: other) }
    #expect(
      try problems().prefix(2) == [
        "manifest.json: listsForeignFile \(other)",
        "manifest.json: listsNot state/index-00002-of-00003.zst",
      ])
    let failure = Failure.of(try state("out"))
    #expect(failure?.why == "it does not list state/index-00002-of-00003.zst")
  }
}
