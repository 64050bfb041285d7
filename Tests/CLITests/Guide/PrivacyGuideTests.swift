import TestSupport
import Testing

/// The commands of docs/guides/privacy.md print what it shows.
@Suite struct PrivacyGuideTests {
  @Test func everyCommandPrintsWhatIsShown() throws {
    let directory = try ScratchDirectory()
    let time = "\"time\":\"2024-06-01T00:00:00Z\""
    let day = [
      "{\"custom_id\":\"anna\",\"installation_id\":\"phone\",\"name\":\"seen\",\(time)}",
      "{\"installation_id\":\"phone\",\"name\":\"opened\",\(time)}",
      "{\"custom_id\":\"bob\",\"name\":\"seen\",\(time)}", "{\"custom_id\":\"anna\",\"na",
    ]
    try directory.write(day.joined(separator: "\n"), to: "day.ndjson")
    try directory.write("{\"custom_id\":\"anna\"}\n", to: "anna.ndjson")
    let steps = try MigrationGuide("guides/privacy.md").steps
    #expect(steps.count > 4)
    for step in steps {
      let result = try step.run(in: directory)
      #expect(result.status == 0, "\(step.command)")
      #expect(ShownOutput.agree(step.output, result.lines.map(String.init)), "\(step.command)")
    }
    #expect(steps.last?.command.hasPrefix("eventmill verify --requests") == true)
  }
}
