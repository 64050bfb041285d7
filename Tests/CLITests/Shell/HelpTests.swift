import Jobs
import TestSupport
import Testing

@testable import eventmill

@Suite struct HelpTests {
  private static func words(of command: Command) -> [String] {
    command.rawValue.split(separator: " ").map(String.init)
  }

  @Test func theProgramsHelpIsAsAgreed() throws {
    let result = try RunProcess.eventmill(["--help"])
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(try Golden.difference(result.text, from: "help.txt") == nil)
  }

  @Test(arguments: Command.allCases)
  func aCommandsHelpIsAsAgreed(_ command: Command) throws {
    let result = try RunProcess.eventmill(["help"] + Self.words(of: command))
    #expect(result.status == 0)
    let name = Self.words(of: command).joined(separator: "-")
    #expect(try Golden.difference(result.text, from: "help-\(name).txt") == nil)
  }

  @Test(arguments: Command.allCases)
  func everyWayToAskForHelpGivesTheSame(_ command: Command) throws {
    let text = Help.text(for: command)
    #expect(text.contains("Examples:"))
    for arguments in [["--help"], ["-h"], ["--help", "--jobs", "x"], ["--no-such-option", "-h"]] {
      let result = try RunProcess.eventmill(Self.words(of: command) + arguments)
      #expect(result.status == 0)
      #expect(result.text == text + "\n")
    }
  }

  @Test func everyOptionOfACommandStandsInItsHelpAndNoOther() {
    for command in Command.allCases {
      let lines = Help.text(for: command).split(separator: "\n")
      let shown = lines.filter { $0.hasPrefix("  -") }.compactMap { line in
        line.split(separator: " ").first { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }
      }
      #expect(shown.sorted() == command.options.map(\.rawValue).sorted())
      #expect(lines.allSatisfy { $0.count <= 80 }, "too wide for a terminal: \(command)")
    }
  }

  @Test func withoutArgumentsThereIsHelp() throws {
    let result = try RunProcess.eventmill([])
    #expect(result.status == 0)
    #expect(result.text == Help.text(for: nil) + "\n")
    for words in [["help"], ["-h"], ["help", "help"]] {
      #expect(try RunProcess.eventmill(words).text == result.text)
    }
  }

  @Test func everyWayToAskForTheVersionGivesTheSame() throws {
    let text = try RunProcess.eventmill(["--version"]).text
    for words in [["version"], ["-V"], ["run", "-V"], ["count", "--version"], ["-q", "version"]] {
      let result = try RunProcess.eventmill(words)
      #expect(result.status == 0 && result.text == text, "\(words)")
    }
  }

  @Test func theVersionNamesCommitAndLibrary() throws {
    let lines = try RunProcess.eventmill(["--version"]).lines
    #expect(lines.first == "eventmill \(Version.number)")
    #expect(lines.count == 3)
    #expect(try #/commit ([0-9a-f]{7,40}|unknown)/#.wholeMatch(in: lines[1]) != nil)
    #expect(try #/libzstd \d+\.\d+\.\d+/#.wholeMatch(in: lines[2]) != nil)
  }

  @Test func theVersionIsJSONOnRequest() throws {
    let json = try NaiveJSON(parsing: RunProcess.eventmill(["--version", "--json"]).text)
    #expect(json["version"] == .string(Version.number))
    #expect(json["libzstd"] != nil)
  }
}
