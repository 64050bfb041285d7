@testable import Stages
import Foundation
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// A migration that dies leaves what it has finished, and `--resume` continues from it.
@Suite struct ArchiveCheckpointConcurrencyTests {
  private let fixture: RunFixture

  init() throws {
    fixture = try RunFixture()
    for (number, name) in ["a", "b", "c"].enumerated() {
      try fixture.log(Sample.log(seed: UInt64(80 + number), count: 30), "logs/\(name).ndjson")
    }
    try fixture.migrate(["logs"], to: "expected")
  }

  /// A migration that finishes two inputs and fails in the third.
  private func fail() throws {
    let whole = try fixture.scratch.bytes("logs/c.ndjson")
    try fixture.scratch.write([0x28, 0xB5, 0x2F, 0xFD, 0x20], to: "logs/c.ndjson")
    let failure = fixture.migrateFailure(["logs"], to: "out")
    try fixture.scratch.write(whole, to: "logs/c.ndjson")
    #expect(failure?.kind == .corrupt)
    let advice = "finished inputs are kept: 2; continue with --resume"
    #expect(failure?.advice.hasSuffix(advice) == true)
    #expect(try fixture.scratch.names() == [".out.resume", "expected", "logs"])
  }

  /// Where nothing is finished there is nothing to continue.
  @Test func theFirstInputThatFailsLeavesNothingToResume() throws {
    try fixture.scratch.write([0x28, 0xB5, 0x2F, 0xFD, 0x20], to: "logs/a.ndjson")
    let failure = fixture.migrateFailure(["logs/a.ndjson"], to: "out")
    #expect(failure?.kind == .corrupt && failure?.advice.contains("--resume") == false)
  }

  /// Resumes. All files are those of an uninterrupted migration, and no working files are left.
  private func expectResumed(
    _ count: Int, as expected: String = "expected",
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: (inout RunOptions) -> Void = { _ in }
  ) throws {
    let summary = try fixture.migrate(["logs"], to: "out") {
      $0.publish.resumes = true
      change(&$0)
    }
    #expect(summary.resumedInputs == count, sourceLocation: sourceLocation)
    let isSame = try fixture.repeatable("out") == fixture.repeatable(expected)
    #expect(isSame, sourceLocation: sourceLocation)
    #expect(!fixture.scratch.has(".out.resume"), sourceLocation: sourceLocation)
    let inputs = try fixture.json("out/report.json")["inputs"]?.items ?? []
    #expect(inputs.count { $0["resumed"] != nil } == count, sourceLocation: sourceLocation)
  }

  /// Why resuming fails.
  private func failure(
    _ control: JobControl = JobControl(), _ change: (inout RunOptions) -> Void = { _ in }
  ) -> Failure? {
    fixture.migrateFailure(["logs"], to: "out", control: control) {
      $0.publish.resumes = true
      change(&$0)
    }
  }

  @Test func onlyWhatIsMissingIsDone() throws {
    try expectResumed(0)
    try fixture.scratch.remove("out")
    try fail()
    try expectResumed(2)
    #expect(try fixture.scratch.names() == ["expected", "logs", "out"])
  }

  /// What could not be read may be readable now, though length and time of change are the same:
  /// rights were given, or a disk came back.
  @Test func anInputThatCouldNotBeReadIsReadAgain() throws {
    let log = "logs/d.ndjson.zst"
    let text = Sample.log(seed: 99, count: 30).joined(separator: "\n")
    try fixture.compressedLog(Array(text.utf8), log)
    func migrate(_ change: (inout RunOptions) -> Void) throws(Failure) -> ArchiveReport {
      #expect(throws: Never.self) {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)],
          ofItemAtPath: fixture.scratch(log))
      }
      return try fixture.migrate(["logs"], to: "out") {
        $0.read.keepGoing = true
        change(&$0)
      }
    }
    try fixture.scratch.damage(log)
    #expect(Failure.of(try migrate { $0.read.maxRejects = .lines(0) })?.kind == .rejects)
    try fixture.scratch.damage(log)
    let summary = try migrate { $0.publish.resumes = true }
    #expect(summary.resumedInputs == 3 && summary.lost.isEmpty)
  }

  /// Killed at any call, the migration continues from there, even after several kills.
  @Test func aKillAnywhereLosesNothing() throws {
    let calls = Locked(0)
    let counting = System { _ in
      calls.withLock { $0 += 1 }
      return nil
    }
    try fixture.migrate(["logs"], to: "out", control: JobControl(system: counting))
    try fixture.scratch.remove("out")
    for number in stride(from: 0, to: calls.withLock { $0 }, by: 11) {
      // From this call on every call fails, including those of the cleanup.
      let left = Locked(number)
      let dying = System { _ in
        left.withLock { left in
          left -= 1
          return left < 0 ? .error(EIO) : nil
        }
      }
      let failure = fixture.migrateFailure(["logs"], to: "out", control: JobControl(system: dying))
      guard failure != nil else {
        // It was published. Files that could not be removed cause a warning; the next run removes
        // them.
        try fixture.scratch.remove("out")
        continue
      }
      #expect(
        !fixture.scratch.has("out") || failure?.advice.contains("is the new output") == true,
        "call \(number): \(failure?.message ?? "")")
      if fixture.scratch.has("out") { try fixture.scratch.remove("out") }
      try fixture.migrate(["logs"], to: "out") { $0.publish.resumes = true }
      #expect(try fixture.repeatable("out") == fixture.repeatable("expected"), "call \(number)")
      try fixture.scratch.remove("out")
      #expect(try fixture.scratch.names() == ["expected", "logs"], "call \(number)")
    }
  }

  @Test func inputsThatChangedComeOrGoAreDoneAgain() throws {
    let changes: [() throws -> Void] = [
      { try fixture.scratch.change("logs/a.ndjson") { $0.append(0x0A) } },
      {
        try fixture.scratch.remove("logs/a.ndjson")
        try fixture.log(["{"], "logs/0.ndjson")
      },
    ]
    for change in changes {
      try fail()
      try change()
      try fixture.migrate(["logs"], to: "fresh")
      try expectResumed(1, as: "fresh")
      for name in ["fresh", "out"] { try fixture.scratch.remove(name) }
    }
  }

  /// Facts that are damaged, or those of another input, which nil stands for.
  @Test(arguments: ["", "{", "{}", "\0\0\0\0", nil])
  func damagedFactsMeanThatTheInputIsDoneAgain(text: String?) throws {
    try fail()
    let facts = ".out.resume/facts-1.json"
    try fixture.scratch.edit(facts) { whole in
      let parts = whole.split(separator: "/logs/", maxSplits: 1)
      return text ?? parts[0] + "/logs/" + parts[1].replacing("/logs/", with: "/x/")
    }
    try expectResumed(1)
  }

  @Test func aLogOfAnotherLengthMeansThatTheInputIsDoneAgain() throws {
    try fail()
    try fixture.scratch.change(".out.resume/log-2.ndjson.zst") { $0.removeLast() }
    try expectResumed(1)
  }

  /// Hashes are compared when the files are published, which detects damage since then.
  @Test(arguments: ["log", "rejects"])
  func aDamagedFileIsToldAndThenDoneAgain(kind: String) throws {
    try fail()
    let path = ".out.resume/\(kind)-1.ndjson.zst"
    try fixture.scratch.damage(path)
    let failure = failure()
    #expect(failure?.kind == .io && failure?.path == fixture.scratch(path))
    #expect(!fixture.scratch.has("out"))
    try expectResumed(2)
  }

  @Test func otherOptionsAndVersionsAreRefusedByName() throws {
    try fail()
    let other = ToolVersion(version: "9.9.9", commit: "", zstd: "")
    // Of several differences the first one as the options are written.
    let changes: [(ToolVersion, String, (inout RunOptions) -> Void)] = [
      (.unversioned, "--v1 strict, this one has lenient", { $0.read.rules.v1 = .lenient }),
      (
        .unversioned, "--v1 strict, this one has lenient",
        { ($0.read.rules.v1, $0.publish.level) = (.lenient, 3) }
      ),
      (.unversioned, "--level 1, this one has 3", { $0.publish.level = 3 }),
      (.unversioned, "--not-before not set", { $0.read.rules.notBefore = 0 }),
      (other, "version 0.0.0, this one has 9.9.9", { _ in }),
    ]
    for (tool, difference, change) in changes {
      let failure = failure(JobControl(tool: tool), change)
      #expect(failure?.kind == .usage)
      #expect(failure?.why.hasPrefix("it had \(difference)") == true, "\(failure?.why ?? "")")
    }
    // What changes no byte may change.
    try expectResumed(2) { ($0.read.jobs, $0.read.maxRejects) = (3, .percent(100)) }
  }

  @Test func whatARunHasLeftIsRefused() throws {
    try fixture.scratch.write([], to: ".out.resume/partial-1.json")
    #expect(failure()?.kind == .usage)
    #expect(fixture.scratch.has(".out.resume/partial-1.json"))
  }

  /// What a migration leaves that was killed while it noted its options, or removed its checkpoint:
  /// no options, and perhaps files of inputs.
  @Test func whatIsLeftWithoutOptionsIsBegunAnew() throws {
    for name in [
      "options.json.saving-17", "log-1.ndjson.zst", "rejects-2.ndjson.zst", "facts-3.json",
      "facts-3.json.saving-17",
    ] {
      try fixture.scratch.write([], to: ".out.resume/\(name)")
      try expectResumed(0)
      try fixture.scratch.remove("out")
    }
  }

  @Test func withoutResumeItBeginsAnewAndSaysSo() throws {
    try fail()
    let notes = Locked<[String]>([])
    let summary = try fixture.migrate(
      ["logs"], to: "out",
      control: JobControl(notes: { note in notes.withLock { $0.append(note) } }))
    #expect(summary.resumedInputs == 0)
    #expect(notes.withLock { $0.count { $0.contains("--resume") } } == 1)
    #expect(try fixture.scratch.names() == ["expected", "logs", "out"])
  }
}
