@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// A run that dies leaves what it has finished, and `--resume` continues from it.
@Suite struct CheckpointConcurrencyTests {
  private static let lines = Sample.log(seed: 77, count: 60)
  /// Long enough for the input to be a group of its own; it is rejected.
  private static let padding = "{\"padding\":\"\(String(repeating: "x", count: 1 << 20))\"}"

  private let fixture: RunFixture

  init() throws {
    fixture = try RunFixture()
    for (number, name) in ["a", "b", "c"].enumerated() {
      let range = number * 20..<number * 20 + 20
      try fixture.log(Array(Self.lines[range]) + [Self.padding], "\(name).ndjson")
    }
    try fixture.run(Self.inputs, to: "expected", Self.set)
  }

  private static let inputs = ["a.ndjson", "b.ndjson", "c.ndjson"]

  private static func set(_ options: inout RunOptions) {
    options.snapshot.dedupeDays = 3
    options.snapshot.partitions = 2
    options.publish.resumes = true
  }

  /// A run that reads two inputs and fails in the third.
  private func fail() throws {
    let whole = try fixture.scratch.bytes("c.ndjson")
    try fixture.scratch.write([0x28, 0xB5, 0x2F, 0xFD, 0x20], to: "c.ndjson")
    _ = fixture.failure(Self.inputs, to: "out", Self.set)
    try fixture.scratch.write(whole, to: "c.ndjson")
    #expect(try fixture.scratch.names().contains(".out.resume"))
    #expect(try !fixture.scratch.names().contains("out"))
  }

  /// Runs again. All files are those of an uninterrupted run, and no working files are left.
  private func expectResumed(_ count: Int) throws {
    let summary = try fixture.run(Self.inputs, to: "out", Self.set)
    #expect(summary.resumedInputs == count)
    func repeatable(_ output: String) throws -> [String: [UInt8]] {
      try fixture.bytes(of: output).filter { !RunFiles.reports.contains($0.key) }
    }
    #expect(try repeatable("out") == repeatable("expected"))
    #expect(try fixture.scratch.names().filter { $0.hasPrefix(".") }.isEmpty)
    let inputs = try fixture.json("out/report.json")["inputs"]?.items ?? []
    #expect(inputs.count { $0["resumed"] != nil } == count)
  }

  @Test func finishedInputsAreNotReadAgain() throws {
    try fail()
    try expectResumed(2)
  }

  @Test func aRunThatIsRefusedForItsRejectsIsResumed() throws {
    let refused = fixture.failure(Self.inputs, to: "out") {
      Self.set(&$0)
      $0.read.maxRejects = .lines(0)
    }
    #expect(refused?.kind == .rejects)
    try expectResumed(3)
  }

  @Test(arguments: [true, false])
  func whatAMigrationHasFinishedIsNotARunsToRemove(resumes: Bool) throws {
    try fixture.scratch.write([], to: ".out.resume/options.json")
    let failure = fixture.failure(Self.inputs, to: "out") { $0.publish.resumes = resumes }
    #expect(failure?.kind == .usage && failure?.why == "it belongs to a migration")
    #expect(fixture.scratch.has(".out.resume/options.json"))
  }

  @Test func anInputThatChangedIsReadAgain() throws {
    try fail()
    try fixture.log(Array(Self.lines[0..<20]) + [Self.padding], "a.ndjson")
    try expectResumed(1)
  }

  /// Texts that are equal as characters may be two file names: a finished input does not replace
  /// the other one.
  @Test func namesThatAreEqualAsCharactersAreTwoInputs() throws {
    let inputs = ["e\u{301}.ndjson", "\u{E9}.ndjson"]
    try fixture.log([Sample.event("u", "one"), Self.padding], inputs[0])
    try fixture.scratch.write([0x28, 0xB5, 0x2F, 0xFD, 0x20], to: inputs[1])
    #expect(fixture.failure(inputs, to: "out", Self.set)?.kind == .corrupt)
    try fixture.log([Sample.event("u", "two")], inputs[1])
    let summary = try fixture.run(inputs, to: "out", Self.set)
    #expect(summary.resumedInputs == 1 && summary.ledger.accepted == 2)
  }

  @Test func aPartialThatIsDamagedIsMadeAgain() throws {
    try fail()
    let partial = ".out.resume/partial-1/partial"
    var bytes = try fixture.scratch.bytes(partial)
    bytes[0] ^= 1
    try fixture.scratch.write(bytes, to: partial)
    try expectResumed(1)
  }

  @Test func otherOptionsAreRefused() throws {
    try fail()
    let failure = fixture.failure(Self.inputs, to: "out") { options in
      Self.set(&options)
      options.snapshot.partitions = 3
    }
    #expect(failure?.kind == .usage)
    #expect(failure?.why == "that run had other options")
    try expectResumed(2)
  }

  @Test func aRunThatDoesNotResumeRemovesWhatIsThere() throws {
    try fail()
    try fixture.run(Self.inputs, to: "out") { options in
      Self.set(&options)
      options.publish.resumes = false
    }
    #expect(try fixture.scratch.names().filter { $0.hasPrefix(".") }.isEmpty)
  }
}
