import Foundation
import TestSupport
import Testing

/// The recipes of guides that only show commands, run on nights of the sample data.
@Suite struct RecipeTests: CommandSuite {
  let directory = ScratchDirectory.fresh

  /// Logs and nights as the guides name them: `logs/2024-06-01` to `-03`, `out/2024-06-01` and
  /// `-02`, and the rejects of a third that was refused.
  init() throws {
    let samples = MigrationGuide.folder.appending(path: "sample-data").path
    let result = try bash(
      """
      mkdir logs out; for n in 1 2 3; do cp -r '\(samples)'/night-$n logs/2024-06-0$n; done
      night() { "$eventmill" night -q --logs 'logs/%Y-%m-%d' --out 'out/%Y-%m-%d' "$@"; }
      night --from-night 2024-06-01 --to-night 2024-06-02
      night --to-night 2024-06-03 --max-rejects 0 2>refused.txt
      """)
    try #require(result.status == 3, "\(result.errors)")
  }

  /// Runs the first code block of a guide with these words, or only its first lines; paths in
  /// `replacing` are those of the test.
  @discardableResult
  private func run(
    _ guide: String, _ words: String, first count: Int = .max,
    replacing paths: [String: String] = [:]
  ) throws -> [Substring] {
    let text = try String(
      contentsOf: MigrationGuide.folder.appending(path: "docs/guides/\(guide).md"), encoding: .utf8)
    let blocks = MigrationGuide.blocks(of: text)
      .map { $0.lines.prefix(count).joined(separator: "\n") }
    let block = try #require(blocks.first { $0.contains(words) }, "\(guide): \(words)")
    return try lines(of: paths.reduce(block) { $0.replacing($1.key, with: $1.value) })
  }

  private func lines(of recipe: String) throws -> [Substring] {
    let result = try bash("set -o pipefail\neventmill() { \"$eventmill\" \"$@\"; }\n\(recipe)")
    #expect(result.status == 0, "\(recipe)\n\(result.errors)")
    return result.lines
  }

  @Test func questionsAreAnswered() throws {
    // Each rejected line once, however many of its reasons match.
    let explained = try run(
      "nightly", "explain",
      replacing: ["2024-06-02.rejected": "2024-06-03.rejected", "bad_name": "wrong_type"])
    let raw = try lines(
      of: "zstd -dc out/2024-06-03.rejected/rejects.ndjson.zst | grep -c '\"code\":\"wrong_type\"'")
    #expect(explained.count > 3 && "\(explained.count)" == raw.first ?? "")
    #expect(explained.allSatisfy { $0.contains("\"code\":\"wrong_type\"") })
    // Nothing differs from a plan that was made from the same logs.
    #expect(
      try run("tracking", "infer", first: 2) == [])
    #expect(directory.has("plan.json"))
  }

  @Test func rejectsOfAPublishedNightComeBack() throws {
    try run("nightly", "redrive")
    let all = "--logs 'logs/%Y-%m-%d' --out 'out/%Y-%m-%d'"
    let read = try lines(
      of: """
        eventmill night -q --to-night 2024-06-03 --max-rejects 100% --alert-rejects 0% \(all)
        eventmill night list --files --json \(all) | jq -r '"\\(.outcome) \\(.path)"' | grep redriven
        """)
    #expect(
      read.allSatisfy { $0.hasPrefix("read logs/2024-06-03/redriven-06-02/") } && read.count > 0)
    // The verdict of a published night, as a scheduler reads it.
    let verdict = try run(
      "nightly", "case $?", replacing: ["night --quiet": "night -q --to-night 2024-06-03"])
    #expect(verdict.first == "check it", "\(verdict)")
  }

  @Test func peopleAreErasedFromAllNights() throws {
    // No night has this address.
    #expect(try run("privacy", "email_address") == [])
    let people = try lines(
      of: "zstd -dc out/current/profiles/*.zst | jq -r 'select(.kind == \"person\") | .id' "
        + "| sed -n 1,2p")
    for (person, words) in zip(people, ["flock 9", "--nights"]) {
      try directory.write("{\"custom_id\":\"\(person)\"}\n", to: "requests.ndjson")
      try run(
        "privacy", words, replacing: ["/srv/eventmill/out": "out", "~/requests": "../requests"])
      #expect(directory.has("out/current/report.html"))
      try succeed("verify -q --requests requests.ndjson out/current")
    }
    #expect(people.count == 2)
  }
}
