@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Runs that continue from outputs of another format, or of other options.
@Suite struct PreviousPhaseConcurrencyTests {
  // MARK: Another format

  @Test(arguments: [1, Manifest.formatVersion - 1, Manifest.formatVersion + 1])
  func anOutputOfAnotherFormatIsRefused(version: Int) throws {
    let fixture = try RunFixture()
    try fixture.log(Sample.log(seed: 11, count: 50), "1.ndjson")
    try fixture.run(["1.ndjson"], to: "first")
    let format = { (version: Int) in "\"eventmill_output\": \(version)" }
    try fixture.scratch.edit("first/\(RunFiles.manifest)") {
      $0.replacing(format(Manifest.formatVersion), with: format(version))
    }
    let failure = fixture.failure(["1.ndjson"], to: "out", after: "first")
    #expect(failure?.kind == .corrupt)
    #expect(failure?.why.contains("format \(version)") == true)
    #expect(!fixture.scratch.has("out"))
  }

  // MARK: Other options

  /// Whatever a run changes about its output, it gives what it would have given from the beginning.
  @Test func otherOptionsThanThoseOfThePreviousRun() throws {
    let fixture = try RunFixture()
    try fixture.log(Sample.log(seed: 11, count: 500), "1.ndjson")
    try fixture.log(Sample.log(seed: 12, count: 300), "2.ndjson")
    func set(_ options: inout RunOptions) { options.snapshot.dedupeDays = 30 }
    try fixture.run(["1.ndjson"], to: "first", set)
    let changes: [(inout RunOptions) -> Void] = [
      { _ in }, { $0.publish.level = 3 }, { $0.snapshot.partitions = 3 },
      { $0.snapshot.withValues = false },
      { $0.snapshot.stitch = .none }, { $0.read.jobs = 3 }, { $0.read.memory = 1 << 20 },
    ]
    for (number, change) in changes.enumerated() {
      try fixture.run(["1.ndjson", "2.ndjson"], to: "both-\(number)") {
        set(&$0)
        change(&$0)
      }
      try fixture.run(["2.ndjson"], to: "next-\(number)", after: "first") {
        set(&$0)
        change(&$0)
      }
      let both = try fixture.snapshot(of: "both-\(number)")
      let next = try fixture.snapshot(of: "next-\(number)")
      #expect(both.keys.sorted() == next.keys.sorted())
      for (path, bytes) in both { #expect(next[path] == bytes, "\(path), change \(number)") }
    }
  }
}
