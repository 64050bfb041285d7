import Foundation
import TestSupport
import Testing

import Stages

/// docs/reference/mappings.md describes the built-in mappings correctly.
@Suite struct MappingPageTests {
  /// The page's section on one mapping, or on two similar ones.
  struct Section: CustomTestStringConvertible {
    let names: [String]
    /// The paths in the table, not all that are read; of them those that a line is detected by.
    var paths: Set<String> = []
    var marked: Set<String> = []
    /// A line, and its canonical form; empty if the section has no example.
    var example: [String] = []

    var testDescription: String { names.joined(separator: ", ") }

    init(_ text: Substring) {
      let lines = text.split(separator: "\n")
      names = lines[0].split(separator: ", ").map(String.init)
      for line in lines where line.hasPrefix("| `") {
        let cell = line.dropFirst(2).split(separator: " | ")[0]
        let pieces = cell.split(separator: "`", omittingEmptySubsequences: false)
        for index in stride(from: 1, to: pieces.count, by: 2) {
          let path = pieces[index] == "\"\"" ? "" : String(pieces[index])
          paths.insert(path)
          if pieces[index + 1].hasPrefix(" •") { marked.insert(path) }
        }
      }
      if let code = lines.firstIndex(of: "```json") {
        example = lines[(code + 1)...].prefix { $0 != "```" }.map(String.init)
      }
    }

    private static func texts() throws -> [Substring] {
      let page = MigrationGuide.folder.appending(path: "docs/reference/mappings.md")
      return try String(contentsOf: page, encoding: .utf8).split(separator: "\n## ")
    }

    static func all() throws -> [Section] {
      try texts().dropFirst().dropLast().map { Section($0) }
    }

    /// The mappings in the table of the last section, which have a row each.
    static func others() throws -> [String] {
      try (texts().last ?? "").matches(of: /\n\| `([\w-]+)` \|/).map { String($0.output.1) }
    }
  }

  @Test func everyMappingHasASectionOrARow() throws {
    let names = try Section.all().flatMap(\.names) + Section.others()
    #expect(names.sorted() == BuiltInMapping.allCases.map(\.rawValue))
  }

  @Test func tablesNameWhatTheMappingsRead() throws {
    for section in try Section.all() {
      var (read, matched): (Set<String>, Set<String>) = ([], [])
      for name in section.names {
        let mapping = try #require(BuiltInMapping(rawValue: name))
        let json = try NaiveJSON(parsing: String(decoding: mapping.text, as: UTF8.self))
        read.formUnion(Self.paths(of: json))
        matched.formUnion(Self.paths(of: json["match"] ?? .null))
      }
      #expect(section.paths.subtracting(read).isEmpty, "\(section.names)")
      #expect(section.marked == matched, "\(section.names)")
    }
  }

  /// All paths in a part of a mapping but those that it drops.
  private static func paths(of json: NaiveJSON) -> [String] {
    if let text = json.text { return text.isEmpty || text.hasPrefix("/") ? [text] : [] }
    guard case .object(let fields) = json else { return json.items.flatMap { paths(of: $0) } }
    return fields.filter { $0.name != "drop" }.flatMap { paths(of: $0.value) }
  }

  @Test func examplesAreTrue() throws {
    let sections = try Section.all().filter { !$0.example.isEmpty }
    #expect(!sections.isEmpty)
    for section in sections {
      try #require(section.example.count == 2, "\(section.names)")
      let result = try RunProcess.eventmill(
        ["explain", "--mapping", section.names[0]], input: Array(section.example[0].utf8))
      let json = try NaiveJSON(parsing: result.text)
      #expect(json["outcome"]?.text == "accepted", "\(result.text)")
      #expect(json["losses"]?.items.isEmpty == true, "\(result.text)")
      #expect(
        result.text.contains(#","canonical":\#(section.example[1]),"events":"#), "\(result.text)")
    }
  }
}
