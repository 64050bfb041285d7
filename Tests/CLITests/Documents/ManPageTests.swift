import Jobs
import TestSupport
import Testing

@testable import eventmill

@Suite struct ManPageTests: CommandSuite {
  let directory = ScratchDirectory.fresh
  private static let commands: [Command?] = [nil] + Command.allCases

  /// The words of a page as a reader sees them, without what roff obeys.
  private static func words(_ page: String) -> String {
    page.replacing("\\fB", with: "").replacing("\\fR", with: "").replacing("\\fI", with: "")
      .replacing("\\-", with: "-").replacing("\\(aq", with: "'")
      .split { " \n".contains($0) }.joined(separator: " ")
  }

  @Test func everyPageHasAllThereIsToSay() {
    for command in Self.commands {
      let page = ManPage.text(of: command)
      #expect(page.utf8.allSatisfy { $0 < 0x80 })
      let text = Self.words(page)
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

  @Test(.enabled(if: ShellDriver.has("groff"), "groff is not installed"))
  func groffFindsNothingWrong() throws {
    let result = try bash(
      """
      "$eventmill" man -q --out pages || exit
      for page in pages/*.1; do groff -man -Tutf8 -ww -b -z "$page" || exit; done
      """)
    #expect(result.status == 0 && result.text.isEmpty && result.errors.isEmpty, "\(result.errors)")
  }

  @Test(.enabled(if: ShellDriver.has("man"), "man is not installed")) func manShowsThem() throws {
    let result = try bash(
      "\"$eventmill\" man run | MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -l - | cat")
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(
      result.text.contains(
        "eventmill run --previous out/2024-06-01 --out out/2024-06-02 logs/2024-06-02\n"))
    #expect(result.text.contains("FILE|DIR|-…"))
  }
}
