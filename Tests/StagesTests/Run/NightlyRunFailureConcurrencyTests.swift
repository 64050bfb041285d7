import Dispatch
import Foundation
@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// Whatever stops a run: nothing is published, nothing is left, an earlier output stays
/// (docs/reference/file-formats.md).
@Suite struct NightlyRunFailureConcurrencyTests {
  private func fixture(_ lines: [String] = [Sample.event("u", "a")]) throws -> RunFixture {
    let fixture = try RunFixture()
    try fixture.log(lines, "a.ndjson")
    return fixture
  }

  // MARK: --max-rejects

  static let half = [
    Sample.event("u", "a"), "{", "", Sample.event("u", "-"), Sample.event("u", "b"),
  ]

  @Test(arguments: [RejectLimit.lines(1), .lines(0), .percent(49.9), .percent(0)])
  func moreRejectsThanAllowed(limit: RejectLimit) throws {
    let fixture = try fixture(Self.half)
    let failure = fixture.failure(["a.ndjson"], to: "out") { $0.read.maxRejects = limit }
    #expect(failure?.kind == .rejects)
    #expect(failure?.path == fixture.scratch("out.rejected"))
    #expect(failure?.why.contains("2 of 4 lines") == true)
    try fixture.expectOnly(["a.ndjson", "out.rejected"])
    #expect(
      try fixture.scratch.files(below: "out.rejected")
        == ["manifest.json", "rejects.ndjson.zst", "report.html", "report.json"])
    #expect(try fixture.lines("out.rejected/rejects.ndjson.zst").count == 2)
    let report = try fixture.json("out.rejected/report.json")
    #expect(report["ledger"]?["lines"]?["rejected_lines"]?.integer == 1)
    #expect(report["rejects"]?["lines"]?.integer == 2)
    // The next failure replaces what this one left.
    #expect(
      fixture.failure(["a.ndjson"], to: "out") { $0.read.maxRejects = limit }?.kind == .rejects)
    try fixture.expectOnly(["a.ndjson", "out.rejected"])
  }

  @Test func tooManyRejectsLeaveAnEarlierOutput() throws {
    let fixture = try fixture(Self.half)
    try fixture.run(["a.ndjson"], to: "out")
    let before = try fixture.bytes(of: "out")
    let failure = fixture.failure(["a.ndjson"], to: "out") {
      $0.read.maxRejects = .lines(0)
      $0.publish.replace = true
    }
    #expect(failure?.kind == .rejects)
    #expect(try fixture.bytes(of: "out") == before)
    try fixture.expectOnly(["a.ndjson", "out", "out.rejected"])
  }

  // MARK: --previous

  @Test func aPreviousThatIsNoOutput() throws {
    let fixture = try fixture()
    try fixture.log([], "folder/x")
    for previous in ["nowhere", "folder", "a.ndjson"] {
      let failure = fixture.failure(["a.ndjson"], to: "out", after: previous)
      #expect(failure?.kind == .usage, "\(previous)")
      #expect(failure?.path == fixture.scratch(previous), "\(previous)")
    }
    try fixture.expectOnly(["a.ndjson", "folder"])
  }

  struct Damage: CustomStringConvertible {
    let description: String
    let make: @Sendable (RunFixture) throws -> Void

    init(_ description: String, _ make: @escaping @Sendable (RunFixture) throws -> Void) {
      self.description = description
      self.make = make
    }

    /// Changes a file of the previous output.
    init(
      _ description: String, _ path: String, _ change: @escaping @Sendable (inout [UInt8]) -> Void
    ) {
      self.init(description) { fixture in
        var bytes = try fixture.scratch.bytes("previous/\(path)")
        change(&bytes)
        try fixture.scratch.write(bytes, to: "previous/\(path)")
      }
    }

    static func replace(_ text: String, _ other: String, _ bytes: inout [UInt8]) {
      let changed = String(decoding: bytes, as: UTF8.self).replacingOccurrences(
        of: text, with: other)
      bytes = Array(changed.utf8)
    }
  }

  static let part = RunFiles.part(1, of: 2, in: RunFiles.state)
  static let profiles = RunFiles.part(1, of: 2, in: RunFiles.profiles)

  static let damages: [Damage] = [
    Damage("another format", RunFiles.manifest) {
      let version = "\"eventmill_output\": "
      Damage.replace("\(version)\(Manifest.formatVersion)", "\(version)99", &$0)
    },
    Damage("no format", RunFiles.manifest) { Damage.replace("eventmill_output", "other", &$0) },
    Damage("no JSON", RunFiles.manifest) { $0.removeLast(3) },
    Damage("an empty manifest", RunFiles.manifest) { $0 = [] },
    Damage("no object", RunFiles.manifest) { $0 = Array("[]\n".utf8) },
    Damage("no list of files", RunFiles.manifest) { Damage.replace("\"outputs\"", "\"x\"", &$0) },
    Damage("a part is missing") { try $0.scratch.remove("previous/\(part)") },
    Damage("all parts are missing") { try $0.scratch.remove("previous/\(RunFiles.state)") },
    Damage("a part is cut", part) { $0.removeLast() },
    Damage("a part has grown", part) { $0.append(0) },
    Damage("a part is changed", part) { $0[$0.count / 2] ^= 0x10 },
    Damage("a part is no longer listed", RunFiles.manifest) {
      Damage.replace(part, "rest/\(part)", &$0)
    },
    Damage("the totals are missing") { try $0.scratch.remove("previous/\(RunFiles.totals)") },
    Damage("the totals are cut", RunFiles.totals) { $0.removeLast() },
    Damage("the totals are changed", RunFiles.totals) { $0[$0.count / 2] ^= 0x10 },
    Damage("the totals are no longer listed", RunFiles.manifest) {
      Damage.replace(RunFiles.totals, "rest/\(RunFiles.totals)", &$0)
    },
    Damage("profiles are missing") { try $0.scratch.remove("previous/\(profiles)") },
    Damage("profiles are cut", profiles) { $0.removeLast() },
    Damage("profiles are changed", profiles) { $0[$0.count / 2] ^= 0x10 },
    Damage("a part is the other one") { fixture in
      // Same length or not: the manifest tells them apart.
      let other = RunFiles.part(0, of: 2, in: RunFiles.state)
      try fixture.scratch.write(
        try fixture.scratch.bytes("previous/\(other)"), to: "previous/\(part)")
    },
  ]

  @Test(arguments: damages)
  func aDamagedPrevious(damage: Damage) throws {
    let fixture = try fixture((0..<20).map { Sample.event("u\($0)", "a", id: "\($0)") })
    try fixture.run(["a.ndjson"], to: "previous") { $0.snapshot.partitions = 2 }
    try damage.make(fixture)
    for jobs in [1, 3] {
      let failure = fixture.failure(["a.ndjson"], to: "out", after: "previous") {
        $0.snapshot.partitions = 2
        $0.read.jobs = jobs
      }
      #expect(failure?.kind == .corrupt)
      #expect(failure?.path?.hasPrefix(fixture.scratch("previous")) == true)
      try fixture.expectOnly(["a.ndjson", "previous"])
    }
    guard !damage.description.hasPrefix("profiles") else { return }
    // Read instead of copied, because it has another number of parts.
    let failure = fixture.failure(["a.ndjson"], to: "out", after: "previous")
    #expect(failure?.kind == .corrupt)
  }

  /// The index has the positions of the frames that a run reads.
  @Test func theSeekTablesOfThePreviousOneAreNotRead() throws {
    let fixture = try fixture((0..<20).map { Sample.event("u\($0)", "a", id: "\($0)") })
    try fixture.run(["a.ndjson"], to: "previous")
    try fixture.log([Sample.event("u1", "a", id: "x")], "b.ndjson")
    try fixture.run(["b.ndjson"], to: "expected", after: "previous")
    for folder in [RunFiles.state, RunFiles.profiles] {
      try Damage("", RunFiles.part(0, of: 1, in: folder)) { $0[$0.count - 1] ^= 1 }.make(fixture)
    }
    try fixture.run(["b.ndjson"], to: "found", after: "previous")
    #expect(try fixture.snapshot(of: "found") == fixture.snapshot(of: "expected"))
  }

  // MARK: Output and inputs

  @Test func anOutputThatExistsStays() throws {
    let fixture = try fixture()
    try fixture.run(["a.ndjson"], to: "out")
    let before = try fixture.bytes(of: "out")
    try fixture.log([Sample.event("v", "b")], "b.ndjson")
    #expect(fixture.failure(["b.ndjson"], to: "out")?.kind == .usage)
    #expect(try fixture.bytes(of: "out") == before)
    try fixture.run(["b.ndjson"], to: "out") { $0.publish.replace = true }
    #expect(try fixture.lines("out/event_counts.ndjson")[0]["name"]?.text == "b")
    try fixture.expectOnly(["a.ndjson", "b.ndjson", "out"])
  }

  @Test func aDirectoryThatNoRunHasMadeIsNeverReplaced() throws {
    let fixture = try fixture()
    try fixture.log(["precious"], "out/file.txt")
    #expect(fixture.failure(["a.ndjson"], to: "out") { $0.publish.replace = true }?.kind == .usage)
    #expect(try fixture.scratch.files(below: "out") == ["file.txt"])
    try fixture.expectOnly(["a.ndjson", "out"])
  }

  @Test func anOutputInsideAnInput() throws {
    let fixture = try RunFixture()
    try fixture.log([Sample.event("u", "a")], "logs/a.ndjson")
    #expect(fixture.failure(["logs"], to: "logs/out")?.kind == .usage)
    #expect(
      fixture.failure(["logs/a.ndjson"], to: "logs") { $0.publish.replace = true }?.kind == .usage)
    #expect(try fixture.scratch.files(below: "logs") == ["a.ndjson"])
    try fixture.expectOnly(["logs"])
  }

  @Test func theSameFileTwice() throws {
    let fixture = try fixture()
    #expect(fixture.failure(["a.ndjson", "a.ndjson"], to: "out")?.kind == .usage)
    #expect(fixture.failure(["a.ndjson", "./a.ndjson"], to: "out")?.kind == .usage)
    #expect(fixture.failure([], to: "out")?.kind == .usage)
    #expect(fixture.failure(["b.ndjson"], to: "out")?.kind == .io)
    try fixture.expectOnly(["a.ndjson"])
  }

  // MARK: Damaged inputs

  /// Two frames, the second one cut; and how many lines the first one has.
  private func cutLog(_ fixture: RunFixture, _ name: String) throws -> Int {
    var bytes: [UInt8] = []
    for frame in 0..<2 {
      let lines = (0..<50).map { Sample.event("\(name)-\(frame)-\($0)", "a") + "\n" }.joined()
      try fixture.compressedLog(Array(lines.utf8), "frame")
      bytes += try fixture.scratch.bytes("frame")
    }
    try fixture.scratch.remove("frame")
    try fixture.scratch.write(bytes.dropLast(5), to: name)
    return 50
  }

  @Test func aCutInputPublishesNothing() throws {
    let fixture = try fixture()
    _ = try cutLog(fixture, "b.ndjson.zst")
    for jobs in [1, 3] {
      let failure = fixture.failure(["a.ndjson", "b.ndjson.zst"], to: "out") { $0.read.jobs = jobs }
      #expect(failure?.kind == .corrupt && failure?.frame == 1)
      #expect(failure?.path == fixture.scratch("b.ndjson.zst"))
      try fixture.expectOnly(["a.ndjson", "b.ndjson.zst"])
    }
  }

  @Test func theEarliestOfSeveralFailuresIsReported() throws {
    let fixture = try fixture()
    for name in ["b.ndjson.zst", "c.ndjson.zst"] { _ = try cutLog(fixture, name) }
    for _ in 0..<5 {
      let failure = fixture.failure(["c.ndjson.zst", "b.ndjson.zst"], to: "out") {
        $0.read.jobs = 4
      }
      #expect(failure?.path == fixture.scratch("b.ndjson.zst"))
    }
  }

  @Test func keepGoingCostsOnlyWhatCannotBeRead() throws {
    let fixture = try fixture()
    let whole = try cutLog(fixture, "b.ndjson.zst")
    try fixture.scratch.write("no zstd\n", to: "c.ndjson.zst")
    try fixture.log([Sample.event("z", "b"), "{"], "d.ndjson")
    let inputs = ["a.ndjson", "b.ndjson.zst", "c.ndjson.zst", "d.ndjson"]
    var expected: [String: [UInt8]]?
    for jobs in [1, 3] {
      let summary = try fixture.run(inputs, to: "out-\(jobs)") {
        $0.read.keepGoing = true
        $0.read.jobs = jobs
      }
      #expect(
        summary.lost.map(\.path) == [
          fixture.scratch("b.ndjson.zst"), fixture.scratch("c.ndjson.zst"),
        ])
      #expect(summary.ledger.lines == whole + 3 && summary.ledger.accepted == whole + 2)
      let listed = try fixture.json("out-\(jobs)/report.json")["inputs"]?.items ?? []
      #expect(listed.map { $0["lost"] != nil } == [false, true, true, false])
      #expect(listed[1]["lost"]?["frame"]?.integer == 1)
      #expect(listed[1]["ledger"]?["lines"]?["total"]?.integer == whole)
      #expect(
        listed[1]["lost"]?["from_offset"]?.integer == listed[1]["decompressed_bytes"]?.integer)
      var bytes = try fixture.bytes(of: "out-\(jobs)")
      for name in RunFiles.reports { bytes[name] = nil }
      if let expected { #expect(bytes == expected) }
      expected = bytes
    }
  }

  // MARK: Cancelling

  @Test func cancelledBeforeItBegins() throws {
    let fixture = try fixture()
    try fixture.run(["a.ndjson"], to: "previous")
    let before = try fixture.bytes(of: "previous")
    for previous in [nil, "previous"] {
      let control = JobControl()
      control.cancel(Sample.stop)
      control.cancel(Failure(.io, doing: "testing", why: "too late"))
      let failure = fixture.failure(["a.ndjson"], to: "previous", after: previous, control: control)
      {
        $0.publish.replace = true
      }
      #expect(failure == Sample.stop)
      #expect(try fixture.bytes(of: "previous") == before)
      try fixture.expectOnly(["a.ndjson", "previous"])
    }
  }

  /// Cancelled from another thread, in the middle of an input: the writer of a pipe cancels before
  /// it ends, so the run cannot have ended by itself.
  @Test(arguments: [1, 3])
  func cancelledWhileItReads(jobs: Int) throws {
    let fixture = try fixture()
    let pipe = fixture.scratch("pipe.ndjson")
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    let control = JobControl()
    let written = DispatchSemaphore(value: 0)
    let lines = Array((0..<4000).map { Sample.event("user-\($0)", "a") + "\n" }.joined().utf8)
    DispatchQueue(label: "writer").async {
      signal(SIGPIPE, SIG_IGN)
      defer { written.signal() }
      guard let handle = FileHandle(forWritingAtPath: pipe) else { return }
      try? handle.write(contentsOf: Data(lines))
      control.cancel(Sample.stop)
      // The reader may have closed the pipe by now.
      try? handle.write(contentsOf: Data(lines))
      try? handle.close()
    }
    let failure = fixture.failure(["a.ndjson", "pipe.ndjson"], to: "out", control: control) {
      $0.read.jobs = jobs
    }
    written.wait()
    #expect(failure == Sample.stop)
    try fixture.expectOnly(["a.ndjson", "pipe.ndjson"])
  }

  @Test func cancellingARunThatIsOverDoesNothing() throws {
    let fixture = try fixture()
    let control = JobControl()
    var options = fixture.options(["a.ndjson"], to: "out")
    options.read.jobs = 2
    try fixture.run(options, control: control)
    control.cancel(Sample.stop)
    #expect(control.records == 1 && control.rejects == 0)
    #expect(control.bytes == (try fixture.scratch.bytes("a.ndjson").count))
    #expect(control.phases == [.reading, .merging, .publishing] && control.phase == .publishing)
    #expect(fixture.scratch.has("out/manifest.json"))
  }
}
