import Foundation
@testable import Jobs
import Pipeline
import TestSupport
import Testing

@Suite struct ArchivePlanTests {
  /// Inputs in the directory `logs`.
  private static func inputs(_ names: [String]) -> [InputFile] {
    names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { InputFile(path: "logs/\($0)", size: 1, root: "logs") }
  }

  private static func plan(_ names: [String]) throws -> [String: String] {
    let inputs = inputs(names)
    let plan = try ArchivePlan(inputs)
    return Dictionary(
      uniqueKeysWithValues: zip(inputs, plan.targets).map { ($0.pathInRoot ?? "", $1.path) })
  }

  @Test func inputsOfOneNameKeepTheirWholeNames() throws {
    let inputs = Self.inputs(["a.json", "a.ndjson.gz", "b.json"])
    let plan = try ArchivePlan(inputs)
    #expect(
      plan.targets.map(\.path)
        == ["a.json.ndjson.zst", "a.ndjson.gz.ndjson.zst", "b.ndjson.zst"])
    #expect(plan.targets.map(\.isRenamed) == [true, true, false])
  }

  /// What was renamed may meet a third one, which is renamed then.
  @Test func renamingGoesOnUntilAllAreApart() throws {
    #expect(
      try Self.plan(["a.json", "a.ndjson", "a.json.ndjson", "x/a.json"]) == [
        "a.json": "a.json.ndjson.zst", "a.ndjson": "a.ndjson.ndjson.zst",
        "a.json.ndjson": "a.json.ndjson.ndjson.zst", "x/a.json": "x/a.ndjson.zst",
      ])
  }

  @Test func theArchivesOwnNamesAreTaken() throws {
    #expect(
      try Self.plan(["rejects.ndjson", "losses.ndjson", "report.json", "x/rejects.ndjson"]) == [
        "rejects.ndjson": "rejects.ndjson.ndjson.zst", "losses.ndjson": "losses.ndjson.zst",
        "report.json": "report.ndjson.zst", "x/rejects.ndjson": "x/rejects.ndjson.zst",
      ])
  }

  private static func failure(_ inputs: [InputFile]) -> Failure? {
    #expect(throws: Failure.self) { try ArchivePlan(inputs) }
  }

  @Test func twoInputsThatCanOnlyGoToOnePathAreNamed() {
    let failure = Self.failure([
      InputFile(path: "/one/a.ndjson", size: 1), InputFile(path: "/two/a.ndjson", size: 1),
    ])
    #expect(failure?.kind == .usage && failure?.path == "/two/a.ndjson")
    #expect(failure?.why == "its target a.ndjson.ndjson.zst is also that of /one/a.ndjson")
  }

  @Test func aFolderWhereAFileGoesIsRefused() {
    let folder = Self.failure(Self.inputs(["a", "a.ndjson.zst/b.json"]))
    #expect(folder?.kind == .usage)
    #expect(folder?.why == "it needs the folder a.ndjson.zst, which is the target of logs/a")
    let report = Self.failure(Self.inputs(["manifest.json/b.json"]))
    #expect(report?.why == "it needs the folder manifest.json, which is the target of a report")
    #expect(Self.failure([InputFile(path: "rejects", size: 1)])?.kind == .usage)
  }

  @Test func aNameThatBecomesTooLongIsToldBeforeAnythingIsRead() {
    let long = String(repeating: "x", count: 250)
    #expect(Self.failure([InputFile(path: long, size: 1)])?.why.contains("261 bytes") == true)
  }

  /// Texts that are equal as characters may be two files.
  @Test func namesAreToldApartByTheirBytes() throws {
    let plan = try ArchivePlan(Self.inputs(["e\u{301}.json", "\u{E9}.json"]))
    #expect(plan.targets.count { $0.isRenamed } == 0)
  }

  @Test func aLinkOutOfTheDirectoryIsNamed() throws {
    let fixture = try RunFixture()
    try fixture.log(["x"], "logs/a.ndjson")
    let outside = try fixture.log(["x"], "elsewhere/b.ndjson")
    for (link, target) in [("b.ndjson", outside), ("c.ndjson", fixture.scratch("logs/a.ndjson"))] {
      try fixture.scratch.link("logs/\(link)", to: target)
    }
    try fixture.scratch.remove("logs/c.ndjson")
    let survey = try InputDiscovery.surveyLogs(
      [fixture.scratch("logs")], output: nil, system: .real)
    let plan = try ArchivePlan(survey, system: .real)
    #expect(plan.targets.map(\.path) == ["a.ndjson.zst", "b.ndjson.zst"])
    #expect(plan.targets.map(\.outside) == [nil, outside])
  }
}
