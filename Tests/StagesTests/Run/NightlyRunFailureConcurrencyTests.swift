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

  /// Far more names than there is room for, in many blocks: stand-ins go through every stage.
  @Test(arguments: [1, 3]) func moreNamesThanAllowed(jobs: Int) throws {
    try fixture.log((0..<12_000).map { Sample.event("user-\($0)", "event_\($0)") }, "b.ndjson")
    let failure = fixture.failure(["b.ndjson"], to: "out") {
      ($0.read.maxNames, $0.read.jobs) = (1, jobs)
    }
    #expect(failure?.kind == .limit && failure?.path == fixture.scratch("b.ndjson"))
    try fixture.expectOnly(["a.ndjson", "b.ndjson"])
  }

  // MARK: --previous

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
