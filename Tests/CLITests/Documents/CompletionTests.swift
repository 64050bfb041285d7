import Jobs
import TestSupport
import Testing

@testable import eventmill

/// What real shells offer with the completions that the program prints.
@Suite struct CompletionTests {
  /// The golden file has unfinished lines, up to the tab key, and what every shell offers for them.
  private static func check(_ shell: String) throws {
    let lines = try Golden.commands(in: "completions")
    let offers = try ShellDriver.offers(shell, lines.map { String($0.prefix { $0 != "⇥" }) })
    // Shells differ in whether they add a slash after a directory.
    let texts = zip(lines, offers).map { line, found in
      (["$ \(line)"] + found.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 })
        .map { "\($0)\n" }.joined()
    }
    #expect(try Golden.difference(texts.joined(), from: "completions.txt") == nil)
  }

  @Test func bashOffersWhatFits() throws {
    try Self.check("bash")
    let more = try ShellDriver.offers("bash", ["eventmill count --v1=", "eventmill count --v1=l"])
    #expect(more == [["lenient", "strict"], ["lenient"]])
  }

  @Test(.enabled(if: ShellDriver.has("zsh"), "zsh is not installed"))
  func zshOffersWhatFits() throws { try Self.check("zsh") }

  @Test(.enabled(if: ShellDriver.has("fish"), "fish is not installed"))
  func fishOffersWhatFits() throws { try Self.check("fish") }

  @Test func everyOptionIsOffered() throws {
    let offers = try ShellDriver.offers(
      "bash", Command.allCases.map { "eventmill \($0.rawValue) -" })
    for (command, found) in zip(Command.allCases, offers) {
      #expect(found == command.options.flatMap(\.forms).sorted(), "\(command)")
    }
  }

  /// The name of a value in the help determines its completions.
  @Test func placeholdersSayWhatIsOffered() {
    for (value, completion) in [
      ("strict|lenient", .words(["strict", "lenient"])),
      ("mixed|v1|v2", .words(["mixed", "v1", "v2"])),
      ("FILE", .files), ("FILE|-", .files), ("[FILE|DIR|-…]", .files),
      ("DIR [ID…]", .directories), ("day|attribute:KEY", .words(["day", "attribute:"])),
      ("N|P%", .nothing), ("", .nothing),
    ] as [(String, Completion)] { #expect(Completion(value) == completion, "\(value)") }
    for option in Option.allCases {
      #expect((option.completion == nil) == (option.facts.value == nil))
    }
  }

  @Test func theScriptIsJSONOnRequest() throws {
    let json = try NaiveJSON(parsing: RunProcess.eventmill(["completions", "--json", "fish"]).text)
    #expect(json["shell"]?.text == "fish")
    #expect(try json["script"]?.text == RunProcess.eventmill(["completions", "fish"]).text)
  }
}
