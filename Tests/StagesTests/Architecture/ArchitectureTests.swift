import Foundation
import TestSupport
import Testing

/// The rules of the house (docs/design/architecture.md): which folder may know which. The arrows
/// between targets are kept by the compiler.
@Suite struct ArchitectureTests {
  /// What each folder of `Stages` may use of others: no stage knows another.
  private static let allowed: [String: Set<String>] = [
    "Record": [], "Reader": ["Record"], "Validator": ["Record"], "Migration": ["Record"],
    "ProfileMerge": ["Record"], "Aggregation": ["Record"],
  ]

  /// The matches in `text`, which has one of `words` if it has any: those are found sooner.
  private static func matches<Output>(
    of regex: Regex<Output>, in text: String, with words: String...
  ) -> [Regex<Output>.Match] {
    words.contains { text.contains($0) } ? text.matches(of: regex) : []
  }

  @Test func foldersOfStagesKnowWhatTheyMay() throws {
    let sources = try SourceFiles.below("Sources/Stages")
    let folders = Set(sources.keys.compactMap { $0.split(separator: "/").first.map(String.init) })
    #expect(folders == Set(Self.allowed.keys))
    #expect(SourceArrows(sources).broken(Self.allowed) == [])
  }

  /// An arrow of each folder to each other that its row does not allow is found.
  @Test func everyForbiddenArrowIsFound() {
    let folders = Self.allowed.keys.sorted()
    for from in folders {
      for to in folders where to != from {
        let arrows = SourceArrows([
          "\(from)/A.swift": "struct A { var b: B }", "\(to)/B.swift": "package struct B {}",
        ])
        let isAllowed = Self.allowed[from]?.contains(to) ?? false
        #expect(arrows.broken(Self.allowed).isEmpty == isAllowed, "\(from) to \(to)")
      }
    }
    let quiet = SourceArrows([
      "Record/A.swift": "// B\nlet text = \"B\"", "Reader/B.swift": "struct B {}",
    ])
    #expect(quiet.uses.isEmpty)
  }

  /// Dispatch waits indefinitely if it gets no thread, so work is only submitted where that is
  /// noticed. The one other thread is that of the watcher.
  @Test func workIsSubmittedWhereItIsWatched() throws {
    for (path, text) in try SourceFiles.below("Sources") {
      #expect(path.hasPrefix("Pipeline/Flow/") || !text.contains("DispatchQueue"), "\(path)")
      #expect(path == "Pipeline/Flow/ThreadSupply.swift" || !text.contains(".async"), "\(path)")
      #expect(path == "eventmill/Shell/Main.swift" || !text.contains(".startThread"), "\(path)")
      for other in ["concurrentPerform", "DispatchSource", "dispatchMain", "Thread.", "Task {"] {
        #expect(!text.contains(other), "\(path): \(other)")
      }
    }
  }

  /// What several suites use is in `Support` or `TestSupport`, where it is looked for.
  @Test func noSuiteUsesAnother() throws {
    for (path, text) in try SourceFiles.below("Tests") {
      let own = Set(text.matches(of: #/struct (\w+Tests)\b/#).map { String($0.output.1) })
      for use in Self.matches(of: #/\b(\w+Tests)\.\w/#, in: text, with: "Tests.")
      where !path.hasSuffix("ArchitectureTests.swift") {
        #expect(own.contains(String(use.output.1)), "\(path) uses \(use.output.1)")
      }
    }
  }

  /// `.ci/run` finds by their names the suites that the thread sanitizer is for.
  @Test func suitesOfSeveralThreadsSaySo() throws {
    for (path, text) in try SourceFiles.below("Tests/PipelineTests/Flow") {
      #expect(
        text.matches(of: #/struct (\w+Tests)\b/#).allSatisfy {
          $0.output.1.hasSuffix("ConcurrencyTests")
        }, "\(path)")
    }
  }

  /// Nothing keeps the buffer that a call returns while its view is used.
  @Test func viewsAreOfBuffersWithNames() throws {
    for (path, text) in try ["Sources", "Tests"].flatMap(SourceFiles.below) {
      let views = Self.matches(of: #/[)}]\.view\b/#, in: text, with: ".view")
      #expect(views.isEmpty, "\(path)")
    }
  }

  /// Longest line of a comment, in characters, as `.swift-format` has it for code.
  private static let longestComment = 100

  @Test func commentsFitTheColumns() throws {
    for (path, text) in try ["Sources", "Tests"].flatMap(SourceFiles.below) {
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      where line.utf8.count > Self.longestComment && line.count > Self.longestComment {
        #expect(!line.drop { $0 == " " }.hasPrefix("//"), "\(path):\(index + 1)")
      }
    }
  }

  /// Lines of the longest function that is not a table, its ends among them: a screen.
  private static let longestFunction = 60

  @Test func functionsFitOnAScreen() throws {
    let beginning = #/ *(?:[a-z()]+ )*(?:func |init[?(<]).*/#
    func indentation(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }
    for (path, text) in try SourceFiles.below("Sources") {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      for (start, line) in lines.enumerated() where line.wholeMatch(of: beginning) != nil {
        // The formatter aligns the end with the beginning. Only a closing parenthesis may be
        // aligned too.
        let end = lines[(start + 1)...].firstIndex {
          !$0.isEmpty && indentation($0) <= indentation(line)
            && !$0.dropFirst(indentation(line)).hasPrefix(")")
        }
        #expect((end ?? start) - start < Self.longestFunction, "\(path):\(start + 1)")
      }
    }
  }

  /// A number of things agrees with their name (`NumberFormat.count`), but for limits above one.
  @Test func countedNounsAgree() throws {
    let counted =
      #/(\w+ )?… (?:bytes|lines|events|files|inputs|profiles|partitions|parts|entries|requests|rejects|names|fields|records|nights|days|weeks|installations|people|duplicates|operations|links|values|levels|problems|rows|logs|others)\b/#
    for (path, choices) in try SourceFiles.literals() {
      for choice in choices {
        for match in choice.texts.joined(separator: "\n").matches(of: counted)
        where !["than ", "most ", "its "].contains(match.1 ?? "") {
          Issue.record("\(path):\(choice.line): \(match.0)")
        }
      }
    }
  }

  /// Files with unsafe code, types that promise by hand that threads may share them, and files that
  /// import foreign code.
  @Test func whatTheCompilerDoesNotCheckIsRare() throws {
    func found<Output>(
      _ word: String, _ pattern: Regex<Output>, _ name: (String, Substring) -> String
    ) throws -> Set<String> {
      try SourceFiles.below("Sources").reduce(into: []) { names, file in
        guard file.value.contains(word) else { return }
        for line in file.value.split(separator: "\n")
        where line.contains(word) && line.contains(pattern) {
          if !line.drop(while: { $0 == " " }).hasPrefix("//") { names.insert(name(file.key, line)) }
        }
      }
    }
    #expect(
      try found("unsafe ", #/\bunsafe [a-z]/#) { path, _ in path } == [
        "Pipeline/Bytes/ByteView.swift", "Pipeline/Bytes/PlainList.swift",
        "Pipeline/Files/System+Calls.swift", "Pipeline/JSON/Scanner+Strings.swift",
        "Pipeline/JSON/Scanner.swift", "Pipeline/JSON/TokenCursor.swift",
        "Pipeline/Zstd/Zstd.swift",
      ])
    #expect(
      try found("@unchecked", #/@unchecked Sendable/#) { _, line in
        line.firstMatch(of: #/(?:class|struct) (\w+)/#).map { String($0.1) } ?? ""
      } == [
        "AbandonedWork", "ByteView", "ClaimableJob", "Console", "Exclusive", "Frozen", "HandedOver",
        "Locked", "PlainList",
      ])
    let folders: Set = [
      "Pipeline/Bytes CSIMD", "Pipeline/Files CSystem", "Pipeline/Files Glibc",
      "Pipeline/Files Musl", "Pipeline/Zstd CZstd", "eventmill/Shell Glibc", "eventmill/Shell Musl",
    ]
    let imports = #/^ *(?:\w+ )?import (?!Pipeline|Stages|Jobs|Dispatch|Synchronization)(\w+)/#
    #expect(
      try found("import ", imports) { path, line in
        let isCalls = path.contains("/System") || path.hasSuffix("/Terminal.swift")
        let library = line.split(separator: " ").last ?? ""
        let isLibc = ["Glibc", "Musl"].contains(library)
        return
          "\(isLibc && !isCalls ? path : path.split(separator: "/").dropLast().joined(separator: "/")) \(library)"
      } == folders)
  }

  /// `data-model N` and `dialects N` name an existing section, and no comment cites what a reader
  /// of the project does not have.
  @Test func citationsLeadSomewhere() throws {
    var sections: [String: Set<String>] = [:]
    for page in ["data-model", "dialects"] {
      let text = try String(
        contentsOf: SourceFiles.root.appending(path: "docs/reference/\(page).md"), encoding: .utf8)
      let numbers = text.matches(of: #/(?m)^#{2,4} (\d+(?:\.\d+)?)\.? /#).map {
        String($0.output.1)
      }
      sections[page] = Set(numbers)
    }
    #expect(sections["data-model"]?.contains("13.6") == true)
    for (path, text) in try ["Sources", "Tests"].flatMap(SourceFiles.below) {
      let citations = Self.matches(
        of: #/\b(data-model|dialects) (\d+(?:\.\d+)?)\b/#, in: text, with: "data-model ",
        "dialects ")
      for citation in citations {
        let (page, number) = (String(citation.output.1), String(citation.output.2))
        #expect(sections[page]?.contains(number) == true, "\(path): \(citation.output.0)")
      }
      for citation in Self.matches(of: #/docs\/([\w\/-]+\.md)/#, in: text, with: "docs/") {
        let page = SourceFiles.root.appending(path: "docs/\(citation.output.1)").path
        #expect(FileManager.default.fileExists(atPath: page), "\(path): \(citation.output.0)")
      }
      let foreign = Self.matches(
        of: #/\b(?:SPEC|DIALECTS|DESIGN) [\d]/#, in: text, with: "SPEC ", "DIALECTS ", "DESIGN ")
      #expect(foreign.isEmpty, "\(path) cites a document that is not here")
    }
  }
}
