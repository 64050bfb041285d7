@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Which partials, partitions and directories a merge accepts, and which it refuses.
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

  /// Makes a partial with the options of a and b, and what `change` changes.
  private func partial(
    _ inputs: [String], to output: String, _ change: (inout RunOptions) -> Void = { _ in }
  ) throws {
    try runs.partial(inputs, to: output) {
      Self.two(&$0)
      change(&$0)
    }
  }

  /// Checks that a run over `inputs` gives what was merged as `out`.
  private func expectOneRun(
    _ inputs: [String], _ how: Comment, _ change: (inout RunOptions) -> Void = { _ in }
  ) throws {
    try fixture.run(inputs, to: "whole") {
      Self.two(&$0)
      change(&$0)
    }
    try runs.expectSame("out", "whole", how)
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

  // MARK: - Partials

  @Test func aPartialUnderTwoPathsIsUsedOnce() throws {
    try fixture.scratch.copy("a", to: "copy-of-a")
    // Made again, elsewhere, with other threads.
    try partial(["a.ndjson"], to: "again") { ($0.read.jobs, $0.publish.level) = (3, 5) }
    let summary = try runs.merge(0, ["a", "b", "copy-of-a", "again", "a"], to: "out")
    #expect(summary.repeated == 3 && summary.partials == 2)
    try runs.merge(1, ["again", "b"], to: "out")
    for number in 0...1 { try runs.merge(number, step: .people, ["b", "a", "b"], to: "out") }
    #expect(try runs.finish("out")?.ledger.lines == 6)
    try expectOneRun(["a.ndjson", "b.ndjson"], "two partials")
  }

  @Test func anInputInTwoPartialsIsRefused() throws {
    try partial(["a.ndjson", "b.ndjson"], to: "both")
    expectRefused("a.ndjson, and so does", try runs.merge(0, ["a", "both"], to: "out"))
    try fixture.log([Sample.event("u", "seen")], "a.ndjson")
    try partial(["a.ndjson"], to: "changed")
    expectRefused("a.ndjson, and so does", try runs.merge(0, ["a", "changed"], to: "out"))
    // An attempt that could read less of a damaged input is not the same: either may count.
    let lines = (0..<4000).map { Sample.event("user-\($0 % 7)", "name_\($0 % 5)") + "\n" }
    try fixture.compressedLog(Array(lines.joined().utf8), "cut.zst")
    let whole = try fixture.scratch.bytes("cut.zst")
    for (length, output) in [(whole.count - 9, "more"), (9, "less")] {
      try fixture.scratch.write(Array(whole.prefix(length)), to: "cut.zst")
      try partial(["cut.zst"], to: output) { $0.read.keepGoing = true }
      let made = try PartialDirectory(fixture.scratch(output), system: .real)
      #expect(made.facts.outcomes[0].lost != nil)
    }
    expectRefused("cut.zst, and so does", try runs.merge(0, ["more", "less"], to: "out"))
    #expect(!fixture.scratch.has("out"))
  }

  @Test func partialsWithOtherOptionsAreRefused() throws {
    let changes: [(inout RunOptions) -> Void] = [
      { $0.snapshot.partitions = 3 }, { $0.read.rules.v1 = .lenient }, { $0.read.keepGoing = true },
      { $0.read.rules.maxLine = 1 << 20 }, { $0.read.rules.notBefore = 1_700_000_000_000 },
      { $0.read.rules.dialect = .v2 }, { $0.read.rules.since = 1_700_000_000_000 },
      { $0.read.rules.until = 1_700_000_000_000 },
    ]
    for (number, change) in changes.enumerated() {
      let other = "other-\(number)"
      try partial(["b.ndjson"], to: other, change)
      expectRefused(
        "it was made with other options than", try runs.merge(0, ["a", other], to: "out"))
    }
  }

  @Test func whatIsNoPartialIsRefused() throws {
    try fixture.run(["a.ndjson"], to: "run")
    try fixture.scratch.write([], to: "folder/file")
    try fixture.scratch.copy("a", to: "other")
    try fixture.scratch.editManifest("other") { $0.replacing("\"0.0.0\"", with: "\"0.0.1\"") }
    for (partition, partials, why) in [
      (0, ["none"], "it does not exist"), (0, ["folder"], "it is not a partial of eventmill"),
      (0, ["run"], "it is an output, not a partial"), (2, ["a"], "so partition 2 does not exist"),
      (0, ["other", "b"], "version 0.0.1 of eventmill with zstd"),
    ] { expectRefused(why, try runs.merge(partition, partials, to: "out")) }
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

  // MARK: - Partitions

  @Test func whatIsMissingIsNamed() throws {
    expectRefused("it does not exist", try runs.finish("out"))
    try fixture.scratch.write([], to: "file")
    #expect(Failure.of(try runs.finish("file"))?.doing == "finishing")
    try runs.merge(1, ["a", "b"], to: "out")
    expectRefused("partition 0 of 2 is missing", try runs.finish("out"))
    expectRefused(
      "partition 0 of 2 is missing", try runs.merge(1, step: .people, ["a", "b"], to: "out"))
    try runs.merge(0, ["a", "b"], to: "out")
    let missing = Failure.of(try runs.finish("out"))
    #expect(missing?.advice == "run: eventmill cluster merge --step people --partition 0")
    try fixture.scratch.write([], to: "empty/nested/file")
    expectRefused(
      "it is not a partition of eventmill", try runs.finish("final", of: ["empty/nested"]))
    expectRefused("it is a partial, not a partition", try runs.finish("final", of: ["a"]))
    #expect(try fixture.scratch.names().filter { $0.contains("final") || $0.hasPrefix(".") } == [])
  }

  @Test func partitionsOfOneRunOnlyAreFinished() throws {
    try fixture.run(["a.ndjson"], to: "night", Self.two)
    try partial(["b.ndjson"], to: "lenient") { $0.read.rules.v1 = .lenient }
    try runs.merge(0, ["b"], to: "out")
    let others: [([String], (inout RunOptions) -> Void)] = [
      (["a", "b"], { _ in }), (["lenient"], { _ in }), (["b"], { $0.snapshot.stitch = .none }),
      (["b"], { $0.snapshot.dedupeDays = 1 }), (["b"], { $0.snapshot.withValues = false }),
      (["b"], { $0.publish.level = 2 }),
      (["b"], { [fixture] in $0.merge.previous = fixture.scratch("night") }),
    ]
    for (number, (partials, change)) in others.enumerated() {
      try runs.merge(1, partials, to: "other-\(number)", change)
      let why = "differ from those of the others"
      expectRefused(why, try runs.merge(0, step: .people, partials, to: "out", change))
      expectRefused(why, try runs.finish("final", of: ["out", "other-\(number)"]))
    }
    // Merged again, as the first one was.
    try runs.merge(1, ["b"], to: "out")
    try runs.merge(0, ["b", "b"], to: "out")
    for partition in 0...1 { try runs.merge(partition, step: .people, ["b"], to: "out") }
    try runs.finish("out")
  }

  @Test func partitionsMayStandAnywhereAndTwice() throws {
    try runs.mergeSteps(["a", "b"], partitions: 2, to: "one")
    let part = "people-00001-of-00002"
    try fixture.scratch.move("one/\(part)", to: "other/\(part)")
    try fixture.scratch.copy("one", to: "one-again")
    try runs.finish("final", of: ["one", "other/\(part)", "one-again", "other/\(part)"])
    try runs.mergeSteps(["b", "a"], partitions: 2, to: "final-2")
    try runs.finish("final-2")
    try runs.expectSame("final", "final-2", "found elsewhere")
    // The named file is kept; the earlier contents of the output are replaced.
    #expect(fixture.scratch.has("other/\(part)") && !fixture.scratch.has("final-2/\(part)"))
  }

  @Test func anOutputIsFinishedOnce() throws {
    try runs.mergeAll(["a", "b"], partitions: 2, to: "out")
    let before = try fixture.bytes(of: "out")
    #expect(try runs.finish("out") == nil)
    // A task that an engine starts once more, too late.
    expectRefused("it is a finished output", try runs.merge(0, ["a", "b"], to: "out"))
    try runs.mergeSteps(["a"], partitions: 2, to: "others")
    expectRefused("it is a finished output", try runs.finish("out", of: ["others"]))
    #expect(try fixture.bytes(of: "out") == before)
    try runs.finish("out", of: ["others"]) { $0.publish.replace = true }
    try expectOneRun(["a.ndjson"], "replaced")
  }

  /// Finishing replaces the directory, so it must contain only files of a merge.
  @Test func aDirectoryWithOtherThingsInItStays() throws {
    try fixture.scratch.write([1], to: "work/logs/precious.ndjson")
    expectRefused("it contains logs, which no merge has made", try runs.merge(0, ["a"], to: "work"))
    try runs.mergeSteps(["a"], partitions: 2, to: "out")
    try fixture.scratch.write([1], to: "out/notes")
    expectRefused("it contains notes, which no merge has made", try runs.finish("out"))
    // The directory of a partial is refused, too.
    expectRefused("it is a finished output", try runs.merge(0, ["a"], to: "a"))
    #expect(fixture.scratch.has("work/logs/precious.ndjson") && fixture.scratch.has("out/notes"))
    #expect(fixture.scratch.has("a/partial"))
  }

  /// Each pair of partitions has a file, so that a task reads only the files for its partition.
  @Test func filesOfAPartitionThatAreReadAndWereChangedAreDamage() throws {
    // People with installations, whose profiles are not final before the end.
    let links = (0..<30).flatMap { number in
      [
        #"{"identifiers":{"custom_id":"w\#(number)","installation_id":"i\#(number)"},"#
          + #""time":"2024-05-01T00:00:00Z"}"#,
        #"{"install_id":"i\#(number)","name":"seen","time":"2024-05-01T00:00:00"}"#,
      ]
    }
    try fixture.log(links, "c.ndjson")
    try partial(["c.ndjson"], to: "c")
    for partition in 0...1 { try runs.merge(partition, ["a", "c"], to: "out") }
    func handedOver(to people: Int) -> [String] {
      (0...1).map { "out/installations-0000\($0)-of-00002/\(RunFiles.members(people, of: 2))" }
    }
    for people in 0...1 {
      func merge() throws(Failure) { try runs.merge(people, step: .people, ["a", "c"], to: "out") }
      let (own, others) = (handedOver(to: people), handedOver(to: 1 - people))
      let kept = try others.map { try fixture.scratch.bytes($0) }
      for file in others { try fixture.scratch.remove(file) }
      try merge()
      for (file, bytes) in zip(others, kept) { try fixture.scratch.write(bytes, to: file) }
      for file in own {
        let bytes = try fixture.scratch.bytes(file)
        try fixture.scratch.write(fixture.scratch.bytes(others[0]), to: file)
        expectRefused("its manifest", kind: .corrupt, try merge())
        try fixture.scratch.remove(file)
        #expect(Failure.of(try merge())?.kind == .corrupt)
        try fixture.scratch.write(bytes, to: file)
      }
    }
    let parts = try fixture.scratch.files(below: "out").filter { part in
      // What the steps before have handed over is not read again.
      !part.hasSuffix("manifest.json") && !part.hasSuffix(".spill")
        && !(part.hasPrefix("installations-")
          && (part.contains("state/") || part.contains("profiles/")))
    }
    #expect(parts.count == 2 * 4 + 2 + 2)
    for part in parts {
      try fixture.scratch.change("out/\(part)") { $0.append(0) }
      let failure = Failure.of(try runs.finish("out"))
      #expect(failure?.kind == .corrupt && failure?.path?.contains("/out/") == true, "\(part)")
      try fixture.scratch.change("out/\(part)") { $0.removeLast() }
    }
    try runs.finish("out")
    try expectOneRun(["a.ndjson", "c.ndjson"], "installations of other partitions' people")
  }

  // MARK: - Nights

  @Test func aLostInputIsLostInTheEnd() throws {
    try fixture.compressedLog(Array(Sample.event("u", "lost").utf8), "cut.zst")
    try fixture.scratch.change("cut.zst") { $0.removeLast(3) }
    let keepGoing = { (options: inout RunOptions) in options.read.keepGoing = true }
    try partial(["a.ndjson", "cut.zst"], to: "one", keepGoing)
    try partial(["b.ndjson"], to: "other", keepGoing)
    try runs.mergeSteps(["one", "other"], partitions: 2, to: "out")
    #expect(try runs.finish("out")?.lost.map(\.path) == [fixture.scratch("cut.zst")])
    try expectOneRun(["a.ndjson", "b.ndjson", "cut.zst"], "a damaged input", keepGoing)
  }

  /// A night over a, and options to continue from it.
  private func night() throws -> (inout RunOptions) -> Void {
    try fixture.run(["a.ndjson"], to: "night", Self.two)
    return { [fixture] in $0.merge.previous = fixture.scratch("night") }
  }

  @Test func anInputOfAnEarlierNightIsRefusedUnlessItShallCountAgain() throws {
    let change = try night()
    expectRefused(
      "an earlier night has read the same content",
      try runs.merge(0, ["a", "b"], to: "out", change)
    )
    let again = { (options: inout RunOptions) in
      change(&options)
      options.merge.reingest = true
    }
    try runs.mergeAll(["a", "b"], partitions: 2, to: "out", again)
    try expectOneRun(["a.ndjson", "b.ndjson"], "read again", again)
  }

  @Test func oneContentInTwoPartialsIsRefusedUnlessBothShallCount() throws {
    try fixture.compressedLog(try fixture.scratch.bytes("a.ndjson"), "copy.ndjson.zst")
    let names = ["a.ndjson", "copy.ndjson.zst"]
    try partial([names[1]], to: "copy")
    expectRefused(
      "it has the same content as \(fixture.scratch(names[0])), which was read, too",
      try runs.merge(0, ["a", "copy"], to: "out"))
    let again = { (options: inout RunOptions) in options.merge.reingest = true }
    try runs.mergeAll(["a", "copy"], partitions: 2, to: "out", again)
    try expectOneRun(names, "both count", again)
    // In one partial only one of them is read.
    try partial(names, to: "one")
    try runs.mergeAll(["one"], partitions: 2, to: "once")
    try fixture.run(names, to: "whole-once", Self.two)
    try runs.expectSame("once", "whole-once", "one is skipped")
  }

  @Test func ofAGrownLogAPartialHasOnlyWhatIsNew() throws {
    let change = try night()
    try fixture.scratch.change("a.ndjson") {
      $0 += Array("\(Sample.event("u", "new"))\nbad\n".utf8)
    }
    try partial(["a.ndjson"], to: "grown", change)
    try runs.mergeAll(["grown", "b"], partitions: 2, to: "out", change)
    try expectOneRun(["a.ndjson", "b.ndjson"], "a grown log", change)
    #expect(try fixture.json("out/report.json")["ledger"]?["lines"]?["total"]?.integer == 5)

    try partial(["a.ndjson"], to: "all")
    expectRefused(
      "an earlier night has read its beginning", try runs.merge(0, ["all"], to: "refused", change))
    expectRefused(
      "a beginning that is not what an earlier night has read",
      try runs.merge(0, ["grown"], to: "refused"))
  }

  /// The fact is passed from the partial to manifest and report, also by a partial that read
  /// nothing.
  @Test func aPartialPassesOverWhatAnEarlierNightHasRead() throws {
    let change = try night()
    for name in ["copy", "copy-2"] { try fixture.scratch.copy("a.ndjson", to: "\(name).ndjson") }
    for (name, inputs) in [
      ("one", ["copy.ndjson", "b.ndjson"]), ("other", ["a.ndjson"]), ("third", ["copy-2.ndjson"]),
    ] {
      let summary = try runs.partial(inputs, to: name) {
        Self.two(&$0)
        change(&$0)
      }
      #expect(summary.alreadyRead == 1)
    }
    try runs.mergeSteps(["third", "one", "other"], partitions: 2, to: "out", change)
    let partition = try fixture.json("out/installations-00000-of-00002/manifest.json")
    #expect(partition["skipped"]?.items.count == 3)
    try runs.finish("out")
    #expect(try fixture.json("out/manifest.json")["skipped"]?.items.count == 3)
    try expectOneRun(
      ["a.ndjson", "copy.ndjson", "copy-2.ndjson", "b.ndjson"], "three were read before", change)
    expectRefused(
      "--reingest requires reading it",
      try runs.merge(0, ["one"], to: "again") {
        change(&$0)
        $0.merge.reingest = true
      })
  }

  @Test func tooManyNamesFailInBothSteps() throws {
    // One event name, and no attribute key.
    try runs.merge(0, ["a"], to: "out") { $0.read.maxNames = 1 }
    try fixture.log([Sample.event("u", "bought"), Sample.event("u", "left")], "c.ndjson")
    try partial(["c.ndjson"], to: "c")
    expectRefused(
      "more than 2 different ones", kind: .limit,
      try runs.merge(0, ["a", "c"], to: "out-2") { $0.read.maxNames = 2 })
    try runs.mergeSteps(["a", "c"], partitions: 2, to: "out-3")
    expectRefused(
      "more than 2 different ones", kind: .limit,
      try runs.finish("out-3") { $0.read.maxNames = 2 })
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
