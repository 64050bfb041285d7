import Foundation
import Pipeline
import TestSupport
import Testing

extension InputDiscovery {
  /// The inputs alone.
  fileprivate static func inputs(
    _ arguments: [String], output: String? = nil, allowEmpty: Bool = false,
    listing: @escaping Listing = { _, _ throws(Failure) in nil }, system: System = .real
  ) throws(Failure) -> [InputFile] {
    try survey(
      arguments, output: output, allowEmpty: allowEmpty, listing: listing, system: system
    ).inputs
  }
}

@Suite struct InputDiscoveryTests {
  private let fixture: ScratchDirectory

  init() throws { fixture = try ScratchDirectory() }

  static func failure(_ arguments: [String], output: String? = nil) -> Failure? {
    #expect(throws: Failure.self) { try InputDiscovery.inputs(arguments, output: output) }
  }

  @Test func directoryMeansItsLogsSortedByBytes() throws {
    for name in [
      "logs/b.ndjson", "logs/a.jsonl.zst", "logs/Z.json.gz", "logs/é.json", "logs/a-b/x.ndjson.xz",
      "logs/a/x.json.bz2", "logs/a/deep/er/y.jsonl",
      "logs/.hidden.json", "logs/.git/z.json", "logs/x.json.bak",
    ] {
      try fixture.write(name)
    }
    for name in ["logs/notes.txt", "logs/x.zst", "logs/json"] {
      try fixture.write(name, Array("no log\n".utf8))
    }
    let expected = [
      "Z.json.gz", "a-b/x.ndjson.xz", "a.jsonl.zst", "a/deep/er/y.jsonl", "a/x.json.bz2",
      "b.ndjson", "é.json",
    ].map { fixture("logs/" + $0) }
    let inputs = try InputDiscovery.inputs([fixture("logs")])
    #expect(inputs.map(\.path) == expected)
    #expect(inputs.allSatisfy { $0.size == 3 })
    #expect(try InputDiscovery.inputs([fixture("logs/")]).map(\.path) == expected)
    // Named files may be called anything, and the whole list is sorted.
    let named = [fixture("logs/x.zst"), fixture("logs/a"), fixture("logs/.hidden.json")]
    #expect(
      try InputDiscovery.inputs(named).map(\.path) == [
        fixture("logs/.hidden.json"), fixture("logs/a/deep/er/y.jsonl"),
        fixture("logs/a/x.json.bz2"), fixture("logs/x.zst"),
      ])
  }

  @Test func whatIsFoundKnowsItsRoot() throws {
    try fixture.write("logs/a/b.ndjson")
    let file = try fixture.write("c.ndjson")
    for root in [fixture("logs"), fixture("logs/"), fixture("logs//")] {
      let found = try InputDiscovery.inputs([root, file])
      let paths = found.map(\.pathInRoot)
      #expect(paths == (found[0].path == file ? [nil, "a/b.ndjson"] : ["a/b.ndjson", nil]))
    }
  }

  /// A directory may say itself which of its files are logs, also where it is found in another one.
  @Test func aListingStandsForItsDirectory() throws {
    for name in ["logs/x.ndjson", "logs/out/a/1.data", "logs/out/report.json"] {
      try fixture.write(name)
    }
    func find(_ argument: String) throws -> [String] {
      try InputDiscovery.inputs(
        [argument],
        listing: { path, names throws(Failure) in
          guard path.hasSuffix("out") else { return nil }
          return Set(names) == ["a", "report.json"] ? .logs(["a/1.data"]) : .nothing("an output")
        }
      ).map(\.path)
    }
    let log = fixture("logs/out/a/1.data")
    #expect(try find(fixture("logs/out")) == [log])
    #expect(try find(fixture("logs")) == [log, fixture("logs/x.ndjson")])
    try fixture.write("logs/out/more.ndjson")
    #expect(try find(fixture("logs")) == [fixture("logs/x.ndjson")])
  }

  /// Whatever a program that rotates logs calls them: a first line that is a JSON object makes one.
  @Test(.enabled(if: Program.has("gzip", "bzip2", "xz")))
  func otherNamesWithTheContentOfALogAreLogs() throws {
    let line = Array("{}\n".utf8)
    let logs: [(String, [UInt8])] = try [
      ("a.ndjson.2026-11-01", line), ("app-20261101.gz", fixture.compress(line, with: "gzip")),
      ("app.log", Array(" \r\n{\"a\":[]}".utf8)), ("app.log.1", [0xEF, 0xBB, 0xBF] + line),
      ("array", Array("[\n {\n }, 1]\n".utf8)),
      ("b.ndjson.gzip", fixture.compress(line, with: "gzip")), ("b.ndjson.zstd", zstdFrame(line)),
      ("bz", fixture.compress(line, with: "bzip2")), ("cut.gz.1", [0x1F, 0x8B, 8, 0]),
      // Zero bytes that a crash has left in the first line.
      ("gap", Array("{\"a\":1,\0\0\0{}\n".utf8)),
      ("long", Array("{\"a\":\"\(String(repeating: "x", count: 100_000))\"}".utf8)),
      ("pretty", Array("{\n}\n".utf8)),
      ("xz.old", fixture.compress(line, with: "xz")), ("z", zstdFrame(line + [0xFF])),
    ]
    for (name, bytes) in logs { try fixture.write("logs/\(name)", bytes) }
    let others: [(String, [UInt8], String)] = try [
      ("README", Array("# Logs\n".utf8), "# Logs\n"), ("_SUCCESS", [], "named like metadata (_)"),
      ("a.NDJSON.TMP", line, "named like an unfinished file or a copy (.tmp)"),
      ("array of numbers", Array("[1]\n".utf8), "[1]\n"),
      ("blank.log", Array("\n \n".utf8), "empty"),
      ("s.gz", fixture.compress([], with: "gzip"), "empty"),
      ("tar.gz", fixture.compress(Array("tar\0".utf8), with: "gzip"), "tar\0"),
      ("text.zst", zstdFrame(Array("text {}\n".utf8)), "text {}\n"), ("zero", [], "empty"),
    ]
    for (name, bytes, _) in others { try fixture.write("logs/\(name)", bytes) }
    let survey = try InputDiscovery.survey(
      [fixture("logs")], naming: { String(decoding: $0.array, as: UTF8.self) })
    #expect(survey.inputs.map(\.path) == logs.map { fixture("logs/\($0.0)") })
    #expect(survey.ignoredFiles.files.map(\.path) == others.map { fixture("logs/\($0.0)") })
    #expect(survey.ignoredFiles.files.map(\.what) == others.map(\.2))
  }

  /// One that may be readable later could be a log; one that may not is named.
  @Test(arguments: [(EIO, nil), (EACCES, "not readable (Permission denied)")])
  func whatCannotBeExaminedIsNotIgnoredSilently(_ code: Int32, what: String?) throws {
    try fixture.write("logs/a.ndjson")
    try fixture.write("logs/notes")
    let fault = CountedFault(.error(code), at: 1, of: [.open])
    let survey = try? InputDiscovery.survey([fixture("logs")], system: fault.system)
    #expect(survey?.ignoredFiles.files.map(\.what) == what.map { [$0] })
  }

  @Test(arguments: [
    ("a.ndjson", "a"), ("a.log.gz", "a.log"), ("a.jsonl.zst", "a"), ("a.json.ndjson.zst", "a.json"),
    ("a", "a"), ("a.json.zstd", "a"), (".json", ".json"), (".ndjson.zst", ".ndjson.zst"),
    ("a.zst.zst", "a.zst"),
  ])
  func aStemIsWhatTellsLogsApart(name: String, stem: String) {
    #expect(InputDiscovery.stem(of: name) == stem)
  }

  @Test func linksAreFollowedButNotInCircles() throws {
    try fixture.write("elsewhere/a.json")
    try fixture.write("logs/in/b.json")
    for (link, target) in [
      ("logs/out", fixture("elsewhere")), ("logs/in/up", fixture("logs")),
      ("logs/in/self", fixture("logs/in")), ("logs/gone", fixture("nowhere")),
    ] {
      try fixture.link(link, to: target)
    }
    #expect(
      try InputDiscovery.inputs([fixture("logs")]).map(\.path)
        == [fixture("logs/in/b.json"), fixture("logs/out/a.json")])
    try fixture.link("logs/gone.json", to: fixture("nowhere"))
    let failure = try #require(Self.failure([fixture("logs")]))
    #expect(failure.path == fixture("logs/gone.json"))
    #expect(failure.why == "it is a dangling symbolic link")
    let named = try #require(Self.failure([fixture("logs/gone.json")]))
    #expect(named.why == "it is a dangling symbolic link", "also one that is named")
  }

  /// A year on an unmounted disk, or a log with an unusual name, must not be skipped silently.
  @Test func ignoredFilesAreReported() throws {
    for name in ["a.json", "deep/b.ndjson.zst", ".c.json"] { try fixture.write("logs/" + name) }
    for name in ["deep/app.log.gz", "notes.txt"] {
      try fixture.write("logs/" + name, Array("no log\n".utf8))
    }
    try fixture.link("logs/2019", to: fixture("nowhere"))
    let survey = try InputDiscovery.survey([fixture("logs")])
    #expect(
      survey.inputs.map(\.path) == ["a.json", "deep/b.ndjson.zst"].map { fixture("logs/" + $0) })
    #expect(
      survey.ignoredFiles.files.map(\.path)
        == [".c.json", "deep/app.log.gz", "notes.txt", "2019"].map { fixture("logs/" + $0) })
    for number in 0..<30 { try fixture.write("logs/x/\(number).log", []) }
    let more = try InputDiscovery.survey([fixture("logs")]).ignoredFiles
    #expect(more.count == 34 && more.files.count == IgnoredFiles.mostNamed)
  }

  @Test func suffixesMayBeInUpperCase() throws {
    let names = ["A.NDJSON", "b.Json.GZ", "c.jsonL.Zst"]
    for name in names { try fixture.write("logs/" + name) }
    for name in ["d.LOG", "e.json.lz4"] { try fixture.write("logs/" + name, []) }
    let survey = try InputDiscovery.survey([fixture("logs")])
    #expect(survey.inputs.map(\.path) == names.map { fixture("logs/" + $0) })
    #expect(survey.ignoredFiles.count == 2)
    #expect(names.map { InputDiscovery.stem(of: $0) } == ["A", "b", "c"])
    #expect(Compression.promised(by: "x.BZ2") == .bzip2)
    #expect(Compression.promised(by: "x.Zstd") == .zstd)
    #expect(Compression.promised(by: "x.B\u{17D}2") == nil)
  }

  @Test func aDirectoryThatCannotBeReadIsAnError() throws {
    try fixture.write("logs/a.ndjson")
    try fixture.write("logs/closed/b.json")
    let fault = CountedFault(.error(EACCES), at: 1, of: [.open])
    let failure = #expect(throws: Failure.self) {
      try InputDiscovery.inputs([fixture("logs")], system: fault.system)
    }
    #expect(failure?.kind == .io && failure?.path == fixture("logs/closed"))
  }

  /// Every level costs the same few calls, even when the output must be outside the inputs.
  @Test func depthIsLinear() throws {
    func calls(levels: Int) throws -> [System.Call: Int] {
      let root = "tree\(levels)"
      let below = String(repeating: "d/", count: levels)
      try fixture.write("\(root)/\(below)a.json")
      let counts = Locked<[System.Call: Int]>([:])
      let system = System { call in
        counts.withLock { $0[call, default: 0] += 1 }
        return nil
      }
      let found = try InputDiscovery.inputs([fixture(root)], output: fixture("out"), system: system)
      #expect(found.map(\.path) == [fixture("\(root)/\(below)a.json")])
      #expect(!found[0].isLinked)
      return counts.withLock { $0 }
    }
    let (one, many) = (try calls(levels: 1), try calls(levels: 301))
    #expect(many[.resolve] == one[.resolve])
    for call in [System.Call.open, .status, .list] {
      let (few, all) = (try #require(one[call]), try #require(many[call]))
      #expect(all - few <= 300 * 4, "\(call)")
    }
  }

  /// Thirty levels with two links each are a billion ways.
  @Test func directoriesWithoutLogsAreWalkedOnce() throws {
    for level in 0..<30 {
      try fixture.write("dirs/\(level)/notes.txt", [])
      for link in ["x", "y"] {
        try fixture.link("dirs/\(level)/\(link)", to: "../\(level + 1)")
      }
    }
    try fixture.write("dirs/30/notes.txt", [])
    try fixture.write("dirs/0/a.json")
    let survey = try InputDiscovery.survey([fixture("dirs/0")])
    #expect(survey.inputs.count == 1 && survey.ignoredFiles.count == 31)
    try fixture.write("dirs/30/b.json")
    let again = try InputDiscovery.survey([fixture("dirs/0")])
    #expect(again.inputs.count == 2 && again.ignoredFiles.count == 32)
  }

  @Test func sameFileTwiceNamesBothPaths() throws {
    let first = try fixture.write("logs/a.json")
    let second = fixture("other.json")
    try FileManager.default.linkItem(atPath: first, toPath: second)
    let failure = Self.failure([fixture("logs"), second])
    #expect(failure?.kind == .usage && failure?.path == second)
    #expect(failure?.why == "it is the same file as \(first)")
    #expect(Self.failure([first, first])?.why == "the same file is named twice")
    #expect(Self.failure([first, fixture("logs/../logs/a.json")])?.kind == .usage)
    #expect(Self.failure([fixture("logs"), fixture("logs")])?.kind == .usage)
  }

  /// In a directory, other names are not a mistake in the command line.
  @Test func linksToLogsInADirectoryAreIgnoredByName() throws {
    try fixture.write("logs/day/b.ndjson")
    let manager = FileManager.default
    for (link, target) in [
      ("day/a.ndjson", "b.ndjson"), ("current", "day"), ("all.ndjson", "day/b.ndjson"),
    ] {
      try fixture.link("logs/\(link)", to: target)
    }
    try manager.linkItem(atPath: fixture("logs/day/b.ndjson"), toPath: fixture("logs/day/c.ndjson"))
    let survey = try InputDiscovery.survey([fixture("logs")])
    let first = fixture("logs/day/b.ndjson")
    #expect(survey.inputs.map(\.path) == [first])
    #expect(
      survey.ignoredFiles.files.map { "\($0.path): \($0.what)" } == [
        "\(fixture("logs/day/c.ndjson")): the same file as \(first)",
        "\(fixture("logs/all.ndjson")): the same file as \(first)",
        "\(fixture("logs/current")): the same directory as \(fixture("logs/day"))",
        "\(fixture("logs/day/a.ndjson")): the same file as \(first)",
      ])
    // Arguments are.
    for more in ["day/a.ndjson", "day/b.ndjson", "current", "day", "."] {
      let other = fixture("logs/\(more)")
      #expect(Self.failure([fixture("logs"), other])?.kind == .usage, "\(more)")
      if more != "." { #expect(Self.failure([other, fixture("logs")]) != nil, "\(more)") }
    }
  }

  /// Neither the order of the arguments nor other names of logs matter.
  @Test func aDirectoryOfOtherNamesIsNotEmpty() throws {
    let log = try fixture.write("b/in/c.ndjson")
    let manager = FileManager.default
    for (link, target) in [("a/link.ndjson", "../b/in/c.ndjson"), ("dirs/b", "../b/in")] {
      try fixture.write("\(link).txt", [])
      try fixture.link(link, to: target)
    }
    try fixture.write("hard/notes.txt", [])
    try manager.linkItem(atPath: log, toPath: fixture("hard/c.ndjson"))
    for other in ["a", "dirs", "hard"] {
      let both = [fixture("b"), fixture(other)]
      #expect(try InputDiscovery.inputs(both).map(\.path) == [log], "\(other)")
      #expect(
        try InputDiscovery.survey(both.reversed()).ignoredFiles
          == InputDiscovery.survey(both).ignoredFiles, "\(other)")
      #expect(try InputDiscovery.inputs(both.reversed()).map(\.path) == [log], "\(other)")
    }
    #expect(
      try InputDiscovery.survey([log, fixture("a")], mayRepeat: true).inputs.map(\.path) == [log]
    )
    try manager.removeItem(atPath: fixture("hard/c.ndjson"))
    #expect(Self.failure([fixture("b"), fixture("hard")])?.path == fixture("hard"))
  }

  /// Short files of one line with other names are logs only if it is a record, and so are
  /// documents. Several lines that cannot be read are a log that cannot be read.
  @Test func strayJSONIsIgnored() throws {
    let files = [
      ("config", "{\"a\":1}", false), ("events", "{\"a\":1}\n{\"b\":2}\n", true),
      ("zeros", "{\"a\":\"\0\0\"}", true), ("app.log.1", "{\"a\":1}\n{\"r\":2}\n", true),
      ("package.json", "{\n \"a\": 1\n}\n", false), ("pretty.json", "{\r\n \"r\": 1\r\n}", true),
      ("torn.json", "{\n \"a\": 1\n", true), ("two.json", "{\n}\n{\n}\n", true),
      ("line.json", "{\"a\":1}\n", true), ("line.ndjson", "{\n \"a\": 1\n}\n", true),
      ("long", "{\"a\":1}\n" + String(repeating: "{\"a\":\"x\"}\n", count: 200_000), true),
      ("empty.json", "", true), ("brace.json", "{", true), ("crlf", "{\"a\":1}\r\n", false),
    ]
    for (name, text, _) in files { try fixture.write("logs/\(name)", Array(text.utf8)) }
    let survey = try InputDiscovery.survey(
      [fixture("logs")],
      strays: { text, isDocument in
        text.contains(ByteView("\"r\"")) ? nil : isDocument ? "a document" : "stray lines"
      })
    #expect(survey.inputs.map(\.path) == files.filter(\.2).map { fixture("logs/\($0.0)") }.sorted())
    #expect(survey.ignoredFiles.files.map(\.what) == ["stray lines", "stray lines", "a document"])
  }

  @Test func whatIsNotThereIsNamed() throws {
    let missing = Self.failure([fixture("none.json")])
    #expect(missing?.kind == .io && missing?.path == fixture("none.json"))
    #expect(missing?.advice == "check the spelling of the path")
    let other = try fixture.write("empty/readme.txt", [])
    #expect(
      Self.failure([fixture("empty")])?.why
        == "the directory contains no logs, but \(other): empty")
    #expect(Self.failure(["/dev/null"])?.why == "it is a device, not a file")
    #expect(Self.failure([])?.kind == .usage)
  }

  @Test func withoutInputsOnlyOnRequest() throws {
    try fixture.write("empty/readme.txt", [])
    for arguments in [[], [fixture("empty")]] {
      #expect(try InputDiscovery.inputs(arguments, allowEmpty: true).isEmpty)
    }
    // A missing path, and one that is not a log, is still an error.
    for path in [fixture("none"), "/dev/null"] {
      #expect(throws: Failure.self) { try InputDiscovery.inputs([path], allowEmpty: true) }
    }
  }

  @Test func standardInputIsNamedOnce() throws {
    let path = try fixture.write("a.json")
    #expect(try InputDiscovery.inputs([path, "-"]).map(\.path) == ["-", path])
    #expect(Self.failure(["-", path, "-"])?.why == "- is named twice")
  }

  @Test func pipesHaveNoSize() throws {
    let path = fixture.makePipe("pipe")
    #expect(try InputDiscovery.inputs([path]) == [InputFile(path: path, size: nil)])
  }

  @Test func inputAndOutputLieApart() throws {
    let file = try fixture.write("logs/day/a.json")
    let logs = fixture("logs")
    let out = fixture("out")
    #expect(try InputDiscovery.inputs([logs], output: out).count == 1)
    #expect(try InputDiscovery.inputs([logs], output: logs + "-out").count == 1)
    // The output beside a file that is named is fine: only directories are read again.
    #expect(try InputDiscovery.inputs([file], output: fixture("logs/out")).count == 1)
    for inside in ["logs", "logs/", "logs/out", "logs/day", "logs/day/new/er", "out/../logs/x"] {
      try? FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
      let failure = Self.failure([logs], output: fixture(inside))
      #expect(failure?.kind == .usage, "output in \(inside)")
    }
    #expect(
      Self.failure([file], output: fixture("logs"))?.why
        == "it is inside the output \(fixture("logs"))")
    // A link does not hide where the output is.
    try FileManager.default.createSymbolicLink(atPath: out + "/link", withDestinationPath: logs)
    #expect(Self.failure([logs], output: out + "/link/deep")?.kind == .usage)
  }
}
