import TestSupport
import Testing

/// `eventmill tracking`: what is printed, exit codes, and sub-commands.
@Suite struct TrackingCommandTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    for (log, events) in [
      ("log", [("bought", #"{"price":3}"#), ("bought", #"{"price":5}"#)]),
      (
        "changed",
        [
          ("sold", "{}"), ("bought", #"{"price":6}"#), ("bought", #"{"size":"\u001b[31m"}"#),
          ("bought", #"{"price":"3"}"#),
        ]
      ),
    ] {
      let lines = events.map { Sample.event("u", $0, attributes: $1) + "\n" }
      try directory.write(lines.joined(), to: "\(log).ndjson")
      try directory.write(succeed("tracking infer \(log).ndjson").output, to: "\(log).json")
    }
  }

  @Test func findingsAndExitCodes() throws {
    let check = "tracking check log.json"
    let same = try succeed("\(check) log.ndjson --fail-on all")
    #expect(same.output.isEmpty)
    #expect(same.errors.hasPrefix("all events are as the plan has them\n"))
    let table = try succeed("\(check) changed.ndjson")
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
    let json = try expect(6, "\(check) changed.ndjson --json --fail-on value,range")
    #expect(json.lines.count == 5)
    #expect(
      json.lines[2]
        == #"{"kind":"range","event":"bought","attribute":"price","count":1,"file":"changed.ndjson","line":2,"expected":"3 to 5","example":"6"}"#
    )
    try succeed("\(check) changed.ndjson --fail-on value")
    try expect(
      2, "\(check) changed.ndjson --fail-on types", "it must be all, or some of new-event,")
  }

  @Test func plansAreCompared() throws {
    let same = try succeed("tracking diff log.json log.json")
    #expect(same.output.isEmpty && same.errors == "the plans are equal\n")
    let diff = try expect(6, "tracking diff log.json changed.json --json")
    #expect(diff.errors == "5 differences\n")
    #expect(
      diff.lines.first
        == #"{"kind":"required","event":"bought","attribute":"price","before":"required","after":"optional"}"#
    )
    try directory.write(#"{"eventmill_plan":1,"evnts":{}}"#, to: "bad.json")
    #expect(
      try expect(2, "tracking diff log.json bad.json").errors
        == "error: reading the tracking plan bad.json: evnts is unknown here; expected "
        + "one of $schema, eventmill_plan, description, events; see docs/guides/tracking.md for what a "
        + "plan may have\n")
  }

  @Test func subCommands() throws {
    let group = try succeed("help tracking").text
    #expect(group.contains("tracking infer"))
    for words in ["tracking --help", "tracking help", "-h tracking"] {
      #expect(try run(words).text == group, "\(words)")
    }
    let help = try run("tracking infer --help").text
    #expect(help.hasPrefix("eventmill tracking infer: "))
    #expect(try run("help tracking infer").text == help)
    for (words, why) in [
      (
        "tracking",
        "tracking needs to know what to do: infer, check or diff; see eventmill tracking --help"
      ),
      (
        "tracking chekc a b",
        "unknown command \"tracking chekc\"; did you mean tracking check?"
      ),
    ] {
      #expect(
        try expect(2, words).errors == "error: reading the command line: \(why)\n", "\(words)")
    }
    #expect(try run("trackin").errors.hasSuffix("did you mean tracking?\n"))
    try expect(2, "tracking diff a b --fail-on all", "it belongs to tracking check")
    try expect(2, "merge --tracking p --out o x", "merge does not take --tracking")
    #expect(try RunProcess.eventmill(["tracking infer", "x"]).status == 2)
  }
}
