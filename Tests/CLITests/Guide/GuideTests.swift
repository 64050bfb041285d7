import Foundation
import TestSupport
import Testing

@Suite struct GuideTests: CommandSuite {
  let directory = ScratchDirectory.fresh

  /// Guides, the least number of their commands, and whether they show messages, too.
  @Test(arguments: [("migration", 11, true), ("mapping", 6, false), ("privacy", 6, false)])
  func everyCommandPrintsWhatIsShown(_ name: String, _ least: Int, _ showsMessages: Bool) throws {
    let steps = try MigrationGuide("guides/\(name).md").steps
    #expect(steps.count >= least)
    try directory.link("sample-data", to: MigrationGuide.folder.appending(path: "sample-data").path)
    if name == "privacy" { try writePeople() }
    var script = """
      export EVENTMILL_NO_PROGRESS=1
      program="$eventmill"
      eventmill() { "$program" "$@"; }

      """
    for step in steps {
      // Prints messages after results, as a guide shows them.
      script += """
        { \(step.command); } 2>.messages
        status=$?; \(showsMessages ? "cat .messages" : ":"); printf "\\x1e$status\\x1e"; (exit $status)

        """
    }
    let outputs = try bash(script).text.split(separator: "\u{1E}", omittingEmptySubsequences: false)
    try #require(outputs.count == 2 * steps.count + 1)
    for (number, step) in steps.enumerated() {
      var lines = outputs[2 * number].split(separator: "\n", omittingEmptySubsequences: false)
        .map(String.init)
      if lines.last == "" { lines.removeLast() }
      let isAsShown =
        name == "mapping" ? lines == step.output : ShownOutput.agree(step.output, lines)
      #expect(isAsShown, "\(step.command)\n\(outputs[2 * number])")
      #expect(showsMessages || outputs[2 * number + 1] == "0", "\(step.command)")
    }
  }

  private func writePeople() throws {
    let time = "\"time\":\"2024-06-01T00:00:00Z\""
    let day = [
      "{\"custom_id\":\"anna\",\"installation_id\":\"phone\",\"name\":\"seen\",\(time)}",
      "{\"installation_id\":\"phone\",\"name\":\"opened\",\(time)}",
      "{\"custom_id\":\"bob\",\"name\":\"seen\",\(time)}", "{\"custom_id\":\"anna\",\"na",
    ]
    try directory.write(day.joined(separator: "\n"), to: "day.ndjson")
    try directory.write("{\"custom_id\":\"anna\"}\n", to: "anna.ndjson")
  }

  @Test func everyExampleOfTheMigrationTableIsTrue() throws {
    let examples = try MigrationGuide().examples
    #expect(examples.count >= 6)
    var met: Set<String> = []
    for example in examples {
      let result = try RunProcess.eventmill(
        ["explain"] + example.options, input: Array(example.line.utf8))
      let json = try NaiveJSON(parsing: result.text)
      let comment: Comment = "\(example.line)"
      let canonical = result.text.split(separator: #""canonical":"#, maxSplits: 1).dropFirst().first
      if let expected = example.canonical {
        #expect(canonical?.hasPrefix(expected + #","events":["#) == true, comment)
      } else {
        #expect(canonical == nil, comment)
      }
      #expect(Self.facts(json["losses"]) == example.losses, comment)
      let parts = (json["events"]?.items ?? []) + (json["operations"]?.items ?? [])
      #expect(
        (Self.facts(json["reasons"]) + parts.flatMap { Self.facts($0["reasons"]) })
          == example.reasons, comment)
      met.formUnion(example.losses.compactMap { $0.split(separator: " ").first.map(String.init) })
    }
    // Nothing that v2 does not accept is left out.
    #expect(
      met.isSuperset(of: [
        "label_blank", "tag_blank", "tag_newline", "string_blank", "string_newline",
      ]))
  }

  /// `CODE at PATH` of every loss or reason.
  private static func facts(_ list: NaiveJSON?) -> [String] {
    (list?.items ?? []).map { "\($0["code"]?.text ?? "") at \($0["path"]?.text ?? "")" }
  }
}
