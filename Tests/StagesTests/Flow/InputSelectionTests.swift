@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// A file that an earlier night has read is passed over (docs/reference/file-formats.md;
/// docs/guides/nightly.md).
@Suite struct InputSelectionTests {
  private static let earlier = InputHistory([
    ManifestInput(path: "old", facts: FileHash(bytes: 10, xxh64: 1), lines: 2)
  ])

  @Test func onlyFilesOfAnEarlierLengthAreHashed() throws {
    var hashed: [String] = []
    let found = [
      InputFile(path: "-", size: nil), InputFile(path: "equal", size: 10),
      InputFile(path: "longer", size: 11), InputFile(path: "other", size: 10),
    ]
    let selection = try InputSelection(
      found, earlier: Self.earlier, reingest: false, control: JobControl()
    ) { file in
      hashed.append(file.path)
      return FileHash(bytes: 10, xxh64: file.path == "equal" ? 1 : 2)
    }
    #expect(hashed == ["equal", "other"])
    #expect(selection.inputs.map(\.path) == ["-", "longer", "other"])
    #expect(
      selection.alreadyRead == [
        AlreadyRead(path: "equal", facts: FileHash(bytes: 10, xxh64: 1), earlier: "old")
      ])
  }

  @Test func withReingestNothingIsHashed() throws {
    let found = [InputFile(path: "equal", size: 10)]
    let selection = try InputSelection(
      found, earlier: Self.earlier, reingest: true, control: JobControl()
    ) { _ in
      Issue.record("it was hashed")
      return nil
    }
    #expect(selection.inputs == found && selection.alreadyRead.isEmpty)
  }

  @Test func aFileThatChangedItsLengthMeanwhileIsRead() throws {
    let selection = try InputSelection(
      [InputFile(path: "grown", size: 10)], earlier: Self.earlier, reingest: false,
      control: JobControl()
    ) { _ in FileHash(bytes: 12, xxh64: 1) }
    #expect(selection.inputs.count == 1)
  }

  // MARK: Nights

  private static let lines = Sample.log(seed: 41, count: 60)

  private func nights() throws -> RunFixture {
    let fixture = try RunFixture()
    try fixture.log(Array(Self.lines[0..<20]), "logs/a.ndjson")
    try fixture.log(Array(Self.lines[20..<40]), "logs/b.ndjson")
    try fixture.run(["logs"], to: "one")
    return fixture
  }

  private func results(of output: String, _ fixture: RunFixture) throws -> [String: [UInt8]] {
    try fixture.bytes(of: output).filter {
      !(RunFiles.reports + [RunFiles.manifest, RunFiles.rejects]).contains($0.key)
    }
  }

  @Test func aNightRunTwiceOverTheSameFilesChangesNothing() throws {
    let fixture = try nights()
    let summary = try fixture.run(["logs"], to: "two") {
      $0.merge.previous = fixture.scratch("one")
    }
    #expect(summary.alreadyRead == 2 && summary.ledger == Ledger())
    #expect(try results(of: "two", fixture) == results(of: "one", fixture))
    let manifest = try ManifestFile(fixture.scratch("two"), doing: "reading")
    #expect(manifest.inputs.isEmpty && manifest.alreadyRead.count == 2)
    #expect(
      manifest.earlierInputs
        == (try ManifestFile(fixture.scratch("one"), doing: "reading").inputs))
  }

  @Test func overlappingFilesCountOnceAlongTheWholeChain() throws {
    let fixture = try nights()
    // What the first night has read comes again, under another name, beside something new.
    try fixture.log(Array(Self.lines[20..<40]), "more/again.ndjson")
    try fixture.log(Array(Self.lines[40..<60]), "more/new.ndjson")
    let two = try fixture.run(["more"], to: "two") { $0.merge.previous = fixture.scratch("one") }
    #expect(two.alreadyRead == 1 && two.ledger.lines == 20)
    let three = try fixture.run(["logs/a.ndjson", "more"], to: "three") {
      $0.merge.previous = fixture.scratch("two")
    }
    #expect(three.alreadyRead == 3)
    try fixture.run(["logs", "more/new.ndjson"], to: "all")
    let expected = try results(of: "all", fixture)
    #expect(try results(of: "two", fixture) == expected)
    #expect(try results(of: "three", fixture) == expected)

    let manifest = try fixture.json("two/manifest.json")
    #expect(manifest["inputs"]?.items.count == 1 && manifest["skipped"]?.items.count == 1)
    let report = try fixture.json("two/report.json")["inputs"]?.items ?? []
    #expect(report.map { $0["skipped"] != nil } == [true, false])
    #expect(report[0]["path"]?.text == fixture.scratch("more/again.ndjson"))
    #expect(report[0]["skipped"]?["as"]?.text == fixture.scratch("logs/b.ndjson"))
    #expect(report[0]["skipped"]?["xxh64"] == manifest["skipped"]?[0]?["xxh64"])
    #expect(report[0]["ledger"]?["lines"]?["total"]?.integer == 0)
    let earlier = try fixture.json("three/manifest.json")["earlier_inputs"]?.items ?? []
    #expect(
      earlier.map { $0["path"]?.text } == [
        fixture.scratch("logs/a.ndjson"), fixture.scratch("logs/b.ndjson"),
        fixture.scratch("more/new.ndjson"),
      ])
  }

  @Test func reingestCountsAgain() throws {
    let fixture = try nights()
    let first = try fixture.run(["logs"], to: "again")
    let summary = try fixture.run(["logs"], to: "two") {
      $0.merge.previous = fixture.scratch("one")
      $0.merge.reingest = true
    }
    #expect(summary.alreadyRead == 0 && summary.ledger == first.ledger)
    #expect(try results(of: "two", fixture) != results(of: "one", fixture))
    let manifest = try ManifestFile(fixture.scratch("two"), doing: "reading")
    #expect(manifest.inputs.count == 2 && manifest.earlierInputs == manifest.inputs)
  }

  @Test func changedContentOfTheSameLengthIsRead() throws {
    let fixture = try RunFixture()
    try fixture.log([Sample.event("u", "a")], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "one")
    try fixture.log([Sample.event("u", "b")], "a.ndjson")
    let summary = try fixture.run(["a.ndjson"], to: "two") {
      $0.merge.previous = fixture.scratch("one")
    }
    #expect(summary.alreadyRead == 0 && summary.ledger.accepted == 1)
    let manifest = try ManifestFile(fixture.scratch("two"), doing: "reading")
    #expect(manifest.earlierInputs.map(\.path) == manifest.inputs.map(\.path))
  }

  @Test func anInputThatWasLostIsReadAgain() throws {
    let fixture = try RunFixture()
    let text = Array(Self.lines.map { $0 + "\n" }.joined().utf8)
    try fixture.compressedLog(text, "a.ndjson.zst")
    let whole = try fixture.scratch.bytes("a.ndjson.zst")
    try fixture.scratch.write(Array(whole.dropLast(9)), to: "a.ndjson.zst")
    _ = fixture.failure(["a.ndjson.zst"], to: "one") { $0.read.keepGoing = true }
    let summary = try fixture.run(["a.ndjson.zst"], to: "two") {
      $0.merge.previous = fixture.scratch("one")
      $0.read.keepGoing = true
    }
    #expect(summary.alreadyRead == 0 && summary.lost.count == 1)
    #expect(try fixture.json("two/manifest.json")["earlier_inputs"] == nil)
  }

  @Test func equalFilesOfOneNightBothCountAndAreNamed() throws {
    let fixture = try RunFixture()
    for name in ["a", "b", "c"] { try fixture.log([Sample.event("u", "x")], "\(name).ndjson") }
    for name in ["d", "e"] { try fixture.log([], "\(name).ndjson") }
    let names = ["a", "b", "c", "d", "e"].map { "\($0).ndjson" }
    let summary = try fixture.run(names, to: "out")
    #expect(summary.ledger.accepted == 3 && summary.alreadyRead == 0)
    #expect(
      summary.repeatedInputs
        == ["b.ndjson", "c.ndjson"].map {
          RepeatedInput(path: fixture.scratch($0), first: fixture.scratch("a.ndjson"))
        })
    let report = try fixture.json("out/report.json")["inputs"]?.items ?? []
    #expect(
      report.map { $0["same_content_as"]?.text } == [
        nil, fixture.scratch("a.ndjson"), fixture.scratch("a.ndjson"), nil, nil,
      ])
  }

  @Test func aCancelledRunStopsHashing() throws {
    let fixture = try nights()
    let control = JobControl()
    control.cancel(Failure(.interrupted, doing: "waiting", why: "enough"))
    let failure = fixture.failure(["logs"], to: "two", control: control) {
      $0.merge.previous = fixture.scratch("one")
    }
    #expect(failure?.kind == .interrupted)
    try fixture.expectOnly(["logs", "one"])
  }
}
