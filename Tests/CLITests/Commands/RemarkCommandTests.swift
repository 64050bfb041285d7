import TestSupport
import Testing

@testable import eventmill

/// Remarks in the summaries and reports of commands.
@Suite struct RemarkCommandTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    func line(_ user: String, _ attributes: String) -> String {
      #"{"identifiers":{"custom_id":"\#(user)"},"time":"2024-06-01T00:00:00Z","#
        + "\"attributes\":{\(attributes)}}\n"
    }
    try directory.write(
      line("u", #""date(joined)":"2567-05-02T09:15:00Z","date(born)":0"#), to: "logs/a.ndjson")
    try directory.write(
      line("v", #""date(born)":"1066-10-14T09:00:00Z""#)
        + line("w", #""date(joined)":"0001-01-01T00:00:00Z","$phone_number":1"#),
      to: "logs/b.ndjson")
  }

  private func remarks(_ output: String) throws -> NaiveJSON {
    try #require(document("\(output)/report.json")["remarks"]?["implausible_date"], "\(output)")
  }

  private static let sentence = "3 dates are before 1900 or after 2100: joined 2, born 1"

  @Test(arguments: ["run --out out logs", "migrate --out out logs"])
  func reportsCountThemByKey(_ command: String) throws {
    let result = try succeed(command)
    #expect(result.text.contains("remarks     \(Self.sentence)\n"), "\(result.text)")
    let found = try remarks("out")
    #expect(found["count"]?.integer == 3)
    #expect(found["by_key"]?.names == ["born", "joined"])
    #expect(found["by_key"]?["joined"]?.integer == 2)
    let samples = found["samples"]?.items ?? []
    #expect(samples.map { $0["source"]?.text } == ["a", "b", "b"].map { "logs/\($0).ndjson" })
    #expect(samples[1]["path"]?.text == "attributes.date(born)")
    #expect(try directory.text("out/report.html").contains("Remarks by code"))
    let json = try json("\(command) --replace")
    #expect(json["remarks"]?.integer == 3 && json["losses"]?.integer == 0)
  }

  /// The counts of partials add up to those of one run.
  @Test func partialsCarryThem() throws {
    try succeed(
      "run --out whole logs", "cluster partial --out p logs/b.ndjson",
      "cluster partial --out q logs/a.ndjson")
    try merge("p q", to: "out")
    try succeed("cluster merge --step finish --out out")
    #expect(try remarks("out") == remarks("whole"))
  }

  @Test func otherCommandsNameThem() throws {
    let table = try succeed("validate --quiet logs").text
    #expect(table.contains("implausible_date      3  logs/a.ndjson:1"), "\(table)")
    #expect(table.contains(Self.sentence))
    let remarks = try json("validate logs")["remarks"]
    #expect(remarks?["implausible_date"]?["count"]?.integer == 3)
    #expect(try succeed("migrate --dry-run --quiet logs").text.contains(Self.sentence))
    let redriven =
      #"{"source":"a","line":1,"offset":0,"dialect":"v2","scope":"operation","#
      + #""index":0,"reasons":[],"raw":"{\"identifiers\":{\"custom_id\":\"u\"},\"time\":"#
      + #"\"2024-06-01T00:00:00Z\",\"attributes\":{\"date(joined)\":\"2567-05-02T09:15:00Z\"}}"}"#
    try directory.write("\(redriven)\n", to: "rejects.ndjson")
    try succeed("redrive --out again rejects.ndjson")
    #expect(try self.remarks("again")["by_key"]?["joined"]?.integer == 1)
  }

  /// A key may be the id of a person.
  @Test func erasedPeopleAreNotNamed() throws {
    try directory.write(#"{"custom_id":"joined"}"#, to: "requests")
    try succeed(
      "run --out out logs", "erase --requests requests --out erased out",
      "verify --requests requests erased",
      "run --requests requests --erased-at 2024-07-01 --out fresh logs")
    for output in ["erased", "fresh"] {
      #expect(try remarks(output)["by_key"]?.names == ["born", "other"], "\(output)")
    }
  }

  /// Frames of logs that are mostly long, and so long that it takes seconds.
  @Test func longFramesAreNamed() {
    let most = 256 << 20
    let advice = ValidateCommand.longFrames(most, of: 2 * most)
    #expect(advice?.contains("268 MB are in zstd frames of more than 8 MiB") == true)
    #expect(ValidateCommand.longFrames(most - 1, of: most) == nil)
    #expect(ValidateCommand.longFrames(most, of: 2 * most + 1) == nil)
  }
}
