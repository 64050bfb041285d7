import Foundation
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Each log is read once, however it is named, packed or delivered: what manifests and reports say
/// of it (docs/reference/file-formats.md; docs/guides/nightly.md).
///
/// ``ReadOncePropertyConcurrencyTests`` is about what is read.
@Suite struct InputSelectionTests {
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  private static let lines = Sample.log(seed: 41, count: 60)

  private func firstNight() throws {
    try fixture.log(Array(Self.lines[0..<20]), "logs/a.ndjson")
    try fixture.log(Array(Self.lines[20..<40]), "logs/b.ndjson")
    try fixture.run(["logs"], to: "one")
  }

  @Test func overlappingFilesCountOnceAlongTheWholeChain() throws {
    try firstNight()
    // What the first night has read comes again, under another name, beside something new.
    try fixture.log(Array(Self.lines[20..<40]), "more/again.ndjson")
    try fixture.log(Array(Self.lines[40..<60]), "more/new.ndjson")
    let two = try fixture.run(["more"], to: "two", after: "one")
    #expect(two.alreadyRead == 1 && two.ledger.lines == 20)
    let three = try fixture.run(["logs/a.ndjson", "more"], to: "three", after: "two")
    #expect(three.alreadyRead == 3 && three.ledger == Ledger())
    #expect(try fixture.snapshot(of: "three") == fixture.snapshot(of: "two"))
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
      earlier.map { $0["path"]?.text }
        == ["logs/a.ndjson", "logs/b.ndjson", "more/again.ndjson", "more/new.ndjson"].map {
          fixture.scratch($0)
        })
  }

  @Test func ofEqualLogsOfOneNightTheFirstIsReadHoweverTheyArePacked() throws {
    let text = Array((Sample.event("u", "x") + "\n").utf8)
    for name in ["a", "c"] { try fixture.scratch.write(text, to: "\(name).ndjson") }
    try fixture.compressedLog(text, "b.ndjson.zst")
    for name in ["d", "e"] { try fixture.log([], "\(name).ndjson") }
    let names = ["c.ndjson", "b.ndjson.zst", "a.ndjson", "e.ndjson", "d.ndjson"]
    let summary = try fixture.run(names, to: "out")
    let first = fixture.scratch("a.ndjson")
    #expect(summary.ledger.accepted == 1 && summary.inputs == 3)
    #expect(
      summary.skipped
        == ["b.ndjson.zst", "c.ndjson"].map {
          RepeatedInput(path: fixture.scratch($0), first: first)
        })
    let report = try fixture.json("out/report.json")["inputs"]?.items ?? []
    #expect(report.map { $0["skipped"]?["as"]?.text } == [nil, first, first, nil, nil])
    let listed = try fixture.json("out/manifest.json")["skipped"]?.items ?? []
    #expect(listed.map { $0["as"]?.text } == [first, first])

    let both = try fixture.run(names, to: "both") { $0.merge.reingest = true }
    #expect(both.ledger.accepted == 3 && both.skipped.isEmpty)
    #expect(both.repeated.map(\.first) == [first, first])
  }

  @Test func aCopyInAPipeEndsTheRun() throws {
    try fixture.log([Sample.event("u", "x")], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "one")
    for (previous, inputs) in [(nil, ["a.ndjson", "pipe"]), ("one", ["pipe"])] {
      let pipe = fixture.scratch("pipe")
      try #require(unsafe mkfifo(pipe, 0o600) == 0)
      DispatchQueue(label: "writer").async {
        signal(SIGPIPE, SIG_IGN)
        guard let handle = FileHandle(forWritingAtPath: pipe) else { return }
        try? handle.write(contentsOf: Data((Sample.event("u", "x") + "\n").utf8))
        try? handle.close()
      }
      let failure = fixture.failure(inputs, to: "out", after: previous)
      #expect(failure?.kind == .usage && failure?.path == pipe)
      #expect(failure?.why.contains(fixture.scratch("a.ndjson")) == true)
      try fixture.scratch.remove("pipe")
    }
  }

  // MARK: Growth

  /// Runs a first night over `old`, and a second one over `new` under the same name.
  private func grow(_ old: String, _ new: String, packed: Bool = false) throws -> RunReport {
    try fixture.scratch.write(old, to: "a.ndjson")
    try fixture.run(["a.ndjson"], to: "one") { $0.read.maxRejects = nil }
    try fixture.scratch.write(new, to: "a.ndjson")
    if packed { try fixture.compressedLog(Array(new.utf8), "a.ndjson") }
    return try fixture.run(["a.ndjson"], to: "two", after: "one") { $0.read.maxRejects = nil }
  }

  @Test(arguments: [false, true])
  func onlyTheNewLinesOfAGrownLogAreReadAndKeepTheirNumbers(packed: Bool) throws {
    let (first, second) = (Sample.event("u", "x") + "\n", Sample.event("u", "y") + "\n")
    let summary = try grow(first, first + second + "bad\n", packed: packed)
    #expect(summary.ledger.lines == 2 && summary.ledger.accepted == 1 && summary.grownInputs == 1)
    let reject = try #require(fixture.lines("two/rejects.ndjson.zst").first)
    #expect(reject["line"]?.integer == 3)
    #expect(reject["offset"]?.integer == first.utf8.count + second.utf8.count)
    let grown = try fixture.json("two/report.json")["inputs"]?[0]?["grown"]
    #expect(grown?["known_bytes"]?.integer == first.utf8.count)
    #expect(grown?["lines_before"]?.integer == 1)
  }

  /// The last line of the first night has no line feed: whole, it has counted; cut, it was
  /// rejected.
  @Test(arguments: [
    ("", 1, 1), ("\n", 1, 1), ("\r\n", 1, 1), ("\u{FEFF}", 1, 1), ("{\"name\"", 2, 2),
  ])
  func whatIsNewBeginsBehindAWholeLineOrWithACutOne(
    case value: (end: String, lines: Int, accepted: Int)
  ) throws {
    let (first, second) = (Sample.event("u", "x"), Sample.event("u", "y"))
    let isCut = value.end.hasPrefix("{")
    let mark = value.end == "\u{FEFF}" ? value.end : ""
    let old = isCut ? first + "\n" + second.prefix(10) : mark + first
    let feed = value.end.hasPrefix("\r") ? "\r\n" : "\n"
    let summary = try grow(old, mark + first + feed + second + "\n" + (isCut ? second : ""))
    #expect(summary.ledger.lines == value.lines && summary.ledger.accepted == value.accepted)
  }

  @Test func aRotatedLogThatHasGrownIsNamedWithItsOldName() throws {
    try firstNight()
    try fixture.log(Array(Self.lines[0..<25]), "logs/a.1.ndjson")
    try fixture.log(Array(Self.lines[40..<44]), "logs/a.ndjson")
    // Of equal logs the one that has grown is read.
    for name in ["b", "a-copy"] {
      try fixture.log(Array(Self.lines[20..<44]), "logs/\(name).ndjson")
    }
    let summary = try fixture.run(["logs"], to: "two", after: "one")
    let (old, copy) = (fixture.scratch("logs/a.ndjson"), fixture.scratch("logs/a-copy.ndjson"))
    let grown = fixture.scratch("logs/b.ndjson")
    #expect(summary.ledger.lines == 33 && summary.grownInputs == 1 && summary.alreadyRead == 1)
    #expect(summary.skipped == [RepeatedInput(path: copy, first: grown)])
    #expect(
      summary.overlapping == [RepeatedInput(path: fixture.scratch("logs/a.1.ndjson"), first: old)])
    let inputs = try fixture.json("two/report.json")["inputs"]?.items ?? []
    #expect(inputs.first { $0["begins_with"] != nil }?["begins_with"]?.text == old)
  }

  @Test func aCancelledRunStopsHashing() throws {
    try firstNight()
    let control = JobControl()
    control.cancel(Failure(.interrupted, doing: "waiting", why: "enough"))
    let failure = fixture.failure(["logs"], to: "two", after: "one", control: control)
    #expect(failure?.kind == .interrupted)
    try fixture.expectOnly(["logs", "one"])
  }

  // MARK: History

  private func input(_ path: String, bytes: Int = 10, hash: UInt64) -> ManifestInput {
    ManifestInput(
      path: path, facts: FileHash(bytes: bytes, xxh64: hash), lines: 1,
      content: ContentFacts(bytes: bytes, xxh64: hash, firstLine: 0))
  }

  @Test func theHistoryListsEachContentOncePerPathInOrder() {
    let list = InputHistory([
      input("b", hash: 9), input("a", hash: 7), input("b", hash: 3), input("B", hash: 8),
      input("b", hash: 9), input("a", hash: 3), input("b", bytes: 11, hash: 9),
      // Nothing of these was read.
      ManifestInput(path: "a", isLost: true), input("c", bytes: 0, hash: 2),
    ])
    #expect(list.inputs.map(\.path) == ["B", "a", "a", "b", "b", "b"])
    #expect(list.inputs.map(\.facts.xxh64) == [8, 3, 7, 3, 9, 9])
  }

  @Test func whatChangedWhileItWasReadIsNotRemembered() {
    for kind in [Failure.Kind.corrupt, .io] {
      let outcome = InputOutcome(
        file: InputFile(path: "a", size: 10),
        summary: InputSummary(
          compression: .none, compressedBytes: 10, hash: 1, decompressedBytes: 10, lines: 1,
          content: ContentFacts(bytes: 10, xxh64: 1, firstLine: 0)),
        lost: Failure(kind, doing: "reading", path: "a", offset: 10, why: "x"))
      #expect((outcome.known != nil) == (kind == .corrupt))
    }
  }

  @Test func ofTooManyTheFirstPathsAreForgotten() {
    let list = InputHistory((0..<9).map { input("2024-06-0\($0)", hash: $0) }, most: 4)
    #expect(list.inputs.map(\.facts.xxh64) == [5, 6, 7, 8])
  }
}
