import Foundation
import TestSupport
import Testing

@testable import eventmill

/// The commands of docs/guides/migration.md print what it shows.
@Suite struct MigrationGuideTests {
  /// Separates the outputs of two commands.
  private static let separator: Character = "\u{1E}"

  private let guide: MigrationGuide

  init() throws { guide = try MigrationGuide() }

  @Test func everyExampleOfTheTableIsTrue() throws {
    #expect(guide.examples.count > 7)
    var met: Set<String> = []
    for example in guide.examples {
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
    // Nothing that can be lost is left out.
    #expect(
      met.isSuperset(of: [
        "label_blank", "label_newline", "tag_blank", "tag_newline", "string_blank",
        "string_newline", "reserved_key_in_v1", "root_label_ignored", "root_tags_ignored",
      ]))
  }

  /// `CODE at PATH` of every loss or reason.
  private static func facts(_ list: NaiveJSON?) -> [String] {
    (list?.items ?? []).map { "\($0["code"]?.text ?? "") at \($0["path"]?.text ?? "")" }
  }

  @Test func everyCommandPrintsWhatIsShown() throws {
    #expect(guide.steps.count > 10)
    let directory = try ScratchDirectory()
    try directory.link("sample-data", to: MigrationGuide.folder.appending(path: "sample-data").path)
    var script = """
      export EVENTMILL_NO_PROGRESS=1
      program="$eventmill"
      eventmill() { "$program" "$@"; }

      """
    for step in guide.steps {
      // Prints messages after results, as the guide shows them.
      script +=
        "{ \(step.command); } 2>.messages\nstatus=$?; cat .messages; printf '\\x1e'; (exit $status)\n"
    }
    let result = try RunProcess.bash(script, directory: directory)
    let outputs = result.text.split(separator: Self.separator, omittingEmptySubsequences: false)
    try #require(outputs.count == guide.steps.count + 1)
    for (step, output) in zip(guide.steps, outputs) {
      var lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      if lines.last == "" { lines.removeLast() }
      #expect(
        ShownOutput.agree(step.output, lines),
        "\(step.command)\n\(lines.joined(separator: "\n"))")
    }
  }
}
