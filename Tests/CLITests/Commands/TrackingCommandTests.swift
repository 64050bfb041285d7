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

  @Test func findingsDifferencesAndMistakes() throws {
    try directory.write(#"{"eventmill_plan":1,"evnts":{}}"#, to: "bad.json")
    try expectTranscript("tracking")
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
    #expect(try RunProcess.eventmill(["tracking infer", "x"]).status == 2)
  }
}
