import Foundation
import Jobs
import TestSupport
import Testing

/// Every document of the repository: its links, the files it names, the commands it shows.
@Suite struct DocumentTests {
  private static let root = MigrationGuide.folder

  private static let files: Set<String> = {
    var files = Set(names(in: ".").filter { $0.hasSuffix(".md") || $0 == "LICENSE" })
    for folder in [
      ".ci", "Benchmarks", "Sources", "Tests", "contrib", "docs", "mappings", "sample-data",
      "scripts",
    ] {
      let walk = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
      files.formUnion((walk?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" })
      files.insert(folder)
    }
    return files
  }()

  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)) ?? []
  }

  /// The ends of their paths that begin with a name.
  private static let ends = Set(
    files.flatMap { path in path.split(separator: "/").map { path[$0.startIndex...] } })

  private static let documents = files.filter { $0.hasSuffix(".md") }.sorted()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func prose(_ path: String) throws -> [Substring] {
    var isCode = false
    return try text(path).split(separator: "\n").filter { line in
      let isFence = line.hasPrefix("```")
      if isFence { isCode.toggle() }
      return !isFence && !isCode
    }
  }

  /// The anchors of a document's headings, as GitHub and most renderers make them.
  private static func anchors(_ path: String) throws -> Set<String> {
    var anchors: Set<String> = []
    for line in try prose(path) where line.hasPrefix("#") {
      let title = line.drop { $0 == "#" || $0 == " " }.lowercased()
      let anchor = String(
        title.compactMap { character -> Character? in
          if character == " " { return "-" }
          return character.isLetter || character.isNumber || "-_".contains(character)
            ? character : nil
        })
      var unique = anchor
      var count = 0
      while !anchors.insert(unique).inserted {
        count += 1
        unique = "\(anchor)-\(count)"
      }
    }
    return anchors
  }

  @Test(arguments: documents) func linksAndAnchorsResolve(_ document: String) throws {
    let folder = Self.root.appending(path: document).deletingLastPathComponent()
    let prose = try Self.prose(document).joined(separator: "\n")
    for link in prose.matches(of: /(?:\]\(|src=")([^)\s"]+)[)"]/).map(\.output.1)
    where !link.contains("://") {
      let parts = link.split(separator: "#", omittingEmptySubsequences: false)
      let target =
        parts[0].isEmpty
        ? document
        : folder.appending(path: String(parts[0])).standardizedFileURL.path
          .replacing("\(Self.root.path)/", with: "", maxReplacements: 1)
      let exists = Self.files.contains(target)
      #expect(exists, "\(document): \(link)")
      if parts.count > 1, exists {
        #expect(try Self.anchors(target).contains(String(parts[1])), "\(document): \(link)")
      }
    }
  }

  @Test func sparkReadsTheFieldsOfRejects() throws {
    let formats = try Self.text("docs/reference/file-formats.md")
    let start = try #require(formats.range(of: "## rejects.ndjson.zst")).upperBound
    let table = formats[start...].split(separator: "\n## ")[0]
    let script = try Self.text("contrib/spark/eventmill_output.py")
    let opening = try #require(script.range(of: "\"rejects\": ")).upperBound
    let schema = script[opening...].prefix { $0 != "}" }
    var count = 0
    for row in table.split(separator: "\n") where row.hasPrefix("| `") {
      let fields = row.split(separator: " | ")[0].matches(of: /`(\w+)`/)
      for field in fields { #expect(schema.contains("\(field.output.1) "), "\(field.output.1)") }
      count += fields.count
    }
    #expect(count > 6)
  }

  /// The guide names every metric of a run, and alerts and panels use no others. Those of night
  /// are tested with it.
  @Test func monitoringNamesEveryMetric() throws {
    let written = try Golden.text("metrics.txt").matches(of: /# TYPE (\w+) gauge/)
    let rows = try Self.text("docs/guides/monitoring.md").split(separator: "\n")
      .filter { $0.hasPrefix("| `eventmill_") }
    let listed = rows.flatMap { row in
      (row.split(separator: "|").first ?? "").matches(of: /`(eventmill_\w+)/).map(\.output.1)
    }
    let ofRuns = listed.filter { !$0.hasPrefix("eventmill_night_") }
    #expect(ofRuns.sorted() == written.map(\.output.1).sorted())
    for path in ["contrib/prometheus/eventmill.rules.yml", "contrib/grafana/eventmill.json"] {
      let used = try Self.text(path).matches(of: /eventmill_\w+/).map(\.output)
      #expect(used.count > 3 && Set(used).isSubset(of: listed), "\(path)")
    }
  }

  /// A name in backticks that begins with a folder of the repository, or that ends like a source
  /// file, is the path of a file or the end of one. The changelog also names removed files.
  @Test(arguments: documents.filter { $0 != "CHANGELOG.md" })
  func filesThatAreNamedExist(_ document: String) throws {
    let prose = try Self.prose(document).joined(separator: "\n")
    for name in prose.matches(of: /`([\w.@+\/-]+)`/).map(\.output.1) {
      let name = name.hasSuffix("/") ? name.dropLast() : name
      let isPath = name.contains("/") && Self.files.contains(String(name.prefix { $0 != "/" }))
      if isPath || name.contains(/\.(?:swift|sh|py|md)$/) {
        let exists = Self.ends.contains(name)
        #expect(exists, "\(document): \(name)")
      }
    }
  }

  /// Every `eventmill COMMAND --option` in a block of code, or in backticks, is one of the program.
  @Test(arguments: documents) func commandsAndOptionsExist(_ document: String) throws {
    // Continued lines are one; what follows a pipe or a separator is another command.
    let text = try Self.text(document).replacing("\\\n", with: " ")
    for match in text.matches(of: /(?:^|[\s`(])eventmill ((?:[a-z]+ ?){1,2})([^|;&`\n]*)/) {
      let words = match.output.1.split(separator: " ")
      guard
        let command = [words.joined(separator: " "), String(words[0])].lazy
          .compactMap({ Command(rawValue: $0) }).first
      else { continue }
      for flag in match.output.2.matches(of: /(?:^|\s)--([a-z][a-z0-9-]*)/).map(\.output.1) {
        let option = Option(rawValue: String(flag))
        #expect(
          option?.facts.commands.contains(command) == true,
          "\(document): eventmill \(command.rawValue) --\(flag)")
      }
    }
  }
}
