import Jobs
import TestSupport
import Testing

@testable import eventmill

@Suite struct ManPageTests {
  private static let commands: [Command?] = [nil] + Command.allCases

  /// The words of a page as a reader sees them, without what roff obeys.
  private static func words(_ page: String) -> String {
    page.replacing("\\fB", with: "").replacing("\\fR", with: "").replacing("\\fI", with: "")
      .replacing("\\-", with: "-").replacing("\\(aq", with: "'")
      .split { " \n".contains($0) }.joined(separator: " ")
  }

  @Test func everyPageHasAllThereIsToSay() throws {
    for command in Self.commands {
      let text = Self.words(ManPage.text(of: command))
      for option in command?.options ?? Option.common {
        #expect(text.contains("\(option.flag) "))
        #expect(
          text.contains(Self.words(option.help(of: command).summary)),
          "\(option) of \(command as Any)")
      }
      #expect(text.contains(command?.facts.summary ?? "streams app event logs"))
    }
    let program = Self.words(ManPage.text(of: nil))
    for code in ExitCode.allCases { #expect(program.contains("\(code.rawValue) \(code.meaning)")) }
    for command in Command.allCases {
      #expect(program.contains("\(ManPage.name(of: command.rawValue))(1)"))
    }
  }

  @Test func pagesArePrinted() throws {
    for command in Self.commands {
      let result = try RunProcess.eventmill(["man"] + (command.map { [$0.rawValue] } ?? []))
      #expect(result.status == 0 && result.errors.isEmpty)
      #expect(result.text == ManPage.text(of: command))
      #expect(result.text.utf8.allSatisfy { $0 < 0x80 })
    }
  }

  @Test(.enabled(if: ShellDriver.has("groff"), "groff is not installed"))
  func groffFindsNothingWrong() throws {
    let directory = try ScratchDirectory()
    let result = try RunProcess.bash(
      """
      "$eventmill" man -q --out pages || exit
      for page in pages/*.1; do groff -man -Tutf8 -ww -b -z "$page" || exit; done
      """, directory: directory)
    #expect(result.status == 0 && result.text.isEmpty && result.errors.isEmpty, "\(result.errors)")
  }

  @Test(.enabled(if: ShellDriver.has("man"), "man is not installed"))
  func manShowsThem() throws {
    let result = try RunProcess.bash(
      "\"$eventmill\" man run | MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -l - | cat")
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(result.text.contains("eventmill run --previous out/06-01 --out out/06-02 logs/06-02\n"))
    #expect(result.text.contains("FILE|DIR|-…"))
  }

  @Test func allPagesAreWrittenAndReplaced() throws {
    let directory = try ScratchDirectory()
    for _ in 0..<2 {
      let result = try RunProcess.eventmill(["man", "--out", "a/b"], directory: directory)
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(
      try directory.files(below: "a/b")
        == ManPage.all.map { "\($0.name).1" }.sorted())
    let text = try String(decoding: directory.bytes("a/b/eventmill-run.1"), as: UTF8.self)
    #expect(text == ManPage.text(of: .run))
  }

  @Test func whatIsNoPageStays() throws {
    let directory = try ScratchDirectory()
    try directory.write("mine", to: "eventmill.1")
    let result = try RunProcess.eventmill(["man", "--out", "."], directory: directory)
    #expect(result.status == 2 && result.errors.contains("eventmill has not written"))
    #expect(try directory.bytes("eventmill.1") == Array("mine".utf8))
    for words in [["man", "rnu"], ["man", "run", "--out", "."], ["man", "run", "count"]] {
      #expect(try RunProcess.eventmill(words, directory: directory).status == 2)
    }
  }
}
