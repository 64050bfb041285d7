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
  func fishOffersWhatFits() throws {
    try Self.check("fish")
    let lines = ["--requests ~/lo", "lo\\ ", "\"lo g", "$HOME/lo", "og", "--out=~/lo"]
    #expect(
      try ShellDriver.offers("fish", lines.map { "eventmill run \($0)" }) == [
        ["~/lo gs/", "~/log.ndjson", "~/logs/"], ["lo gs/"], ["lo gs/"],
        ["$HOME/lo gs/", "$HOME/log.ndjson", "$HOME/logs/"], ["log.ndjson", "logs/"],
        ["--out=~/lo gs/", "--out=~/logs/"],
      ])
  }

  @Test func everyOptionIsOffered() throws {
    for command in Command.allCases {
      let request = CompletionRequest((command.words + ["-"])[...])
      #expect(request.offers.map(\.word) == command.options.flatMap(\.forms), "\(command)")
      let meanings = request.offers.map(\.meaning)
      #expect(
        meanings
          == command.options.flatMap { option in
            option.forms.map { _ in option.help(of: command).summary }
          })
    }
  }

  /// Words, and what is offered for the last one.
  @Test func aRequestIsAnswered() {
    for (words, paths, offers) in [
      (["run", "--v1=l"], .none, ["--v1=lenient"]),
      (["run", "--v1", "=", "l"], .none, ["lenient"]),
      (["run", "--v1", "="], .none, ["strict", "lenient"]), (["run", "--out="], .directories, []),
      (["run", "--nobody", ""], .files, ["none"]), (["run", "--quiet", "x"], .files, []),
      (["run", "--nobody", "\"n"], .files, ["none"]),
      (["rejects", "--by", "d"], .none, ["dialect"]), (["validate", "--by", "d"], .none, []),
      (["validate", "--by", ""], .none, ["reason", "file"]),
      (["generate", "--dialect", ""], .none, ["mixed", "v1", "v2"]),
      (["-j", "run", "v"], .none, ["validate", "verify", "version"]),
      (["help", "-"], .none, []), (["man", "run", "--o"], .none, ["--out"]),
      (["man", "tracking", "i"], .none, ["infer"]), (["man", "h"], .none, []), ([], .none, []),
      (["h"], .none, ["help"]), (["tracking", "--js"], .none, ["--json"]),
      (["redrive", "--reason", "bad_n"], .none, ["bad_name"]),
    ] as [([String], Completion.Paths, [String])] {
      let request = CompletionRequest(words[...])
      #expect(request.paths == paths, "\(words)")
      #expect(words.isEmpty || request.offers.map(\.word) == offers, "\(words)")
    }
    #expect(CompletionRequest(["tra"]).offers.map(\.meaning) == [CommandGroup.tracking.summary])
  }

  /// The name of a value in the help determines its completions.
  @Test func placeholdersSayWhatIsOffered() {
    for (value, paths, words) in [
      ("strict|lenient", .none, ["strict", "lenient"]),
      ("mixed|v1|v2", .none, ["mixed", "v1", "v2"]),
      ("FILE", .files, []), ("FILE|-", .files, []), ("[FILE|DIR|-…]", .files, []),
      ("DIR [ID…]", .directories, []), ("PATTERN", .directories, []),
      ("FILE|none", .files, ["none"]),
      ("N|P%", .none, []), ("", .none, []),
    ] as [(String, Completion.Paths, [String])] {
      let completion = Completion(value)
      #expect(completion.paths == paths && completion.words == words, "\(value)")
    }
  }
}
