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
  }

  @Test func rewritingAFileWithOtherFramesIsNoProblem() throws {
    let output = try ForgedOutput()
    for file in [Self.profiles, RunFiles.totals, RunFiles.rejects, RunFiles.countsCSV] {
      try output.change(file) { _ in }
    }
    #expect(try output.problems() == [])
  }

  @Test func reportPagesAreNotListed() throws {
    let output = try ForgedOutput()
    try output.fixture.scratch.write([], to: "out/report.html")
    #expect(try output.problems() == [])
  }

  @Test func aDirectoryThatIsNotThereIsWrongUsage() throws {
    let fixture = try RunFixture()
    try fixture.log([], "file")
    for name in ["none", "file"] {
      do {
        _ = try fixture.problems(of: fixture.scratch(name))
        Issue.record("\(name) was verified")
      } catch {
        #expect(error.kind == .usage)
      }
    }
  }

  // MARK: Manifest

  @Test func aMissingManifestIsAProblem() throws {
    let output = try ForgedOutput()
    try output.fixture.scratch.remove("out/manifest.json")
    #expect(
      try output.problems() == [
        "manifest.json: unreadableDocument it is not an output of eventmill: it has no manifest.json"
      ])
  }

  @Test func aDamagedManifestIsAProblem() throws {
    let output = try ForgedOutput()
    try output.damage("manifest.json") { $0.removeLast(3) }
    let problems = try output.problems()
    #expect(
      problems.count == 1
        && problems[0].hasPrefix("manifest.json: unreadableDocument it is not JSON: at offset"))
    try output.fixture.scratch.write("{\"eventmill_output\":9}", to: "out/manifest.json")
    #expect(
      try output.problems() == [
        "manifest.json: unreadableDocument it has format 9; this version of eventmill reads format "
          + "\(Manifest.formatVersion)"
      ])
  }

  @Test func aManifestWithOtherFilesIsAProblem() throws {
    let output = try ForgedOutput()
    try output.replace(
      "\"path\": \"rejects.ndjson.zst\"", by: "\"path\": \"../rejects\"", in: "manifest.json")
    #expect(
      try output.problems() == [
        "manifest.json: listsForeignFile ../rejects",
        "manifest.json: listsNot rejects.ndjson.zst",
        "rejects.ndjson.zst: notListed",
      ])
  }

  // MARK: Files

  @Test func aMissingFileIsAProblem() throws {
    let output = try ForgedOutput()
    try output.fixture.scratch.remove("out/\(Self.profiles)")
    #expect(
      try output.problems() == [
        "\(Self.profiles): listedButUnreadable No such file or directory"
      ])
  }

  @Test func aMissingReportIsAProblem() throws {
    let output = try ForgedOutput()
    try output.fixture.scratch.remove("out/report.json")
    #expect(try output.problems() == ["report.json: unreadableDocument No such file or directory"])
  }

  @Test func aFileTooManyIsAProblem() throws {
    let output = try ForgedOutput()
    try output.fixture.scratch.write([1], to: "out/notes.txt")
    try output.fixture.scratch.write([1], to: "out/.hidden")
    try output.fixture.scratch.write([1], to: "out/state/part-00009-of-00002.zst")
    try output.fixture.scratch.write([1], to: "out/more/deep/file")
    #expect(
      try output.problems() == [
        ".hidden: notListed", "more: notListed",
        "notes.txt: notListed",
        "state/part-00009-of-00002.zst: notListed",
      ])
  }

  @Test func aDirectoryInPlaceOfAFileIsAProblem() throws {
    let output = try ForgedOutput()
    try output.fixture.scratch.remove("out/event_counts.csv")
    try output.fixture.scratch.write([1], to: "out/event_counts.csv/x")
    #expect(try output.problems().contains("event_counts.csv: notAFile"))
  }

  @Test func anotherLengthAndHashAreProblems() throws {
    let output = try ForgedOutput()
    let before = try output.fixture.scratch.bytes("out/event_counts.csv")
    let after = before.dropLast()
    try output.damage("event_counts.csv") { $0.removeLast() }
    func hash(_ bytes: [UInt8]) -> String { XXH64.text(withByteView(of: bytes) { XXH64.hash($0) }) }
    #expect(
      try output.problems() == [
        "event_counts.csv: otherBytes \(after.count), \(before.count)",
        "event_counts.csv: otherHash \(hash(Array(after))), \(hash(before))",
        "event_counts.csv (line 5): otherThanState",
      ])
  }

  @Test func countsThatAreCompressedAreAProblem() throws {
    let output = try ForgedOutput()
    var frame = ByteBuffer()
    try withByteView(of: output.fixture.scratch.bytes("out/event_counts.csv")) {
      try ZstdEncoder(level: 1).compress($0, into: &frame)
    }
    try output.fixture.scratch.write(frame.view.array, to: "out/event_counts.csv")
    try output.list("event_counts.csv")
    let problems = try output.problems()
    #expect(
      problems.contains { $0.hasPrefix("event_counts.csv") && $0.hasSuffix("otherThanState") })
  }

  @Test func anotherNumberOfLinesIsAProblem() throws {
    let output = try ForgedOutput()
    try output.list(RunFiles.rejects, lines: 77)
    #expect(try output.problems() == ["rejects.ndjson.zst: otherLines 4, 77"])
  }

  // MARK: Frames

  /// Every byte of a compressed file counts, whatever it says.
  @Test func aFlippedBitIsFoundWhereverItIs() throws {
    let output = try ForgedOutput()
    try output.change(Self.profiles, linesPerFrame: 9) { _ in }
    let whole = try output.fixture.scratch.bytes("out/\(Self.profiles)")
    for position in stride(from: 0, to: whole.count, by: 7) {
      try output.damage(Self.profiles) { $0[position] ^= 0x10 }
      let problems = try output.problems()
      #expect(problems.contains { $0.hasPrefix("\(Self.profiles): otherHash") }, "byte \(position)")
      try output.fixture.scratch.write(whole, to: "out/\(Self.profiles)")
    }
    #expect(try output.problems() == [])
  }

  @Test func aDamagedFrameIsNamedAndTheOthersAreRead() throws {
    let output = try ForgedOutput()
    // The last byte of the second frame belongs to its checksum.
    let frames = try FrameFile(
      output.fixture.scratch("out/\(Self.state)"), doing: "testing"
    ).frames
    try output.damage(Self.state) { $0[frames[2].offset - 1] ^= 1 }
    try output.list(Self.state)
    #expect(
      try output.problems() == [
        "\(Self.state) (frame 1): damagedFrame is damaged: it cannot be decompressed, or its checksum is wrong"
      ])
  }

  @Test func aTruncatedFileIsAProblem() throws {
    let output = try ForgedOutput()
    for cut in [1, 9, 30, 200] {
      let whole = try output.fixture.scratch.bytes("out/\(Self.profiles)")
      try output.damage(Self.profiles) { $0.removeLast(min(cut, $0.count)) }
      let problems = try output.problems()
      #expect(problems.first == "\(Self.profiles): noSeekTable")
      #expect(problems.count == 3, "and length and hash")
      try output.fixture.scratch.write(whole, to: "out/\(Self.profiles)")
    }
    try output.fixture.scratch.write([], to: "out/\(Self.profiles)")
    #expect(try output.problems().count == 3)
  }

  @Test func aSeekTableThatDoesNotFitTheFramesIsAProblem() throws {
    let output = try ForgedOutput()
    try output.change(Self.profiles, linesPerFrame: 9) { _ in }
    // The table's first entry is behind its header; the length of the text is the second word.
    let bytes = try output.fixture.scratch.bytes("out/\(Self.profiles)")
    let frames = Int(bytes[bytes.count - 9])
    let entry = bytes.count - 9 - 8 * frames
    try output.damage(Self.profiles) { $0[entry + 4] ^= 1 }
    try output.list(Self.profiles)
    let problems = try output.problems()
    #expect(problems.count == 1)
    #expect(problems[0].hasPrefix("\(Self.profiles) (frame 0): damagedFrame has "))
    #expect(problems[0].contains("; the seek table says "))
  }

  @Test func aFrameThatEndsWithinALineIsAProblem() throws {
    let output = try ForgedOutput()
    try output.change(RunFiles.rejects, linesPerFrame: 2) { lines in
      // A line feed in a line cuts it in two, and both halves are none.
      lines[1] = "{\"source\":\n1}"
    }
    let problems = try output.problems()
    #expect(problems.contains("rejects.ndjson.zst (frame 0, line 2): notAnObject"))
    #expect(problems.contains("rejects.ndjson.zst (frame 0, line 3): notAnObject"))
  }

  // MARK: The list

  @Test func onlyTheFirstProblemsAreToldAndAllAreCounted() throws {
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
    let output = try ForgedOutput()
    let control = JobControl()
    let stop = Failure(.interrupted, doing: "waiting", why: "enough")
    control.cancel(stop)
    #expect(throws: stop) { try VerifyJob(output.path, jobs: 2, control: control).run() }
  }
}
