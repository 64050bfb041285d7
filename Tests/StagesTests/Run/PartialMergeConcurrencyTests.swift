@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Which partials, partitions and directories a merge accepts, and which it refuses.
@Suite struct PartialMergeConcurrencyTests {
  private let runs: PartialRuns
  private var fixture: RunFixture { runs.fixture }

  /// Logs a and b, and a partial of each.
  init() throws {
    runs = try PartialRuns()
    for name in ["a", "b"] {
      try fixture.log(
        [
          Sample.event("u-\(name)", "seen", id: "1"), Sample.event("w", "seen", id: "2"), "no JSON",
        ],
        "\(name).ndjson")
      try runs.partial(["\(name).ndjson"], to: name) { $0.snapshot.partitions = 2 }
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

  // MARK: - Partials

  @Test func aPartialUnderTwoPathsIsUsedOnce() throws {
    try fixture.scratch.copy("a", to: "copy-of-a")
    // Made again, elsewhere, with other threads.
    try runs.partial(["a.ndjson"], to: "again") {
      ($0.snapshot.partitions, $0.read.jobs, $0.publish.level) = (2, 3, 5)
    }
    let summary = try runs.merge(0, ["a", "b", "copy-of-a", "again", "a"], to: "out")
    #expect(summary.repeated == 3 && summary.partials == 2)
    try runs.merge(1, ["again", "b"], to: "out")
    for partition in 0...1 {
      let summary = try runs.merge(partition, step: .people, ["b", "a", "b"], to: "out")
      #expect(summary.repeated == 1 && summary.partials == 2)
    }
    let finished = try runs.finish("out")
    #expect(finished?.ledger.lines == 6)
    try fixture.run(["a.ndjson", "b.ndjson"], to: "whole") { $0.snapshot.partitions = 2 }
    try runs.expectSame("out", "whole", "two partials")
  }

  @Test func anInputInTwoPartialsIsRefused() throws {
    try runs.partial(["a.ndjson", "b.ndjson"], to: "both") { $0.snapshot.partitions = 2 }
    expectRefused("a.ndjson, and so does", try runs.merge(0, ["a", "both"], to: "out"))
    try fixture.log([Sample.event("u", "seen")], "a.ndjson")
    try runs.partial(["a.ndjson"], to: "changed") { $0.snapshot.partitions = 2 }
    expectRefused("a.ndjson, and so does", try runs.merge(0, ["a", "changed"], to: "out"))
    #expect(!fixture.scratch.has("out"))
  }

  /// An attempt that could read less of a damaged input is not the same partial: either may count.
  @Test func twoAttemptsAtADamagedInputAreNotTheSame() throws {
    let lines = Array(
      (0..<30_000).map { Sample.event("user-\($0 % 7)", "name_\($0 % 5)") + "\n" }.joined().utf8)
    try fixture.compressedLog(lines, "cut.zst")
    let whole = try fixture.scratch.bytes("cut.zst")
    for (length, output) in [(whole.count - 9, "more"), (9, "less")] {
      try fixture.scratch.write(Array(whole.prefix(length)), to: "cut.zst")
      try runs.partial(["cut.zst"], to: output) {
        ($0.snapshot.partitions, $0.read.keepGoing) = (2, true)
      }
    }
    let directories = try ["more", "less"].map {
      try PartialDirectory(fixture.scratch($0), system: .real)
    }
    #expect(directories.allSatisfy { $0.facts.outcomes[0].lost != nil })
    expectRefused("cut.zst, and so does", try runs.merge(0, ["more", "less"], to: "out"))
  }

  @Test func partialsWithOtherOptionsAreRefused() throws {
    let changes: [(inout RunOptions) -> Void] = [
      { $0.snapshot.partitions = 3 }, { $0.read.rules.v1 = .lenient }, { $0.read.keepGoing = true },
      { $0.read.rules.maxLine = 1 << 20 }, { $0.read.rules.notBefore = 1_700_000_000_000 },
      { $0.read.rules.dialect = .v2 }, { $0.read.rules.since = 1_700_000_000_000 },
      { $0.read.rules.until = 1_700_000_000_000 },
    ]
    for (number, change) in changes.enumerated() {
      try runs.partial(["b.ndjson"], to: "other-\(number)") {
        $0.snapshot.partitions = 2
        change(&$0)
      }
      expectRefused(
        "it was made with other options than",
        try runs.merge(0, ["a", "other-\(number)"], to: "out"))
    }
  }

  @Test func aPartialOfAnotherVersionIsRefused() throws {
    try fixture.scratch.editManifest("a") { $0.replacing("\"0.0.0\"", with: "\"0.0.1\"") }
    expectRefused("version 0.0.1 of eventmill with zstd", try runs.merge(0, ["a", "b"], to: "out"))
  }

  @Test func whatIsNoPartialIsRefused() throws {
    try fixture.run(["a.ndjson"], to: "run")
    try fixture.scratch.write([], to: "folder/file")
    expectRefused("it does not exist", try runs.merge(0, ["none"], to: "out"))
    expectRefused("it is not a partial of eventmill", try runs.merge(0, ["folder"], to: "out"))
    expectRefused("it is an output, not a partial", try runs.merge(0, ["run"], to: "out"))
    expectRefused("so partition 2 does not exist", try runs.merge(2, ["a"], to: "out"))
    #expect(!fixture.scratch.has("out"))
  }

  @Test(arguments: ["rejects.ndjson.zst", "state/part-00000-of-00002.spill"])
  func partsOfAnotherPartialAreDamage(_ part: String) throws {
    for name in ["a", "b"] { try fixture.scratch.unpack(name) }
    try fixture.scratch.write(fixture.scratch.bytes("b/\(part)"), to: "a/\(part)")
    try fixture.scratch.pack("a")
    expectRefused("not match", kind: .corrupt, try runs.merge(0, ["a"], to: "out"))
    // The directory of the partition has no file.
    #expect(try !fixture.scratch.has("out") || fixture.scratch.files(below: "out") == [])
  }

  @Test func changedManifestsAreRefusedOrMeanSomething() throws {
    try runs.mergeSteps(["a", "b"], partitions: 2, to: "out")
    try fixture.scratch.remove("out/people-00001-of-00002")
    let partition = "out/people-00000-of-00002/manifest.json"
    let other = try fixture.scratch.bytes(partition)
    try fixture.scratch.unpack("a")
    let text = try fixture.scratch.bytes("a/manifest.json")
    try fixture.scratch.copy("a", to: "unpacked")
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    let figures = ["-1", "0", "9223372036854775807", "4096", "-9223372036854775808", "1048577"]
    for number in 0..<400 {
      let (good, file) = number % 2 == 0 ? (text, "a/manifest.json") : (other, partition)
      let bad =
        number % 4 < 2
        ? Mutations.mutate(good, &random)
        : Mutations.withOtherNumber(good, figures, &random)
      if number % 2 == 0 {
        try fixture.scratch.remove("a")
        try fixture.scratch.copy("unpacked", to: "a")
      }
      try fixture.scratch.write(bad, to: file)
      if number % 2 == 0 { try fixture.scratch.pack("a") }
      let failure = Failure.thrown { () throws(Failure) in
        if number % 2 == 0 {
          let set = try PartialSet([fixture.scratch("a"), fixture.scratch("b")], system: .real)
          _ = try RunOptions().taking(set.partials[0].manifest, path: "a")
        } else {
          try runs.finish("out")
        }
      }
      #expect(
        failure.map { [.corrupt, .usage, .io].contains($0.kind) } ?? (number % 2 == 0),
        "seed \(seed), number \(number): \(failure?.message ?? "done")")
    }
  }

  // MARK: - Partitions

  @Test func whatIsMissingIsNamed() throws {
    expectRefused("it does not exist", try runs.finish("out"))
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
    try fixture.run(["a.ndjson"], to: "night") { $0.snapshot.partitions = 2 }
    try runs.partial(["b.ndjson"], to: "lenient") {
      ($0.snapshot.partitions, $0.read.rules.v1) = (2, .lenient)
    }
    try runs.merge(0, ["b"], to: "out")
    let others: [([String], (inout RunOptions) -> Void)] = [
      (["a", "b"], { _ in }), (["lenient"], { _ in }), (["b"], { $0.snapshot.stitch = .none }),
      (["b"], { $0.snapshot.dedupeDays = 1 }), (["b"], { $0.snapshot.withValues = false }),
      (["b"], { $0.publish.level = 2 }),
      (["b"], { [fixture] in $0.merge.previous = fixture.scratch("night") }),
    ]
    for (number, (partials, change)) in others.enumerated() {
      try runs.merge(1, partials, to: "other-\(number)", change)
      expectRefused(
        "differ from those of the others",
        try runs.merge(0, step: .people, partials, to: "out", change))
      expectRefused(
        "differ from those of the others", try runs.finish("final", of: ["out", "other-\(number)"]))
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
    try fixture.run(["a.ndjson"], to: "whole") { $0.snapshot.partitions = 2 }
    try runs.expectSame("out", "whole", "replaced")
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

  @Test func filesOfAPartitionThatWereChangedAreDamage() throws {
    // A person with an installation, whose profile is not final before the end.
    let link =
      #"{"identifiers":{"custom_id":"w","installation_id":"i"},"time":"2024-05-01T00:00:00Z"}"#
    try fixture.log(
      [link, #"{"install_id":"i","name":"seen","time":"2024-05-01T00:00:00"}"#], "c.ndjson")
    try runs.partial(["c.ndjson"], to: "c") { $0.snapshot.partitions = 2 }
    try runs.mergeAll(["a", "c"], partitions: 2, to: "whole")
    try runs.mergeSteps(["a", "c"], partitions: 2, to: "out")
    let parts = try fixture.scratch.files(below: "out").filter { part in
      // What the steps before have handed over is not read again.
      !part.hasSuffix("manifest.json") && !part.hasSuffix(".spill")
        && !(part.hasPrefix("installations-")
          && (part.contains("state/") || part.contains("profiles/")))
    }
    #expect(parts.count == 2 * 4 + 2 + 2)
    for part in parts {
      let bytes = try fixture.scratch.bytes("out/\(part)")
      try fixture.scratch.write(bytes + [0], to: "out/\(part)")
      let failure = Failure.of(try runs.finish("out"))
      #expect(failure?.kind == .corrupt && failure?.path?.contains("/out/") == true, "\(part)")
      try fixture.scratch.write(bytes, to: "out/\(part)")
    }
    try runs.finish("out")
    try runs.expectSame("out", "whole", "restored")
  }

  /// Each pair of partitions has a file, so that a task reads only the files for its partition.
  @Test func aPartitionReadsTheInstallationsOfItsOwnPeople() throws {
    let links = (0..<30).flatMap { number in
      [
        #"{"identifiers":{"custom_id":"w\#(number)","installation_id":"i\#(number)"},"#
          + #""time":"2024-05-01T00:00:00Z"}"#,
        #"{"install_id":"i\#(number)","name":"seen","time":"2024-05-01T00:00:00"}"#,
      ]
    }
    try fixture.log(links, "c.ndjson")
    try runs.partial(["c.ndjson"], to: "c") { $0.snapshot.partitions = 2 }
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
    try runs.finish("out")
    try fixture.run(["a.ndjson", "c.ndjson"], to: "whole") { $0.snapshot.partitions = 2 }
    try runs.expectSame("out", "whole", "installations of other partitions' people")
  }

  // MARK: - Nights

  @Test func aLostInputIsLostInTheEnd() throws {
    let frame = try fixture.scratch.bytes(
      String(
        try fixture.compressedLog(Array(Sample.event("u", "lost").utf8), "cut.zst")
          .dropFirst(fixture.scratch.path.utf8.count + 1)))
    try fixture.scratch.write(Array(frame.dropLast(3)), to: "cut.zst")
    let change: (inout RunOptions) -> Void = {
      ($0.snapshot.partitions, $0.read.keepGoing) = (2, true)
    }
    try runs.partial(["a.ndjson", "cut.zst"], to: "one", change)
    try runs.partial(["b.ndjson"], to: "other", change)
    try runs.mergeSteps(["one", "other"], partitions: 2, to: "out")
    #expect(try runs.finish("out")?.lost.map(\.path) == [fixture.scratch("cut.zst")])
    try fixture.run(["a.ndjson", "b.ndjson", "cut.zst"], to: "whole", change)
    try runs.expectSame("out", "whole", "a damaged input")
  }

  @Test func anInputOfAnEarlierNightIsRefusedUnlessItShallCountAgain() throws {
    try fixture.run(["a.ndjson"], to: "night") { $0.snapshot.partitions = 2 }
    let night = fixture.scratch("night")
    expectRefused(
      "an earlier night has read the same content",
      try runs.merge(0, ["a", "b"], to: "out") { $0.merge.previous = night })
    try runs.mergeSteps(["a", "b"], partitions: 2, to: "out") {
      ($0.merge.previous, $0.merge.reingest) = (night, true)
    }
    try runs.finish("out")
    try fixture.run(["a.ndjson", "b.ndjson"], to: "whole") {
      ($0.snapshot.partitions, $0.merge.previous, $0.merge.reingest) = (2, night, true)
    }
    try runs.expectSame("out", "whole", "read again")
  }

  @Test func oneContentInTwoPartialsIsRefusedUnlessBothShallCount() throws {
    try fixture.compressedLog(try fixture.scratch.bytes("a.ndjson"), "copy.ndjson.zst")
    let names = ["a.ndjson", "copy.ndjson.zst"]
    try runs.partial([names[1]], to: "copy") { $0.snapshot.partitions = 2 }
    expectRefused(
      "it has the same content as \(fixture.scratch(names[0])), which was read, too",
      try runs.merge(0, ["a", "copy"], to: "out"))
    try runs.mergeSteps(["a", "copy"], partitions: 2, to: "out") { $0.merge.reingest = true }
    try runs.finish("out")
    try fixture.run(names, to: "whole") { ($0.snapshot.partitions, $0.merge.reingest) = (2, true) }
    try runs.expectSame("out", "whole", "both count")
    // In one partial only one of them is read.
    try runs.partial(names, to: "one") { $0.snapshot.partitions = 2 }
    try runs.mergeAll(["one"], partitions: 2, to: "once") { _ in }
    try fixture.run(names, to: "whole-once") { $0.snapshot.partitions = 2 }
    try runs.expectSame("once", "whole-once", "one is skipped")
  }

  @Test func ofAGrownLogAPartialHasOnlyWhatIsNew() throws {
    try fixture.run(["a.ndjson"], to: "night") { $0.snapshot.partitions = 2 }
    try fixture.scratch.write(
      fixture.scratch.bytes("a.ndjson") + Array((Sample.event("u", "new") + "\nbad\n").utf8),
      to: "a.ndjson")
    let change: (inout RunOptions) -> Void = { [fixture] in
      ($0.snapshot.partitions, $0.merge.previous) = (2, fixture.scratch("night"))
    }
    try runs.partial(["a.ndjson"], to: "grown", change)
    try runs.mergeAll(["grown", "b"], partitions: 2, to: "out", change)
    let whole = try fixture.run(["a.ndjson", "b.ndjson"], to: "whole", change)
    #expect(whole.grownInputs == 1 && whole.ledger.lines == 5)
    try runs.expectSame("out", "whole", "a grown log")

    try runs.partial(["a.ndjson"], to: "all") { $0.snapshot.partitions = 2 }
    expectRefused(
      "an earlier night has read its beginning", try runs.merge(0, ["all"], to: "refused", change))
    expectRefused(
      "a beginning that is not what an earlier night has read",
      try runs.merge(0, ["grown"], to: "refused"))
  }

  /// The fact is passed from the partial to manifest and report, also by a partial that read
  /// nothing.
  @Test func aPartialPassesOverWhatAnEarlierNightHasRead() throws {
    try fixture.run(["a.ndjson"], to: "night") { $0.snapshot.partitions = 2 }
    let change: (inout RunOptions) -> Void = { [fixture] in
      ($0.snapshot.partitions, $0.merge.previous) = (2, fixture.scratch("night"))
    }
    try fixture.scratch.copy("a.ndjson", to: "a-again.ndjson")
    try fixture.scratch.copy("a.ndjson", to: "a-once-more.ndjson")
    for (name, inputs, skipped) in [
      ("one", ["a-again.ndjson", "b.ndjson"], 1), ("other", ["a.ndjson"], 1),
      ("third", ["a-once-more.ndjson"], 1),
    ] {
      #expect(try runs.partial(inputs, to: name, change).alreadyRead == skipped)
    }
    try runs.mergeAll(["third", "one", "other"], partitions: 2, to: "out", change)
    try fixture.run(["a.ndjson", "a-again.ndjson", "a-once-more.ndjson", "b.ndjson"], to: "whole") {
      change(&$0)
    }
    try runs.expectSame("out", "whole", "three inputs were read the night before")
    #expect(try fixture.json("out/manifest.json")["skipped"]?.items.count == 3)
    expectRefused(
      "--reingest requires reading it",
      try runs.merge(0, ["one"], to: "again") {
        change(&$0)
        $0.merge.reingest = true
      })
  }

  /// A state in another number of parts, which is read and not copied.
  @Test func aPreviousOutputInOtherPartsIsReadByEveryPartition() throws {
    try fixture.log(
      [Sample.event("u-a", "older", day: 1, id: "2"), Sample.event("x", "seen")], "old.ndjson")
    try fixture.run(["old.ndjson"], to: "night") {
      ($0.snapshot.partitions, $0.snapshot.dedupeDays) = (3, 9)
    }
    let night = fixture.scratch("night")
    let change: (inout RunOptions) -> Void = {
      ($0.merge.previous, $0.snapshot.dedupeDays) = (night, 9)
    }
    try runs.mergeAll(["b", "a"], partitions: 2, to: "out", change)
    try fixture.run(["a.ndjson", "b.ndjson"], to: "whole") {
      change(&$0)
      $0.snapshot.partitions = 2
    }
    try runs.expectSame("out", "whole", "in other parts")
  }

  @Test func tooManyNamesFailInBothSteps() throws {
    // One event name, and no attribute key.
    try runs.merge(0, ["a"], to: "out") { $0.read.maxNames = 1 }
    try fixture.log([Sample.event("u", "bought"), Sample.event("u", "left")], "c.ndjson")
    try runs.partial(["c.ndjson"], to: "c") { $0.snapshot.partitions = 2 }
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
