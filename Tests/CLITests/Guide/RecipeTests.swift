import Foundation
import TestSupport
import Testing

/// The recipes of guides that only show commands, run on nights of the sample data.
@Suite struct RecipeTests {
  /// Logs and nights as the guides name them: `logs/2024-06-01` to `-03`, `out/2024-06-01` and
  /// `-02`, and the rejects of a third that was refused.
  private func nights() throws -> ScratchDirectory {
    let scratch = try ScratchDirectory()
    let samples = MigrationGuide.folder.appending(path: "sample-data").path
    let result = try RunProcess.bash(
      """
      mkdir logs out; for n in 1 2 3; do cp -r '\(samples)'/night-$n logs/2024-06-0$n; done
      night() { "$eventmill" night -q --logs 'logs/%Y-%m-%d' --out 'out/%Y-%m-%d' "$@"; }
      night --from-night 2024-06-01 --to-night 2024-06-02
      night --to-night 2024-06-03 --max-rejects 0 2>refused.txt
      """, directory: scratch)
    try #require(result.status == 3, "\(result.errors)")
    return scratch
  }

  /// The code block of a guide with these words; paths in `replacing` are those of the test.
  private func recipe(
    _ guide: String, _ words: String, replacing paths: [String: String] = [:]
  ) throws -> String {
    let text = try String(
      contentsOf: MigrationGuide.folder.appending(path: "docs/guides/\(guide).md"), encoding: .utf8)
    let blocks = MigrationGuide.blocks(of: text).map { $0.lines.joined(separator: "\n") }
    let block = try #require(blocks.first { $0.contains(words) }, "\(guide): \(words)")
    return paths.reduce(block) { $0.replacing($1.key, with: $1.value) }
  }

  @discardableResult
  private func run(_ recipe: String, in scratch: ScratchDirectory) throws -> [Substring] {
    let result = try RunProcess.bash(
      "set -o pipefail\neventmill() { \"$eventmill\" \"$@\"; }\n\(recipe)", directory: scratch)
    #expect(result.status == 0, "\(recipe)\n\(result.errors)")
    return result.lines
  }

  /// Each rejected line once, however many of its reasons match.
  @Test func rejectsOfOneReasonAreExplained() throws {
    let scratch = try nights()
    let lines = try run(
      recipe(
        "nightly", "explain",
        replacing: ["2024-06-02.rejected": "2024-06-03.rejected", "bad_name": "wrong_type"]),
      in: scratch)
    let raw = try run(
      "zstd -dc out/2024-06-03.rejected/rejects.ndjson.zst | grep -c '\"code\":\"wrong_type\"'",
      in: scratch)
    #expect(lines.count > 3 && "\(lines.count)" == raw.first ?? "")
    #expect(lines.allSatisfy { $0.contains("\"code\":\"wrong_type\"") })
  }

  @Test func questionsAboutTheReportAreAnswered() throws {
    let scratch = try nights()
    let lines = try run(recipe("monitoring", "report.json"), in: scratch)
    #expect(lines.first.flatMap { Double($0) }.map { 1...5 ~= $0 } == true, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("6\twrong_type\t") }, "\(lines)")
  }

  @Test func peopleAreErasedFromAllNights() throws {
    let scratch = try nights()
    let people = try run(
      "zstd -dc out/current/profiles/*.zst | jq -r 'select(.kind == \"person\") | .id' | sed -n 1,2p",
      in: scratch)
    for (number, words) in ["flock 9", "--nights"].enumerated() {
      try scratch.write("{\"custom_id\":\"\(people[number])\"}\n", to: "requests.ndjson")
      try run(
        recipe(
          "privacy", words,
          replacing: ["/srv/eventmill/out": "out", "~/requests": "../requests"]),
        in: scratch)
      #expect(scratch.has("out/current/report.html"))
      #expect(
        try RunProcess.bash(
          "\"$eventmill\" verify -q --requests requests.ndjson out/current", directory: scratch
        ).status == 0)
    }
  }

  @Test func plansAreMadeAndChecked() throws {
    let scratch = try nights()
    let recipe = try recipe("tracking", "infer", replacing: ["logs/06-02": "logs/2024-06-02"])
    let lines = recipe.split(separator: "\n").prefix(2).joined(separator: "\n")
    // Nothing differs from a plan that was made from the same logs.
    #expect(try run(lines, in: scratch) == [])
    #expect(scratch.has("plan.json"))
  }
}
