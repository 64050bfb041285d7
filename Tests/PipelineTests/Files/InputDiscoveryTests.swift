import Foundation
import Pipeline
import TestSupport
import Testing

@Suite struct InputDiscoveryTests {
  private let fixture = ScratchDirectory.fresh

  /// What is found in `path`, relative to the fixture; ignored files are `PATH: WHAT`.
  private func survey(
    _ path: String, listing: @escaping InputDiscovery.Listing = { _, _ throws(Failure) in nil },
    system: System = .real
  ) throws(Failure) -> (inputs: [String], ignored: [String]) {
    let survey = try InputDiscovery.survey(
      [fixture(path)], listing: listing, naming: { _ in "not a log" }, strays: { _, _ in nil },
      system: system)
    let relative = { (text: String) in text.replacing("\(fixture.path)/", with: "") }
    return (
      survey.inputs.map { relative($0.path) },
      survey.ignoredFiles.files.map { relative("\($0.path): \($0.what)") }
    )
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
        argument,
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

  /// One that may be readable later could be a log; one that may not is named.
  @Test(arguments: [(EIO, nil), (EACCES, "not readable (Permission denied)")])
  func whatCannotBeExaminedIsNotIgnoredSilently(_ code: Int32, what: String?) throws {
    for name in ["a.ndjson", "notes"] { try fixture.write("logs/\(name)") }
    let fault = CountedFault(.error(code), at: 1, of: [.open])
    #expect(
      (try? survey("logs", system: fault.system))?.ignored == what.map { ["logs/notes: \($0)"] })
  }

  @Test(arguments: [
    ("a.ndjson", "a"), ("a.log.gz", "a.log"), ("a.jsonl.zst", "a"), ("a.json.ndjson.zst", "a.json"),
    ("a", "a"), ("a.json.zstd", "a"), (".json", ".json"), (".ndjson.zst", ".ndjson.zst"),
    ("a.zst.zst", "a.zst"), ("A.NDJSON", "A"), ("b.Json.GZ", "b"), ("c.jsonL.Zst", "c"),
  ])
  func aStemIsWhatTellsLogsApart(name: String, stem: String) {
    #expect(InputDiscovery.stem(of: name) == stem)
  }

  @Test func aDirectoryThatCannotBeReadIsAnError() throws {
    for name in ["logs/a.ndjson", "logs/closed/b.json"] { try fixture.write(name) }
    let fault = CountedFault(.error(EACCES), at: 1, of: [.open])
    let failure = Failure.of(try survey("logs", system: fault.system))
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

  /// Hidden files make room for others, so these are all listed.
  @Test(arguments: [(20, 0, false), (21, 0, true), (2, 30, false)])
  func whetherAllThatMayBeLogsAreListed(others: Int, hidden: Int, mayLack: Bool) {
    var ignored = IgnoredFiles()
    for number in 0..<hidden { ignored.note("logs/.\(number)", "a hidden file") }
    for number in 0..<others { ignored.note("logs/\(number).zip", "a zip archive") }
    #expect(ignored.mayLackLogs == mayLack)
  }
}
