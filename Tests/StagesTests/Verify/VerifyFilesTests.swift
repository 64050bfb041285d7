@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// What is wrong with the files of an output is found, each in its own words: files and frames.
@Suite struct VerifyFilesTests {
  private static let profiles = ForgedOutput.part(0, of: RunFiles.profiles)
  private static let state = ForgedOutput.part(1, of: RunFiles.state)

  @Test func aPublishedOutputIsSound() throws {
    let output = try ForgedOutput()
    let outcome = try VerifyJob(output.path, jobs: 3, control: JobControl()).run()
    #expect(outcome.problems.isEmpty && outcome.problemCount == 0)
    #expect(outcome.files == 5 + 3 * ForgedOutput.partitions && outcome.contents == .profiles(41))
    // Other frames of the same lines are sound, and the content of a page is not listed.
    for file in [Self.profiles, RunFiles.totals, RunFiles.rejects, RunFiles.countsCSV] {
      try output.change(file) { _ in }
    }
    try output.fixture.scratch.write([10], to: "out/report.html")
    #expect(try output.problems() == [])
  }

  @Test func whatIsNoOutputIsWrongUsage() throws {
    let runs = try PartialRuns()
    try runs.fixture.log([Sample.event("anna", "seen")], "file")
    try runs.partial(["file"], to: "partial")
    for name in ["none", "file", "partial"] {
      let failure = Failure.of(try runs.fixture.problems(of: runs.fixture.scratch(name)))
      #expect(failure?.kind == .usage, "\(name)")
    }
  }

  /// A file that could not be searched for lack of a thread is not one without the person.
  @Test func aLimitOfTheProcessIsNoProblemOfAFile() throws {
    var files = VerifiedFiles(output: "out", jobs: 1, control: JobControl())
    let limit = Failure(.limit, doing: "starting a thread", why: "there is none", advice: "wait")
    let failure = #expect(throws: Failure.self) {
      _ = try files.attempt("a.zst") { _ throws(Failure) -> Int in throw limit }
    }
    #expect(failure?.kind == .limit)
    #expect(files.problems.count == 0)
  }

  // MARK: Files

  private static let manifests = [
    Forgery(
      "manifest.json: unreadableDocument it is not an output of eventmill: it has no manifest.json",
      by: { try $0.fixture.scratch.remove("out/manifest.json") }),
    Forgery(
      "manifest.json: unreadableDocument it is not JSON: at offset…",
      by: { try $0.damage("manifest.json") { $0.removeLast(3) } }),
    Forgery(
      "manifest.json: unreadableDocument it has format 9; this version of eventmill reads format "
        + "\(Manifest.formatVersion)",
      by: { try $0.fixture.scratch.write("{\"eventmill_output\":9}", to: "out/manifest.json") }),
    Forgery(
      RunFiles.manifest, "\"path\": \"rejects.ndjson.zst\"", to: "\"path\": \"../rejects\"",
      ": listsForeignFile ../rejects", ": listsNot rejects.ndjson.zst",
      "rejects.ndjson.zst: notListed"),
  ]

  private static let files = [
    Forgery(
      "\(profiles): listedButUnreadable No such file or directory",
      by: { try $0.fixture.scratch.remove("out/\(profiles)") }),
    Forgery(
      "report.json: unreadableDocument No such file or directory",
      by: { try $0.fixture.scratch.remove("out/report.json") }),
    Forgery(
      ".hidden: notListed", "more: notListed", "notes.txt: notListed",
      "state/part-00009-of-00002.zst: notListed",
      by: { output in
        for file in [".hidden", "more/deep/file", "notes.txt", "state/part-00009-of-00002.zst"] {
          try output.fixture.scratch.write([1], to: "out/\(file)")
        }
      }),
    Forgery(
      "event_counts.csv: notAFile",
      by: { output in
        try output.fixture.scratch.remove("out/event_counts.csv")
        try output.fixture.scratch.write([1], to: "out/event_counts.csv/x")
      }),
    Forgery(
      "event_counts.csv (line 5): otherThanState",
      by: { output in
        var frame = ByteBuffer()
        try withByteView(of: output.fixture.scratch.bytes("out/event_counts.csv")) {
          try ZstdEncoder(level: 1).compress($0, into: &frame)
        }
        try output.fixture.scratch.write(frame.view.array, to: "out/event_counts.csv")
        try output.list("event_counts.csv")
      }),
    Forgery(
      "rejects.ndjson.zst: otherLines 4, 77", by: { try $0.list(RunFiles.rejects, lines: 77) }),
  ]

  private static let frames = [
    Forgery(
      "\(state) (frame 1): damagedFrame is damaged: it cannot be decompressed, "
        + "or its checksum is wrong",
      by: { output in
        // The last byte of the second frame belongs to its checksum.
        let frames = try FrameFile("\(output.path)/\(state)", doing: "testing").frames
        try output.damage(state) { $0[frames[2].offset - 1] ^= 1 }
        try output.list(state)
      }),
    Forgery(
      "\(profiles) (frame 0): damagedFrame has …; the seek table says …",
      by: { output in
        try output.change(profiles, linesPerFrame: 9) { _ in }
        try output.damage(profiles) { bytes in
          // The length of the text is the second word of the first entry, behind the header.
          let frames = Int(bytes[bytes.count - 9])
          bytes[bytes.count - 9 - 8 * frames + 4] ^= 1
        }
        try output.list(profiles)
      }),
    // A line feed in a line cuts it in two, and both halves are none.
    Forgery(
      RunFiles.rejects, "(frame 0, line 2): notAnObject", "(frame 0, line 3): notAnObject",
      ": otherLines 5, 4", "report.json: otherRejects 4, 5",
      "report.json: otherRejectsOfInput …a.ndjson, 1, rejected line, 0",
      linesPerFrame: 2, lines: { $0[1] = "{\"source\":\n1}" }),
  ]

  private static let truncations = [1, 9, 30, 200, .max].map { cut in
    Forgery(
      "\(profiles): noSeekTable", "\(profiles): otherBytes …", "\(profiles): otherHash …",
      by: { try $0.damage(profiles) { $0.removeLast(min(cut, $0.count)) } })
  }

  @Test(arguments: [manifests, files, frames, truncations].flatMap(\.self))
  func itIsFound(_ forgery: Forgery) throws { try forgery.check(ForgedOutput()) }

  @Test func anotherLengthAndHashAreProblems() throws {
    let output = try ForgedOutput()
    let before = try output.fixture.scratch.bytes("out/event_counts.csv")
    let after = Array(before.dropLast())
    try output.damage("event_counts.csv") { $0.removeLast() }
    func hash(_ bytes: [UInt8]) -> String { XXH64.text(withByteView(of: bytes) { XXH64.hash($0) }) }
    #expect(
      try output.problems() == [
        "event_counts.csv: otherBytes \(after.count), \(before.count)",
        "event_counts.csv: otherHash \(hash(after)), \(hash(before))",
        "event_counts.csv (line 5): otherThanState",
      ])
  }

  // MARK: The list

  @Test func onlyTheFirstProblemsAreListedAndAllAreCounted() throws {
    let output = try ForgedOutput()
    try output.change(RunFiles.rejects, linesPerFrame: 90) { lines in
      lines = Array(repeating: "x", count: 250)
    }
    let outcome = try VerifyJob(output.path, jobs: 1, control: JobControl()).run()
    #expect(outcome.problems.count == ProblemList.mostListed)
    // Of each line one, and then the report's: entries, and what each input has of them.
    #expect(outcome.problemCount > 250)
    #expect(outcome.problems.last?.line == 100 && outcome.problems.last?.frame == 1)
  }

  @Test func aCancelledJobEnds() throws {
    let control = JobControl()
    control.cancel(Sample.stop)
    let output = try ForgedOutput()
    #expect(throws: Sample.stop) {
      try VerifyJob(output.path, jobs: 2, control: control).run()
    }
  }
}
