import Foundation
import TestSupport

/// The testable content of a guide in docs, by default the migration guide: commands with their
/// output, and lines with their results.
struct MigrationGuide {
  /// A line of the table from v1 to v2, and its result.
  struct Example {
    var options: [String] = []
    let line: String
    var canonical: String?
    /// Code and path of everything that is dropped or refused, as `CODE at PATH`.
    var losses: [String] = []
    var reasons: [String] = []
  }

  struct Step {
    let command: String
    var output: [String] = []
  }

  private(set) var examples: [Example] = []
  /// The commands, in order: each finds what those before it have left.
  private(set) var steps: [Step] = []

  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..").standardizedFileURL

  init(_ name: String = "guides/migration.md") throws {
    let text = try String(contentsOf: Self.folder.appending(path: "docs/\(name)"), encoding: .utf8)
    for block in Self.blocks(of: text) { add(block.lines, block.kind) }
  }

  /// The code blocks of a document, each with the word after its three backticks.
  static func blocks(of text: String) -> [(kind: Substring, lines: [Substring])] {
    var blocks: [(kind: Substring, lines: [Substring])] = []
    var isOpen = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        if !isOpen { blocks.append((line.dropFirst(3), [])) }
        isOpen.toggle()
      } else if isOpen {
        blocks[blocks.count - 1].lines.append(line)
      }
    }
    return blocks
  }

  private mutating func add(_ lines: [Substring], _ kind: Substring) {
    switch kind {
    case "console": addSteps(lines)
    case "text" where lines.first?.hasPrefix("in ") == true: addExamples(lines)
    default: break
    }
  }

  private mutating func addSteps(_ lines: [Substring]) {
    for line in lines {
      if line.hasPrefix("$ ") {
        steps.append(Step(command: String(line.dropFirst(2))))
      } else {
        steps[steps.count - 1].output.append(String(line))
      }
    }
  }

  private mutating func addExamples(_ lines: [Substring]) {
    for line in lines {
      let words = line.split(separator: " ", maxSplits: 1)
      guard let word = words.first, let rest = words.last?.drop(while: { $0 == " " }) else {
        continue
      }
      if word == "in" {
        let json = rest.firstIndex(of: "{") ?? rest.startIndex
        examples.append(
          Example(
            options: rest[..<json].split(separator: " ").map(String.init),
            line: String(rest[json...])))
        continue
      }
      let last = examples.count - 1
      switch word {
      case "out": examples[last].canonical = String(rest)
      case "loss": examples[last].losses.append(String(rest))
      case "reject": examples[last].reasons.append(String(rest))
      default: break
      }
    }
  }
}
