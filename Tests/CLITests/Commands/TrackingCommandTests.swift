import TestSupport
import Testing

/// `eventmill tracking`: what is printed, exit codes, and sub-commands.
@Suite struct TrackingCommandTests {
  private static let log = [
    #"{"custom_id":"u","name":"bought","time":"2024-06-01T00:30:00Z","attributes":{"price":3}}"#,
    #"{"custom_id":"u","name":"bought","time":"2024-06-01T00:30:00Z","attributes":{"price":5}}"#,
  ].map { $0 + "\n" }.joined()

  private static let changed = [
    #"{"custom_id":"u","name":"sold","time":"2024-06-01T00:30:00Z"}"#,
    #"{"custom_id":"u","name":"bought","time":"2024-06-01T00:30:00Z","attributes":{"price":6}}"#,
    #"{"custom_id":"u","name":"bought","time":"2024-06-01T00:30:00Z","attributes":{"size":"\u001b[31m"}}"#,
    #"{"custom_id":"u","name":"bought","time":"2024-06-01T00:30:00Z","attributes":{"price":"3"}}"#,
  ].map { $0 + "\n" }.joined()

  private static func directory() throws -> ScratchDirectory {
    let directory = try ScratchDirectory()
    try directory.write(log, to: "log.ndjson")
    try directory.write(changed, to: "changed.ndjson")
    let plan = try RunProcess.eventmill(["tracking", "infer", "log.ndjson"], directory: directory)
    #expect(plan.status == 0, "\(plan.errors)")
    try directory.write(plan.text, to: "plan.json")
    return directory
  }

  @Test func findingsAndExitCodes() throws {
    let directory = try Self.directory()
    func check(_ arguments: [String]) throws -> RunProcess.Result {
      try RunProcess.eventmill(
        ["tracking", "check", "plan.json"] + arguments, directory: directory)
    }
    let same = try check(["log.ndjson", "--fail-on", "all"])
    #expect(same.status == 0 && same.output.isEmpty)
    #expect(same.errors.hasPrefix("all events are as the plan has them\n"))
    let table = try check(["changed.ndjson"])
    #expect(table.status == 0)
    #expect(
      table.lines.map(String.init) == [
        "finding        event   attribute  count  first at          expected  found",
        "missing        bought  price          1  changed.ndjson:3  -         -",
        "wrong-type     bought  price          1  changed.ndjson:4  integer   3",
        "range          bought  price          1  changed.ndjson:2  3 to 5    6",
        "new-attribute  bought  size           1  changed.ndjson:3  -         ?[31m",
        "new-event      sold    -              1  changed.ndjson:1  -         -",
      ])
    #expect(
      table.errors.hasPrefix("1 new-event, 1 new-attribute, 1 missing, 1 wrong-type, 1 range\n"))
    let json = try check(["changed.ndjson", "--json", "--fail-on", "value,range"])
    #expect(json.status == 6 && json.lines.count == 5)
    #expect(
      json.lines[2]
        == #"{"kind":"range","event":"bought","attribute":"price","count":1,"file":"changed.ndjson","line":2,"expected":"3 to 5","example":"6"}"#
    )
    #expect(try check(["changed.ndjson", "--fail-on", "value"]).status == 0)
    let wrong = try check(["changed.ndjson", "--fail-on", "types"])
    #expect(wrong.status == 2 && wrong.errors.contains("it must be all, or some of new-event,"))
  }

  @Test func plansAreCompared() throws {
    let directory = try Self.directory()
    let other = try RunProcess.eventmill(
      ["tracking", "infer", "changed.ndjson"], directory: directory)
    try directory.write(other.text, to: "other.json")
    let same = try RunProcess.eventmill(
      ["tracking", "diff", "plan.json", "plan.json"], directory: directory)
    #expect(same.status == 0 && same.output.isEmpty && same.errors == "the plans are equal\n")
    let diff = try RunProcess.eventmill(
      ["tracking", "diff", "plan.json", "other.json", "--json"], directory: directory)
    #expect(diff.status == 6 && diff.errors == "5 differences\n")
    #expect(
      diff.lines.first
        == #"{"kind":"required","event":"bought","attribute":"price","before":"required","after":"optional"}"#
    )
    try directory.write(#"{"eventmill_plan":1,"evnts":{}}"#, to: "bad.json")
    let bad = try RunProcess.eventmill(
      ["tracking", "diff", "plan.json", "bad.json"], directory: directory)
    #expect(bad.status == 2)
    #expect(
      bad.errors == "error: reading the tracking plan bad.json: evnts is unknown here; expected "
        + "one of $schema, eventmill_plan, description, events; see docs/guides/tracking.md for what a "
        + "plan may have\n")
  }

  @Test func subCommands() throws {
    let group = try RunProcess.eventmill(["help", "tracking"])
    #expect(group.status == 0 && group.text.contains("tracking infer"))
    for words in [["tracking", "--help"], ["tracking", "help"], ["-h", "tracking"]] {
      #expect(try RunProcess.eventmill(words).text == group.text, "\(words)")
    }
    let help = try RunProcess.eventmill(["tracking", "infer", "--help"])
    #expect(help.text.hasPrefix("eventmill tracking infer: "))
    #expect(try RunProcess.eventmill(["help", "tracking", "infer"]).text == help.text)
    let none = try RunProcess.eventmill(["tracking"])
    #expect(
      none.status == 2
        && none.errors == "error: reading the command line: tracking needs to know what to do: "
          + "infer, check or diff; see eventmill tracking --help\n"
    )
    let slip = try RunProcess.eventmill(["tracking", "chekc", "a", "b"])
    #expect(
      slip.status == 2
        && slip.errors == "error: reading the command line: unknown command \"tracking chekc\"; "
          + "did you mean tracking check?\n"
    )
    let group2 = try RunProcess.eventmill(["trackin"])
    #expect(group2.errors.hasSuffix("did you mean tracking?\n"))
    let option = try RunProcess.eventmill(["tracking", "diff", "a", "b", "--fail-on", "all"])
    #expect(option.status == 2 && option.errors.contains("it belongs to tracking check"))
    #expect(try RunProcess.eventmill(["tracking infer", "x"]).status == 2)
  }

  @Test func onlyARunTakesAPlan() throws {
    let result = try RunProcess.eventmill(["merge", "--tracking", "p", "--out", "o", "x"])
    #expect(result.status == 2 && result.errors.contains("merge does not take --tracking"))
  }
}
