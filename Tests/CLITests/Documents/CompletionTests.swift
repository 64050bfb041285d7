import Jobs
import TestSupport
import Testing

@testable import eventmill

/// What real shells offer with the completions that the program prints.
@Suite struct CompletionTests {
  /// Unfinished lines, and what every shell offers for them.
  private static let lines: [(line: String, offers: [String])] = [
    ("eventmill co", ["completions", "count"]), ("eventmill count --v1 ", ["lenient", "strict"]),
    ("eventmill count --dialect p", ["pulse"]), ("eventmill run --out lo", ["lo gs", "logs"]),
    ("eventmill run --previous a --out lo", ["lo gs", "logs"]),
    ("eventmill run lo", ["lo gs", "log.ndjson", "logs"]),
    ("eventmill verify lo", ["lo gs", "logs"]),
    ("eventmill count run lo", ["lo gs", "log.ndjson", "logs"]),
    ("eventmill -q --color never completions ", ["bash", "fish", "zsh"]),
    ("eventmill verify --re", ["--requests"]), ("eventmill count --out", []),
    ("eventmill bench --stage pa", ["parse"]), ("eventmill run --jobs ", []),
    ("eventmill run --keep-", ["--keep-going"]),
    (
      "eventmill night --keep-",
      ["--keep-daily", "--keep-going", "--keep-monthly", "--keep-weekly"]
    ),
    (
      "eventmill count --by ",
      ["attribute:", "day", "dialect", "file", "hour", "reason", "version"]
    ), ("eventmill night l", ["list"]), ("eventmill night list --fil", ["--files"]),
    ("eventmill export --format ", ["csv", "ndjson"]),
    ("eventmill tracking check --fail-on new-", ["new-attribute", "new-event"]),
    ("eventmill run --mapping sn", ["snowplow"]),
    ("eventmill run --mapping lo", ["lo gs", "log.ndjson", "logs"]),
    ("eventmill mapping show s", ["segment", "snowplow"]),
    ("eventmill help ver", ["verify", "version"]), ("eventmill man mig", ["migrate"]),
    ("eventmill help tracking ", ["check", "diff", "infer"]), ("eventmill man night ", ["list"]),
    ("eventmill generate lo", []), ("eventmill track", ["tracking"]),
    ("eventmill tracking ", ["check", "diff", "infer"]),
    ("eventmill tracking -q check lo", ["lo gs", "log.ndjson", "logs"]),
  ]

  private static func check(_ shell: String) throws {
    let offers = try ShellDriver.offers(shell, lines.map(\.line))
    try #require(offers.count == lines.count)
    for ((line, expected), found) in zip(lines, offers) {
      // Shells differ in whether they add a slash after a directory.
      let names = found.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
      #expect(names == expected, "\(line)")
    }
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

  /// Exactly the options of each command are offered.
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
      ("mixed|v1|v2", .words(["mixed", "v1", "v2"])), ("FILE|-", .files), ("[FILE|DIR|-…]", .files),
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
