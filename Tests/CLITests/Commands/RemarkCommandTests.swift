import TestSupport
import Testing

@testable import eventmill

/// Remarks in the summaries and reports of commands.
@Suite struct RemarkCommandTests {
  private let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    func line(_ user: String, _ attributes: String) -> String {
      #"{"identifiers":{"custom_id":"\#(user)"},"time":"2024-06-01T00:00:00Z","#
        + "\"attributes\":{\(attributes)}}\n"
    }
    try directory.write(
      Array((line("u", #""date(joined)":"2567-05-02T09:15:00Z","date(born)":0"#)).utf8),
      to: "logs/a.ndjson")
    try directory.write(
      Array(
        (line("v", #""date(born)":"1066-10-14T09:00:00Z""#)
          + line("w", #""date(joined)":"0001-01-01T00:00:00Z","$phone_number":1"#)).utf8),
      to: "logs/b.ndjson")
  }

  private func run(_ line: String) throws -> RunProcess.Result {
    let result = try RunProcess.eventmill(
      line.split(separator: " ").map(String.init) + ["--quiet"], directory: directory)
    #expect(result.status == 0, "\(line): \(result.errors)")
    return result
  }

  private func remarks(_ path: String) throws -> NaiveJSON {
    let report = try NaiveJSON(parsing: directory.bytes(path))
    return try #require(report["remarks"]?["implausible_date"], "\(path)")
  }

  private static let sentence = "3 dates are before 1900 or after 2100: joined 2, born 1"

  @Test(arguments: ["run --out out logs", "migrate --out out logs"])
  func reportsCountThemByKey(_ command: String) throws {
    let result = try RunProcess.eventmill(
      command.split(separator: " ").map(String.init), directory: directory)
    #expect(result.text.contains("remarks     \(Self.sentence)\n"), "\(result.text)")
    let found = try remarks("out/report.json")
    #expect(found["count"]?.integer == 3)
    #expect(found["by_key"]?.names == ["born", "joined"])
    #expect(found["by_key"]?["joined"]?.integer == 2)
    let samples = found["samples"]?.items ?? []
    #expect(samples.map { $0["source"]?.text } == ["a", "b", "b"].map { "logs/\($0).ndjson" })
    #expect(samples[1]["path"]?.text == "attributes.date(born)")
    let page = try directory.text("out/report.html")
    #expect(page.contains("Remarks by code"))
    let json = try NaiveJSON(parsing: run("\(command) --json --replace").text)
    #expect(json["remarks"]?.integer == 3)
    #expect(json["losses"]?.integer == 0)
  }

  /// The counts of partials add up to those of one run.
  @Test func partialsCarryThem() throws {
    _ = try run("run --out whole logs")
    _ = try run("cluster partial --out p logs/b.ndjson")
    _ = try run("cluster partial --out q logs/a.ndjson")
    for step in ["installations", "people"] {
      _ = try run("cluster merge --step \(step) --partition 0 --out out p q")
    }
    _ = try run("cluster merge --step finish --out out")
    #expect(try remarks("out/report.json") == remarks("whole/report.json"))
  }

  @Test func otherCommandsNameThem() throws {
    let table = try run("validate logs").text
    #expect(table.contains("implausible_date      3  logs/a.ndjson:1"), "\(table)")
    #expect(table.contains(Self.sentence))
    let json = try NaiveJSON(parsing: run("validate --json logs").text)
    #expect(json["remarks"]?["implausible_date"]?["count"]?.integer == 3)
    #expect(try run("migrate --dry-run logs").text.contains(Self.sentence))
    let redriven =
      #"{"source":"a","line":1,"offset":0,"dialect":"v2","scope":"operation","#
      + #""index":0,"reasons":[],"raw":"{\"identifiers\":{\"custom_id\":\"u\"},\"time\":"#
      + #"\"2024-06-01T00:00:00Z\",\"attributes\":{\"date(joined)\":\"2567-05-02T09:15:00Z\"}}"}"#
    try directory.write("\(redriven)\n", to: "rejects.ndjson")
    _ = try run("redrive --out again rejects.ndjson")
    #expect(try remarks("again/report.json")["by_key"]?["joined"]?.integer == 1)
  }

  /// Frames of logs that are mostly long, and so long that it takes seconds.
  @Test func longFramesAreNamed() {
    let most = 256 << 20
    let advice = ValidateCommand.longFrames(most, of: 2 * most)
    #expect(advice?.contains("268 MB are in zstd frames of more than 8 MiB") == true)
    #expect(ValidateCommand.longFrames(most - 1, of: most) == nil)
    #expect(ValidateCommand.longFrames(most, of: 2 * most + 1) == nil)
  }

  /// A key may be the id of a person.
  @Test func erasedPeopleAreNotNamed() throws {
    try directory.write(#"{"custom_id":"joined"}"#, to: "requests")
    _ = try run("run --out out logs")
    _ = try run("erase --requests requests --out erased out")
    #expect(try remarks("erased/report.json")["by_key"]?.names == ["born", "other"])
    #expect(try run("verify --requests requests erased").status == 0)
    _ = try run("run --requests requests --erased-at 2024-07-01 --out fresh logs")
    #expect(try remarks("fresh/report.json")["by_key"]?.names == ["born", "other"])
  }
}
