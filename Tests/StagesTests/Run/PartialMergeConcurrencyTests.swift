@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// What a merge refuses, and what a merge that is given up leaves.
@Suite struct PartialMergeConcurrencyTests {
  private let runs: PartialRuns
  private var fixture: RunFixture { runs.fixture }

  private static func two(_ options: inout RunOptions) { options.snapshot.partitions = 2 }

  /// Logs a and b, and a partial of each.
  init() throws {
    runs = try PartialRuns()
    for name in ["a", "b"] {
      let events = [("u-\(name)", "1"), ("w", "2")].map { Sample.event($0, "seen", id: $1) }
      try fixture.log(events + ["no JSON"], "\(name).ndjson")
      try runs.partial(["\(name).ndjson"], to: name, Self.two)
    }
  }

  private func expectRefused(
    _ why: String, kind: Failure.Kind = .usage, location: SourceLocation = #_sourceLocation,
    _ value: @autoclosure () throws(Failure) -> Any?
  ) {
    let failure = Failure.thrown(value)
    #expect(failure?.kind == kind, sourceLocation: location)
    #expect(
      failure?.why.contains(why) == true, "\(failure?.why ?? "done")", sourceLocation: location)
    #expect(failure?.advice.isEmpty == false, sourceLocation: location)
  }

  @Test func aPartialOfAnotherVersionIsRefused() throws {
    try fixture.scratch.copy("a", to: "other")
    try fixture.scratch.editManifest("other") { $0.replacing("\"0.0.0\"", with: "\"0.0.1\"") }
    expectRefused(
      "version 0.0.1 of eventmill with zstd", try runs.merge(0, ["other", "b"], to: "out"))
    #expect(!fixture.scratch.has("out"))
  }

  @Test(arguments: [RunFiles.rejects, RunFiles.spill(0, of: 2)])
  func partsOfAnotherPartialAreDamage(_ part: String) throws {
    for name in ["a", "b"] { try fixture.scratch.unpack(name) }
    try fixture.scratch.write(fixture.scratch.bytes("b/\(part)"), to: "a/\(part)")
    try fixture.scratch.pack("a")
    expectRefused("not match", kind: .corrupt, try runs.merge(0, ["a"], to: "out"))
  }

  @Test func changedManifestsAreRefusedOrMeanSomething() throws {
    try runs.mergeSteps(["a", "b"], partitions: 2, to: "out")
    try fixture.scratch.remove("out/people-00001-of-00002")
    let partition = "out/people-00000-of-00002/manifest.json"
    let ofPartition = try fixture.scratch.bytes(partition)
    try fixture.scratch.unpack("a")
    let ofPartial = try fixture.scratch.bytes("a/manifest.json")
    try fixture.scratch.move("a", to: "unpacked")
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    for number in 0..<200 {
      try fixture.scratch.copy("unpacked", to: "a")
      try fixture.scratch.write(Mutations.change(ofPartial, &random), to: "a/manifest.json")
      try fixture.scratch.pack("a")
      let taken = Failure.thrown { () throws(Failure) in
        let set = try PartialSet([fixture.scratch("a"), fixture.scratch("b")], system: .real)
        _ = try RunOptions().taking(set.partials[0].manifest, path: "a")
      }
      try fixture.scratch.write(Mutations.change(ofPartition, &random), to: partition)
      // The other partition is missing.
      let finished = Failure.thrown { () throws(Failure) in try runs.finish("out") }
      #expect(finished != nil, "seed \(seed), number \(number)")
      for failure in [taken, finished].compactMap(\.self) {
        #expect(
          [.corrupt, .usage, .io].contains(failure.kind),
          "seed \(seed), number \(number): \(failure.message)")
      }
      try fixture.scratch.remove("a")
    }
  }

  /// A canceled job leaves neither hidden files nor locks.
  @Test func aJobThatIsGivenUpLeavesNothing() throws {
    let control = JobControl()
    control.cancel(Failure(.usage, doing: "testing", why: "enough", advice: "none"))
    let before = try fixture.scratch.names()
    expectRefused("enough", try runs.partial(["a.ndjson"], to: "out", control: control))
    #expect(try fixture.scratch.names() == before)
    expectRefused("enough", try runs.merge(0, ["a"], to: "out", control: control))
    #expect(try fixture.scratch.files(below: "out") == [])
  }
}
