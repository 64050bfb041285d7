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
  private let fixture: RunFixture

  init() throws {
    fixture = try RunFixture()
    try fixture.log([Sample.event("u", "a")], "a.ndjson")
  }

  // MARK: --max-rejects

  static let half = [
    Sample.event("u", "a"), "{", "", Sample.event("u", "-"), Sample.event("u", "b"),
  ]

  @Test(arguments: [RejectLimit.lines(1), .lines(0), .percent(49.9), .percent(0)])
  func moreRejectsThanAllowed(limit: RejectLimit) throws {
    try fixture.log(Self.half, "a.ndjson")
    let failure = fixture.failure(["a.ndjson"], to: "out") { $0.read.maxRejects = limit }
    #expect(failure?.kind == .rejects && failure?.path == fixture.scratch("out.rejected"))
    #expect(failure?.why.contains("2 of 4 lines") == true)
    try fixture.expectOnly(["a.ndjson", "out.rejected"])
    #expect(
      try fixture.scratch.files(below: "out.rejected")
        == ["manifest.json", "rejects.ndjson.zst", "report.html", "report.json"])
    #expect(try fixture.lines("out.rejected/rejects.ndjson.zst").count == 2)
    let report = try fixture.json("out.rejected/report.json")
    #expect(report["ledger"]?["lines"]?["rejected_lines"]?.integer == 1)
    #expect(report["rejects"]?["lines"]?.integer == 2)
    // The next failure replaces what this one left, and no earlier output.
    try fixture.run(["a.ndjson"], to: "out")
    let before = try fixture.bytes(of: "out")
    let again = fixture.failure(["a.ndjson"], to: "out") {
      ($0.read.maxRejects, $0.publish.replace) = (limit, true)
    }
    #expect(try again?.kind == .rejects && fixture.bytes(of: "out") == before)
    try fixture.expectOnly(["a.ndjson", "out", "out.rejected"])
  }

  // MARK: --previous

  @Test func aPreviousThatIsNoOutput() throws {
    try fixture.log([], "folder/x")
    for previous in ["nowhere", "folder", "a.ndjson"] {
      let failure = fixture.failure(["a.ndjson"], to: "out", after: previous)
      #expect(failure?.kind == .usage && failure?.path == fixture.scratch(previous), "\(previous)")
    }
    try fixture.expectOnly(["a.ndjson", "folder"])
  }

  /// A change of a file of the previous output; nil removes it.
  struct Damage: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let path: String
    /// Where the bytes that are changed come from.
    let source: String
    let change: @Sendable (inout [UInt8]?) -> Void

    init(
      _ description: String, _ path: String, of source: String? = nil,
      _ change: @escaping @Sendable (inout [UInt8]?) -> Void = { _ in }
    ) {
      (testDescription, self.path, self.change) = (description, path, change)
      self.source = source ?? path
    }

    /// Other words in the manifest.
    init(_ description: String, _ text: String, _ other: String) {
      self.init(description, RunFiles.manifest) {
        $0 = $0.map { Array(String(decoding: $0, as: UTF8.self).replacing(text, with: other).utf8) }
      }
    }

    func make(in fixture: RunFixture) throws {
      var bytes: [UInt8]? = try fixture.scratch.bytes("previous/\(source)")
      change(&bytes)
      try fixture.scratch.remove("previous/\(path)")
      if let bytes { try fixture.scratch.write(bytes, to: "previous/\(path)") }
    }
  }

  static let parts = (0..<2).map { RunFiles.part($0, of: 2, in: RunFiles.state) }
  static let profiles = RunFiles.part(1, of: 2, in: RunFiles.profiles)

  static let damages: [Damage] =
    [1, Manifest.formatVersion - 1, Manifest.formatVersion + 1].map { version in
      let member = "\"eventmill_output\": "
      return Damage(
        "format \(version)", "\(member)\(Manifest.formatVersion)", "\(member)\(version)")
    } + [
      Damage("no format", "eventmill_output", "other"),
      Damage("no JSON", RunFiles.manifest) { $0?.removeLast(3) },
      Damage("an empty manifest", RunFiles.manifest) { $0 = [] },
      Damage("no object", RunFiles.manifest) { $0 = Array("[]\n".utf8) },
      Damage("no list of files", "\"outputs\"", "\"x\""),
      Damage("a part that is not listed", parts[1], "rest/\(parts[1])"),
      Damage("the other part, of the same length or not", parts[1], of: parts[0]),
      Damage("totals that are not listed", RunFiles.totals, "rest/\(RunFiles.totals)"),
    ]
    + [parts[1], RunFiles.totals, profiles].flatMap { path in
      [
        Damage("\(path) is missing", path) { $0 = nil },
        Damage("\(path) is cut", path) { $0?.removeLast() },
        Damage("\(path) has grown", path) { $0?.append(0) },
        Damage("\(path) is changed", path) { bytes in
          if let count = bytes?.count { bytes?[count / 2] ^= 0x10 }
        },
      ]
    }

  private func writePeople() throws {
    try fixture.log((0..<20).map { Sample.event("u\($0)", "a", id: "\($0)") }, "a.ndjson")
  }

  @Test(arguments: damages)
  func aDamagedPrevious(damage: Damage) throws {
    try writePeople()
    try fixture.run(["a.ndjson"], to: "previous") { $0.snapshot.partitions = 2 }
    try damage.make(in: fixture)
    // With another number of parts it is read instead of copied, and its profiles are not needed.
    for (partitions, jobs) in [(2, 1), (2, 3), (1, 1)]
    where partitions == 2 || damage.path != Self.profiles {
      let failure = fixture.failure(["a.ndjson"], to: "out", after: "previous") {
        ($0.snapshot.partitions, $0.read.jobs) = (partitions, jobs)
      }
      #expect(failure?.kind == .corrupt)
      #expect(failure?.path?.hasPrefix(fixture.scratch("previous")) == true)
      let format = damage.testDescription
      #expect(!format.hasPrefix("format") || failure?.why.contains(format) == true)
      try fixture.expectOnly(["a.ndjson", "previous"])
    }
  }

  /// The index has the positions of the frames that a run reads.
  @Test func theSeekTablesOfThePreviousOneAreNotRead() throws {
    try writePeople()
    try fixture.run(["a.ndjson"], to: "previous")
    try fixture.log([Sample.event("u1", "a", id: "x")], "b.ndjson")
    try fixture.run(["b.ndjson"], to: "expected", after: "previous")
    for folder in [RunFiles.state, RunFiles.profiles] {
      let path = "previous/\(RunFiles.part(0, of: 1, in: folder))"
      try fixture.scratch.change(path) { $0[$0.count - 1] ^= 1 }
    }
    try fixture.run(["b.ndjson"], to: "found", after: "previous")
    #expect(try fixture.snapshot(of: "found") == fixture.snapshot(of: "expected"))
  }

  // MARK: Output and inputs

  @Test func anOutputThatExistsStays() throws {
    try fixture.run(["a.ndjson"], to: "out")
    let before = try fixture.bytes(of: "out")
    try fixture.log([Sample.event("v", "b")], "b.ndjson")
    #expect(fixture.failure(["b.ndjson"], to: "out")?.kind == .usage)
    #expect(try fixture.bytes(of: "out") == before)
    try fixture.run(["b.ndjson"], to: "out") { $0.publish.replace = true }
    #expect(try fixture.lines("out/event_counts.ndjson")[0]["name"]?.text == "b")
    try fixture.log(["precious"], "folder/file.txt")
    let failure = fixture.failure(["a.ndjson"], to: "folder") { $0.publish.replace = true }
    #expect(failure?.kind == .usage)
    #expect(try fixture.scratch.files(below: "folder") == ["file.txt"])
    try fixture.expectOnly(["a.ndjson", "b.ndjson", "folder", "out"])
  }

  @Test func inputsThatCannotBe() throws {
    try fixture.log([Sample.event("u", "a")], "logs/a.ndjson")
    for (inputs, output, kind) in [
      (["logs"], "logs/out", .usage), (["logs/a.ndjson"], "logs", .usage),
      (["a.ndjson", "a.ndjson"], "out", .usage), (["a.ndjson", "./a.ndjson"], "out", .usage),
      ([], "out", .usage), (["b.ndjson"], "out", .io),
    ] as [([String], String, Failure.Kind)] {
      let failure = fixture.failure(inputs, to: output) { $0.publish.replace = true }
      #expect(failure?.kind == kind, "\(inputs)")
    }
    #expect(try fixture.scratch.files(below: "logs") == ["a.ndjson"])
    try fixture.expectOnly(["a.ndjson", "logs"])
  }

  // MARK: Damaged inputs

  @Test func keepGoingCostsOnlyWhatCannotBeRead() throws {
    let whole = 50
    var frames: [UInt8] = []
    for frame in 0..<2 {
      let lines = (0..<whole).map { Sample.event("\(frame)-\($0)", "a") + "\n" }
      try fixture.compressedLog(Array(lines.joined().utf8), "b.ndjson.zst")
      frames += try fixture.scratch.bytes("b.ndjson.zst")
    }
    // The second one is cut.
    try fixture.scratch.write(frames.dropLast(5), to: "b.ndjson.zst")
    try fixture.scratch.write("no zstd\n", to: "c.ndjson.zst")
    try fixture.log([Sample.event("z", "b"), "{"], "d.ndjson")
    let inputs = ["a.ndjson", "b.ndjson.zst", "c.ndjson.zst", "d.ndjson"]
    for jobs in [1, 3] {
      let failure = fixture.failure(Array(inputs[..<2]), to: "none") { $0.read.jobs = jobs }
      #expect(failure?.kind == .corrupt && failure?.frame == 1)
      #expect(failure?.path == fixture.scratch("b.ndjson.zst") && !fixture.scratch.has("none"))
      let summary = try fixture.run(inputs, to: "out-\(jobs)") {
        $0.read.keepGoing = true
        $0.read.jobs = jobs
      }
      #expect(summary.lost.map(\.path) == inputs[1...2].map { fixture.scratch($0) })
      #expect(summary.ledger.lines == whole + 3 && summary.ledger.accepted == whole + 2)
      let listed = try fixture.json("out-\(jobs)/report.json")["inputs"]?.items ?? []
      #expect(listed.map { $0["lost"] != nil } == [false, true, true, false])
      #expect(listed[1]["lost"]?["frame"]?.integer == 1)
      #expect(listed[1]["ledger"]?["lines"]?["total"]?.integer == whole)
      #expect(
        listed[1]["lost"]?["from_offset"]?.integer == listed[1]["decompressed_bytes"]?.integer)
    }
    #expect(try fixture.repeatable("out-1") == fixture.repeatable("out-3"))
  }

  // MARK: Cancelling

  @Test func cancelledBeforeItBegins() throws {
    try fixture.run(["a.ndjson"], to: "previous")
    let before = try fixture.bytes(of: "previous")
    for previous in [nil, "previous"] {
      let control = JobControl()
      control.cancel(Sample.stop)
      control.cancel(Failure(.io, doing: "testing", why: "too late"))
      let failure = fixture.failure(["a.ndjson"], to: "previous", after: previous, control: control)
      { $0.publish.replace = true }
      #expect(failure == Sample.stop)
      #expect(try fixture.bytes(of: "previous") == before)
      try fixture.expectOnly(["a.ndjson", "previous"])
    }
  }

  /// Cancelled from another thread, in the middle of an input: the writer of a pipe cancels before
  /// it ends, so the run cannot have ended by itself.
  @Test(arguments: [1, 3])
  func cancelledWhileItReads(jobs: Int) throws {
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
    try fixture.log(["{", Sample.event("u", "a"), "}", "{}"], "b.ndjson")
    let control = JobControl()
    var options = fixture.options(["b.ndjson"], to: "out")
    options.read.jobs = 2
    try fixture.run(options, control: control)
    control.cancel(Sample.stop)
    #expect(control.records == 4 && control.rejects == 3)
    #expect(control.bytes == (try fixture.scratch.bytes("b.ndjson").count))
    #expect(control.phases == [.reading, .merging, .publishing] && control.phase == .publishing)
    #expect(fixture.scratch.has("out/manifest.json"))
  }
}
