import Jobs
import Pipeline
import TestSupport
import Testing

@testable import eventmill

@Suite struct HelpTests {
  /// The help that a command line asks for, made in this process.
  private static func asked(_ words: [String]) throws -> HelpRequest? {
    try Invocation(RawArguments(words)).request as? HelpRequest
  }

  @Test(arguments: Command.allCases) func aCommandsHelpIsAsAgreed(_ command: Command) throws {
    let words = command.rawValue.split(separator: " ").map(String.init)
    let text = Help.text(for: command)
    let name = words.joined(separator: "-")
    #expect(try Golden.difference(text + "\n", from: "help-\(name).txt") == nil)
    for line in [
      ["help"] + words, words + ["--help"], words + ["-h"], words + ["--help", "--jobs", "x"],
      words + ["--no-such-option", "-h"],
    ] { #expect(try Self.asked(line)?.command == command, "\(line)") }
    // Every option is there, and no other.
    let lines = text.split(separator: "\n")
    let shown = lines.filter { $0.hasPrefix("  -") }.compactMap { line in
      line.split(separator: " ").first { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }
    }
    #expect(shown.sorted() == command.options.map(\.rawValue).sorted())
    #expect(lines.allSatisfy { $0.count <= 80 }, "too wide for a terminal: \(command)")
    // Its examples are command lines that are read without an error; not those that need a shell.
    for line in lines where line.hasPrefix("  eventmill ") && !line.contains(#/['…|<>]/#) {
      let words = line.split(separator: " ").dropFirst().map(String.init)
      let failure = Failure.thrown { () throws(Failure) in _ = try Invocation(RawArguments(words)) }
      #expect(failure?.kind != .usage, "\(line)")
    }
  }

  @Test func theProgramsHelpIsAsAgreed() throws {
    for words in [["--help"], [], ["help"]] {
      let result = try RunProcess.eventmill(words)
      #expect(result.status == 0 && result.errors == "", "\(words)")
      #expect(try Golden.difference(result.text, from: "help.txt") == nil)
    }
    for words in [["-h"], ["help", "help"]] {
      let asked = try Self.asked(words)
      #expect(asked != nil && asked?.command == nil && asked?.group == nil, "\(words)")
    }
    #expect(try RunProcess.eventmill(["help", "run"]).text == Help.text(for: .run) + "\n")
  }

  @Test func theVersionNamesCommitAndLibrary() throws {
    for words in [["version"], ["-V"], ["run", "-V"], ["count", "--version"], ["-q", "version"]] {
      let request = try Invocation(RawArguments(words)).request
      #expect(request is VersionRequest, "\(words)")
    }
    let lines = try RunProcess.eventmill(["--version"]).lines
    #expect(lines.first == "eventmill \(Version.number)" && lines.count == 3)
    #expect(try #/commit ([0-9a-f]{7,40}|unknown)/#.wholeMatch(in: lines[1]) != nil)
    #expect(try #/libzstd \d+\.\d+\.\d+/#.wholeMatch(in: lines[2]) != nil)
    let json = try NaiveJSON(parsing: RunProcess.eventmill(["version", "--json"]).text)
    #expect(json["version"]?.text == Version.number && json["libzstd"] != nil)
  }
}
