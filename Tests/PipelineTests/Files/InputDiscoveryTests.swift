import Foundation
import Pipeline
import TestSupport
import Testing

@Suite struct InputDiscoveryTests {
  private let fixture = ScratchDirectory.fresh

  /// What is found; paths in the fixture are relative to it, ignored files are `PATH: WHAT`.
  private struct Found {
    var inputs: [String]
    var ignored: [String]
    var count: Int
  }

  private func survey(
    _ names: [String], output: String? = nil, allowEmpty: Bool = false, mayRepeat: Bool = false,
    listing: @escaping InputDiscovery.Listing = { _, _ throws(Failure) in nil },
    naming: @escaping InputDiscovery.Naming = { _ in "not a log" },
    strays: @escaping InputDiscovery.Strays = { _, _ in nil }, system: System = .real
  ) throws(Failure) -> Found {
    let survey = try InputDiscovery.survey(
      names.map { $0 == "-" || $0.hasPrefix("/") ? $0 : fixture($0) },
      output: output.map { fixture($0) }, allowEmpty: allowEmpty, mayRepeat: mayRepeat,
      listing: listing, naming: naming, strays: strays, system: system)
    let relative = { (text: String) in text.replacing("\(fixture.path)/", with: "") }
    return Found(
      inputs: survey.inputs.map { relative($0.path) },
      ignored: survey.ignoredFiles.files.map { relative("\($0.path): \($0.what)") },
      count: survey.ignoredFiles.count)
  }

  private func failure(_ names: [String], output: String? = nil) -> Failure? {
    Failure.of(try survey(names, output: output).inputs)
  }

  @Test func directoryMeansItsLogsSortedByBytes() throws {
    let logs = [
      "A.NDJSON", "Z.json.gz", "a-b/x.ndjson.xz", "a.jsonl.zst", "a/deep/er/y.jsonl",
      "a/x.json.bz2", "b.ndjson", "c.jsonL.Zst", "é.json",
    ].map { "logs/\($0)" }
    for name in logs + ["logs/.hidden.json", "logs/.git/z.json", "logs/x.json.bak"] {
      try fixture.write(name)
    }
    for name in ["logs/d.LOG", "logs/x.zst", "logs/e.json.lz4", "logs/json"] {
      try fixture.write("no log\n", to: name)
    }
    #expect(try survey(["logs"]).inputs == logs && survey(["logs/"]).inputs == logs)
    #expect(try InputDiscovery.survey([fixture("logs")]).inputs.allSatisfy { $0.size == 3 })
    #expect(
      try survey(["logs/x.zst", "logs/a", "logs/.hidden.json"]).inputs
        == ["logs/.hidden.json", "logs/a/deep/er/y.jsonl", "logs/a/x.json.bz2", "logs/x.zst"])
  }

  @Test func whatIsFoundKnowsItsRoot() throws {
    try fixture.write("logs/a/b.ndjson")
    let file = try fixture.write("c.ndjson")
    for root in [fixture("logs"), fixture("logs/"), fixture("logs//")] {
      let found = try InputDiscovery.survey([root, file]).inputs
      let paths = found.map(\.pathInRoot)
      #expect(paths == (found[0].path == file ? [nil, "a/b.ndjson"] : ["a/b.ndjson", nil]))
    }
  }

  /// A directory may say itself which of its files are logs, also where it is found in another one.
  @Test func aListingStandsForItsDirectory() throws {
    for name in ["x.ndjson", "out/a/1.data", "out/report.json"] {
      try fixture.write("logs/\(name)")
    }
    func find(_ argument: String) throws -> [String] {
      try survey(
        [argument],
        listing: { path, names throws(Failure) in
          guard path.hasSuffix("out") else { return nil }
          return Set(names) == ["a", "report.json"] ? .logs(["a/1.data"]) : .nothing("an output")
        }
      ).inputs
    }
    #expect(try find("logs/out") == ["logs/out/a/1.data"])
    #expect(try find("logs") == ["logs/out/a/1.data", "logs/x.ndjson"])
    try fixture.write("logs/out/more.ndjson")
    #expect(try find("logs") == ["logs/x.ndjson"])
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
      ("long", Array("{\"a\":\"\(Sample.text(100_000))\"}".utf8)), ("pretty", Array("{\n}\n".utf8)),
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
    let found = try survey(["logs"], naming: { String(decoding: $0.array, as: UTF8.self) })
    #expect(found.inputs == logs.map { "logs/\($0.0)" })
    #expect(found.ignored == others.map { "logs/\($0.0): \($0.2)" })
  }

  /// One that may be readable later could be a log; one that may not is named.
  @Test(arguments: [(EIO, nil), (EACCES, "not readable (Permission denied)")])
  func whatCannotBeExaminedIsNotIgnoredSilently(_ code: Int32, what: String?) throws {
    for name in ["a.ndjson", "notes"] { try fixture.write("logs/\(name)") }
    let fault = CountedFault(.error(code), at: 1, of: [.open])
    #expect(
      (try? survey(["logs"], system: fault.system))?.ignored == what.map { ["logs/notes: \($0)"] })
  }

  @Test(arguments: [
    ("a.ndjson", "a"), ("a.log.gz", "a.log"), ("a.jsonl.zst", "a"), ("a.json.ndjson.zst", "a.json"),
    ("a", "a"), ("a.json.zstd", "a"), (".json", ".json"), (".ndjson.zst", ".ndjson.zst"),
    ("a.zst.zst", "a.zst"), ("A.NDJSON", "A"), ("b.Json.GZ", "b"), ("c.jsonL.Zst", "c"),
  ])
  func aStemIsWhatTellsLogsApart(name: String, stem: String) {
    #expect(InputDiscovery.stem(of: name) == stem)
  }

  @Test func directoriesMayBeDeep() throws {
    var path = fixture("logs")
    for _ in 0..<1500 {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      path += "/d"
    }
    #expect(FileManager.default.createFile(atPath: path + ".json", contents: Data("{}\n".utf8)))
    let logs = fixture("logs")
    let found = Locked<[String]>([])
    let done = DispatchSemaphore(value: 0)
    try System.real.startThread {
      let survey = try? InputDiscovery.survey([logs])
      found.withLock { $0 = survey?.inputs.map(\.path) ?? [] }
      done.signal()
    }
    done.wait()
    #expect(found.withLock { $0 } == [path + ".json"])
  }

  @Test func linksAreFollowedButNotInCircles() throws {
    for name in ["elsewhere/a.json", "logs/in/b.json"] { try fixture.write(name) }
    for (link, target) in [
      ("out", "elsewhere"), ("in/up", "logs"), ("in/self", "logs/in"), ("gone", "nowhere"),
    ] {
      try fixture.link("logs/\(link)", to: fixture(target))
    }
    #expect(try survey(["logs"]).inputs == ["logs/in/b.json", "logs/out/a.json"])
    try fixture.link("logs/gone.json", to: fixture("nowhere"))
    for name in ["logs", "logs/gone.json"] {
      let failure = failure([name])
      #expect(failure?.path == fixture("logs/gone.json"))
      #expect(failure?.why == "it is a dangling symbolic link")
    }
  }

  /// A year on an unmounted disk, or a log with an unusual name, must not be skipped silently.
  @Test func ignoredFilesAreReported() throws {
    for name in ["a.json", "deep/b.ndjson.zst", ".c.json"] { try fixture.write("logs/\(name)") }
    for name in ["deep/app.log.gz", "notes.txt"] {
      try fixture.write("no log\n", to: "logs/\(name)")
    }
    try fixture.link("logs/2019", to: fixture("nowhere"))
    let found = try survey(["logs"])
    #expect(found.inputs == ["logs/a.json", "logs/deep/b.ndjson.zst"])
    #expect(
      found.ignored.map { $0.prefix { $0 != ":" } }
        == ["logs/.c.json", "logs/deep/app.log.gz", "logs/notes.txt", "logs/2019"])
    for number in 0..<30 { try fixture.write("logs/x/\(number).log", []) }
    let more = try survey(["logs"])
    #expect(more.count == 34 && more.ignored.count == IgnoredFiles.mostNamed)
  }

  @Test func aDirectoryThatCannotBeReadIsAnError() throws {
    for name in ["logs/a.ndjson", "logs/closed/b.json"] { try fixture.write(name) }
    let fault = CountedFault(.error(EACCES), at: 1, of: [.open])
    let failure = Failure.of(try survey(["logs"], system: fault.system))
    #expect(failure?.kind == .io && failure?.path == fixture("logs/closed"))
  }

  /// Every level costs the same few calls, even when the output must be outside the inputs.
  @Test func depthIsLinear() throws {
    func calls(levels: Int) throws -> [System.Call: Int] {
      let log = "tree\(levels)/" + String(repeating: "d/", count: levels) + "a.json"
      try fixture.write(log)
      let counts = Locked<[System.Call: Int]>([:])
      let system = System { call in
        counts.withLock { $0[call, default: 0] += 1 }
        return nil
      }
      let found = try InputDiscovery.survey(
        [fixture("tree\(levels)")], output: fixture("out"), system: system
      ).inputs
      #expect(found.map(\.path) == [fixture(log)] && !found[0].isLinked)
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
      for link in ["x", "y"] { try fixture.link("dirs/\(level)/\(link)", to: "../\(level + 1)") }
    }
    try fixture.write("dirs/30/notes.txt", [])
    try fixture.write("dirs/0/a.json")
    let found = try survey(["dirs/0"])
    #expect(found.inputs.count == 1 && found.count == 31)
    try fixture.write("dirs/30/b.json")
    let again = try survey(["dirs/0"])
    #expect(again.inputs.count == 2 && again.count == 32)
  }

  @Test func sameFileTwiceNamesBothPaths() throws {
    let first = try fixture.write("logs/a.json")
    try FileManager.default.linkItem(atPath: first, toPath: fixture("other.json"))
    let twice = failure(["logs", "other.json"])
    #expect(twice?.kind == .usage && twice?.path == fixture("other.json"))
    #expect(twice?.why == "it is the same file as \(first)")
    #expect(failure(["logs/a.json", "logs/a.json"])?.why == "the same file is named twice")
    #expect(failure(["logs/a.json", "logs/../logs/a.json"])?.kind == .usage)
    #expect(failure(["logs", "logs"])?.kind == .usage)
  }

  /// In a directory, other names are not a mistake in the command line.
  @Test func linksToLogsInADirectoryAreIgnoredByName() throws {
    let log = try fixture.write("logs/day/b.ndjson")
    for (link, target) in [
      ("day/a.ndjson", "b.ndjson"), ("current", "day"), ("all.ndjson", "day/b.ndjson"),
    ] {
      try fixture.link("logs/\(link)", to: target)
    }
    try FileManager.default.linkItem(atPath: log, toPath: fixture("logs/day/c.ndjson"))
    let found = try survey(["logs"])
    #expect(found.inputs == ["logs/day/b.ndjson"])
    #expect(
      found.ignored == [
        "logs/day/c.ndjson: the same file as logs/day/b.ndjson",
        "logs/all.ndjson: the same file as logs/day/b.ndjson",
        "logs/current: the same directory as logs/day",
        "logs/day/a.ndjson: the same file as logs/day/b.ndjson",
      ])
    for other in ["logs/day/a.ndjson", "logs/day/b.ndjson", "logs/current", "logs/day", "logs/."] {
      #expect(failure(["logs", other])?.kind == .usage, "\(other)")
      if other != "logs/." { #expect(failure([other, "logs"]) != nil, "\(other)") }
    }
  }

  /// Neither the order of the arguments nor other names of logs matter.
  @Test func aDirectoryOfOtherNamesIsNotEmpty() throws {
    let log = try fixture.write("b/in/c.ndjson")
    for (link, target) in [("a/link.ndjson", "../b/in/c.ndjson"), ("dirs/b", "../b/in")] {
      try fixture.write("\(link).txt", [])
      try fixture.link(link, to: target)
    }
    try fixture.write("hard/notes.txt", [])
    try FileManager.default.linkItem(atPath: log, toPath: fixture("hard/c.ndjson"))
    for other in ["a", "dirs", "hard"] {
      let (found, turned) = (try survey(["b", other]), try survey([other, "b"]))
      #expect(found.inputs == ["b/in/c.ndjson"] && turned.inputs == found.inputs, "\(other)")
      #expect(turned.ignored == found.ignored && turned.count == found.count, "\(other)")
    }
    #expect(try survey(["b/in/c.ndjson", "a"], mayRepeat: true).inputs == ["b/in/c.ndjson"])
    try fixture.remove("hard/c.ndjson")
    #expect(failure(["b", "hard"])?.path == fixture("hard"))
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
    for (name, text, _) in files { try fixture.write(text, to: "logs/\(name)") }
    let found = try survey(
      ["logs"],
      strays: { text, isDocument in
        text.contains(ByteView("\"r\"")) ? nil : isDocument ? "a document" : "stray lines"
      })
    #expect(found.inputs == files.filter(\.2).map { "logs/\($0.0)" }.sorted())
    #expect(
      found.ignored
        == ["logs/config: stray lines", "logs/crlf: stray lines", "logs/package.json: a document"])
  }

  @Test func whatIsNotThereIsNamed() throws {
    let missing = failure(["none.json"])
    #expect(missing?.kind == .io && missing?.path == fixture("none.json"))
    #expect(missing?.advice == "check the spelling of the path")
    let other = try fixture.write("empty/readme.txt", [])
    #expect(failure(["empty"])?.why == "the directory contains no logs, but \(other): empty")
    #expect(failure(["/dev/null"])?.why == "it is a device, not a file")
    #expect(failure([])?.kind == .usage)
    // There may be no logs on request only. What is missing, or not a log, is still an error.
    for arguments in [[], ["empty"]] {
      #expect(try survey(arguments, allowEmpty: true).inputs.isEmpty)
    }
    for name in ["none.json", "/dev/null"] {
      #expect(throws: Failure.self) { try survey([name], allowEmpty: true).inputs }
    }
  }

  @Test func standardInputIsNamedOnceAndPipesHaveNoSize() throws {
    try fixture.write("a.json")
    #expect(try survey(["a.json", "-"]).inputs == ["-", "a.json"])
    #expect(failure(["-", "a.json", "-"])?.why == "- is named twice")
    let pipe = fixture.makePipe("pipe")
    #expect(try InputDiscovery.survey([pipe]).inputs == [InputFile(path: pipe, size: nil)])
  }

  @Test func inputAndOutputLieApart() throws {
    try fixture.write("logs/day/a.json")
    // The output beside a file that is named is fine: only directories are read again.
    for (input, output) in [("logs", "out"), ("logs", "logs-out"), ("logs/day/a.json", "logs/out")]
    {
      #expect(try survey([input], output: output).inputs.count == 1)
    }
    try fixture.makeDirectory("out")
    // A link does not hide where the output is.
    try fixture.link("out/link", to: fixture("logs"))
    for inside in [
      "logs", "logs/", "logs/out", "logs/day", "logs/day/new/er", "out/../logs/x", "out/link/deep",
    ] {
      #expect(failure(["logs"], output: inside)?.kind == .usage, "output in \(inside)")
    }
    #expect(
      failure(["logs/day/a.json"], output: "logs")?.why
        == "it is inside the output \(fixture("logs"))")
  }

  /// Hidden files make room for others, so these are all listed.
  @Test(arguments: [(20, 0, false), (21, 0, true), (2, 30, false)])
  func whetherAllThatMayBeLogsAreListed(others: Int, hidden: Int, mayLack: Bool) {
    var ignored = IgnoredFiles()
    for number in 0..<hidden { ignored.note("logs/.\(number)", "a hidden file") }
    for number in 0..<others { ignored.note("logs/\(number).zip", "a zip archive") }
    #expect(ignored.mayLackLogs == mayLack)
  }
}
