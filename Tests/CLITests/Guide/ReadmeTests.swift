import Foundation
import TestSupport
import Testing

/// README and tutorial show what happens when their commands are pasted into a fresh clone, before
/// and after the sample has run.
///
/// With `EVENTMILL_RECORD_GOLDEN=1` the output of a command replaces the shown one, if that differs
/// and is not shortened.
@Suite struct ReadmeTests {
  private typealias Step = MigrationGuide.Step

  private static let readme = MigrationGuide.folder.appending(path: "README.md")
  private static let tutorial = MigrationGuide.folder.appending(path: "docs/tutorial.md")
  private static let isRecording =
    ProcessInfo.processInfo.environment["EVENTMILL_RECORD_GOLDEN"] == "1"

  private static func steps(of file: URL, from: String = "") throws -> [Step] {
    let text = try String(contentsOf: file, encoding: .utf8)
    let start = from.isEmpty ? text.startIndex : try #require(text.range(of: from)).upperBound
    var steps: [Step] = []
    for block in MigrationGuide.blocks(of: String(text[start...])) {
      if block.kind == "sh" {
        steps.append(Step(command: block.lines.joined(separator: "\n")))
      } else if !steps.isEmpty {
        steps[steps.count - 1].output = block.lines.map(String.init)
      }
    }
    return steps
  }

  /// A clone in which `swift build` has nothing to do: the program is the one under test.
  private func clone() throws -> ScratchDirectory {
    let clone = try ScratchDirectory()
    for name in ["scripts", "sample-data"] {
      try clone.link(name, to: MigrationGuide.folder.appending(path: name).path)
    }
    let script = """
      mkdir bin
      # Not by this process: a child of another test might keep it open, and nothing could run it.
      printf '%s\\n' '#!/bin/sh' \
        'case "$*" in *--show-bin-path) echo .build/x86_64-unknown-linux-gnu/release ;; esac' >bin/swift
      chmod 755 bin/swift
      mkdir -p .build/x86_64-unknown-linux-gnu/release
      ln -s x86_64-unknown-linux-gnu/release .build/release
      ln -s "$eventmill" .build/release/eventmill
      """
    #expect(try RunProcess.bash(script, directory: clone).status == 0)
    return clone
  }

  private func run(_ steps: [Step], in clone: ScratchDirectory) throws {
    var script =
      "PATH=\"$PWD/bin:$PATH\" EVENTMILL_NO_PROGRESS=1; export PATH EVENTMILL_NO_PROGRESS\n"
    for step in steps { script += "{\n\(step.command)\n} 2>&1\nprintf '\\x1e'\n" }
    let result = try RunProcess.bash(script, directory: clone)
    let outputs = result.text.split(separator: "\u{1E}", omittingEmptySubsequences: false)
    try #require(outputs.count == steps.count + 1, "\(result.errors)")
    for (step, output) in zip(steps, outputs) {
      var lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      if lines.last == "" { lines.removeLast() }
      // As a page shows it, without a blank line above.
      if lines.first == "" { lines.removeFirst() }
      let isAsShown = ShownOutput.agree(step.output, lines)
      #expect(isAsShown, "\(step.command)\n\(output)")
      if !isAsShown, Self.isRecording, !step.output.isEmpty, !step.output.contains("…") {
        for file in [Self.readme, Self.tutorial] {
          try Self.record(lines, for: step.output, in: file)
        }
      }
    }
  }

  /// Replaces shown output in `file`. Lines that differ only in figures that depend on the machine
  /// stay.
  private static func record(_ lines: [String], for shown: [String], in file: URL) throws {
    let text = try String(contentsOf: file, encoding: .utf8)
    let lines = lines.map { line in shown.first { ShownOutput.agree([$0], [line]) } ?? line }
    let block = { (lines: [String]) in "```\n\(lines.joined(separator: "\n"))\n```" }
    try Data(text.replacing(block(shown), with: block(lines)).utf8).write(to: file)
  }

  @Test func theTutorialIsTrueBeforeAndAfterTheSample() throws {
    let tutorial = try Self.steps(of: Self.tutorial)
    let sample = try Self.steps(of: Self.readme, from: "\n## Two commands\n")[0...0]
    try #require(tutorial.count > 7 && sample[0].command.hasSuffix("run-sample.sh"))
    let clone = try clone()
    try run(tutorial, in: clone)
    for _ in 0..<2 { try run(Array(sample), in: clone) }
    try run(tutorial, in: clone)
  }

  /// The line that the README begins with becomes the profile beside it.
  @Test func theFirstExampleIsTrue() throws {
    let text = try String(contentsOf: Self.readme, encoding: .utf8)
    let blocks = MigrationGuide.blocks(of: text).filter { $0.kind == "json" }
    try #require(blocks.count == 2)
    let clone = try clone()
    let line = blocks[0].lines.joined()
    try Data("\(line)\n".utf8).write(to: URL(filePath: clone("day.ndjson")))
    let result = try RunProcess.bash(
      "\"$eventmill\" run -q --out out day.ndjson && zstd -dc out/profiles/*.zst", directory: clone)
    let shown = try JSONSerialization.jsonObject(with: Data(blocks[1].lines.joined().utf8))
    let made = try JSONSerialization.jsonObject(with: Data(result.text.utf8))
    #expect((shown as? NSDictionary) == (made as? NSDictionary), "\(result.text)\(result.errors)")
  }
}
