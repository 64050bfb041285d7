@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// `verify --requests`: what counts as still being there, in every kind of directory.
@Suite struct AbsenceTests {
  private static let anna = #"{"custom_id":"anna"}"#
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  private func verify(_ output: String, _ requests: [String]) throws -> VerifyOutcome {
    let path = try fixture.log(requests, "requests.ndjson")
    return try VerifyJob(
      fixture.scratch(output), absent: path, jobs: 2, control: JobControl()
    ).run()
  }

  private func problems(_ output: String, _ requests: [String] = [Self.anna]) throws -> [String] {
    let outcome = try verify(output, requests)
    #expect(outcome.absent == requests.count)
    #expect(outcome.problems.allSatisfy { !$0.message.contains("anna") })
    return outcome.problems.map(\.coded)
  }

  /// Runs over a log of `lines`.
  private func run(
    _ lines: [String], to output: String = "out", _ change: (inout RunOptions) -> Void = { _ in }
  ) throws {
    try fixture.log(lines, "a.ndjson")
    try fixture.run(["a.ndjson"], to: output, change)
  }

  /// The page shows the first line of each reason; that of an erased output shows what was erased.
  @Test func examplesInThePageAreSearched() throws {
    let lines = [#"{"custom_id":"anna","name":"a b"}"#, Sample.event("anna", "seen")]
    try run(lines + [Sample.event("bob", "app_opened")])
    let example = #"<dd><pre>{&quot;custom_id&quot;:&quot;anna&quot;"#
    #expect(try fixture.scratch.text("out/report.html").contains(example))
    #expect(try problems("out", [#"{"custom_id":"name"}"#]) == [])
    // The bytes of an id as the name of an event are not a trace.
    let requests = [Self.anna, #"{"custom_id":"app_opened"}"#]
    #expect(try problems("out", requests).contains { $0.hasPrefix("report.html") })
    try fixture.erase(from: "out", to: "new")
    try fixture.run(["a.ndjson"], to: "run") {
      $0.merge.erasureRequests = fixture.scratch("requests.ndjson")
    }
    for output in ["new", "run"] { #expect(try problems(output, requests) == []) }
    let page = try fixture.scratch.text("new/report.html")
    for (text, isShown) in [
      ("anna", false), ("<pre>", false), ("people erased", true), (">custom_id</td>", true),
      ("bad_name", true), ("<code>app_opened</code>", true),
      (#"<dt>Profiles</dt><dd class="value">1</dd>"#, true),
    ] { #expect(page.contains(text) == isShown, "\(text)") }
    #expect(try fixture.scratch.text("run/report.html").contains("(withheld)"))
  }

  @Test func aPageThatCannotBeReadIsAProblem() throws {
    try run([Sample.event("bob", "seen")])
    try fixture.scratch.remove("out/report.html")
    #expect(try problems("out") == ["report.html: unreadable No such file or directory"])
    try #require(unsafe mkfifo(fixture.scratch("out/report.html"), 0o600) == 0)
    #expect(try problems("out") == ["report.html: mayHoldAbsent", "report.html: notAFile"])
  }

  /// A file that could not be searched for lack of a thread is not one without the person.
  @Test func aLimitOfTheProcessIsNoProblemOfAFile() throws {
    var files = VerifiedFiles(output: fixture.scratch("out"), jobs: 1, control: JobControl())
    let limit = Failure(.limit, doing: "starting a thread", why: "there is none", advice: "wait")
    let failure = #expect(throws: Failure.self) {
      _ = try files.attempt("a.zst") { _ throws(Failure) -> Int in throw limit }
    }
    #expect(failure?.kind == .limit)
    #expect(files.problems.count == 0)
  }

  /// Rejected lines of every form: damaged, truncated, of other dialects, or not UTF-8.
  @Test func rejectsOfEveryFormLoseTheirText() throws {
    let long = #"{"custom_id":"anna","x":""# + String(repeating: "y", count: 70_000)
    let lines =
      [
        #"{"custom_id":"\u0061nna","name":"-"}"#, #"{"custom_id":"anna"#, #"{custom_id: anna}"#,
        #"{"cus":"anna","name":"-","ts":1}"#, long,
        #"{"identifiers":{"custom_id":"anna"},"events":[{"name":"a b","time":1},{"name":"c d"}]}"#,
        #"{"identifiers":{"custom_id":"bob"},"events":[{"name":"a b"}],"attributes":{"friend":"anna"}}"#,
        #"{"identifiers":{"custom_id":"bob"},"events":[{"name":"a b"}]}"#, #"{"anna":1}"#,
        "{hannah}",
      ].map { Array($0.utf8) } + [[0xFF, 0x22] + Array("anna".utf8) + [0x22]]
    try fixture.scratch.write(Array(lines.joined(separator: [0x0A])), to: "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out") { $0.read.rules.maxLine = 65_600 }
    #expect(try !problems("out").isEmpty)
    let summary = try fixture.erase(from: "out", to: "new")
    #expect(summary.single.redactedRejects == 11)
    #expect(try problems("new") == [])
    let kept = try fixture.lines("new/rejects.ndjson.zst").compactMap { $0["raw"]?.text }
    #expect(kept.filter { !$0.isEmpty }.count == 2)
    // A run with the same requests writes the same rejects.
    try fixture.run(["a.ndjson"], to: "run") {
      $0.read.rules.maxLine = 65_600
      $0.merge.erasureRequests = fixture.scratch("requests.ndjson")
    }
    #expect(try problems("run") == [])
    #expect(
      try fixture.scratch.bytes("run/rejects.ndjson.zst")
        == fixture.scratch.bytes("new/rejects.ndjson.zst"))
  }

  /// An id may be the name of anything else: of an event, a file, an attribute.
  @Test func namesOfOtherThingsAreNobody() throws {
    let event = Sample.event("u", "anna", attributes: #"{"anna":1}"#)
    try fixture.log([event, #"{"identifiers":{},"anna":2,"events":[]}"#], "anna.ndjson")
    try fixture.run(["anna.ndjson"], to: "out")
    _ = try problems("out")
    try fixture.erase(from: "out", to: "new")
    #expect(try problems("new") == [])
  }

  /// A request with a time applies to records of that time and earlier.
  @Test func aRequestWithATimeLeavesWhatIsLater() throws {
    func line(_ day: Int, _ name: String) -> String {
      DeviceHistory.record("anna", "i-\(name)", 24 * day, event: name, attribute: name)
    }
    func request(_ day: Int) -> [String] {
      [#"{"custom_id":"anna","time":"\#(DeviceHistory.time(24 * day))"}"#]
    }
    try run([line(0, "old"), line(2, "new"), line(2, "both"), line(0, "both")])
    #expect(try !problems("out", request(1)).isEmpty)
    let summary = try fixture.erase(from: "out", to: "new")
    #expect(summary.single.found == 1)
    #expect(summary.single.outcomes[0].devices.map(\.id) == ["i-both", "i-old"])
    #expect(try problems("new", request(1)) == [])
    // A request for her id, or up to her next record, finds that she is still in the output.
    #expect(try !problems("new").isEmpty && !problems("new", request(2)).isEmpty)
  }

  @Test func installationsGoWithTheirPerson() throws {
    try run([
      DeviceHistory.record("anna", "tablet", 0),
      DeviceHistory.record("anna", "phone", 0, attribute: "a"),
      DeviceHistory.record(nil, "phone", 0, attribute: "b"),
    ]) { $0.snapshot.partitions = 3 }
    #expect(try !problems("out").isEmpty)
    let summary = try fixture.erase(from: "out", to: "new")
    #expect(summary.single.outcomes[0].devices.map(\.id) == ["phone", "tablet"])
    let report = try fixture.json("new/report.json")["erasures"]?[0]
    #expect(report?["devices"]?.integer == 2 && report?["links"]?.integer == 2)
    #expect(report?["installations"] == nil, "a report names no installation")
    let requests = ["phone", "tablet"].map { "{\"installation_id\":\"\($0)\"}" }
    #expect(try problems("new", requests + [Self.anna]) == [])
    #expect(try fixture.lines(of: "profiles", in: "new").isEmpty)
  }

  @Test func aLinkOfTheMomentOfTheRequestIsFound() throws {
    let ids = #""custom_id":"bob","installation_id":"phone""#
    try run([#"{"identifiers":{\#(ids)},"time":"2024-05-02T00:00:00Z"}"#])
    for (time, isLeft) in [("02T00:00:00", true), ("01T23:59:59", false)] {
      let left = try problems("out", [#"{"installation_id":"phone","time":"2024-05-\#(time)Z"}"#])
      #expect(left.isEmpty != isLeft, "\(time): \(left)")
    }
  }

  @Test func archivesAreSearched() throws {
    let seen = ["anna", "bob", "anna"].map { Sample.event($0, "seen", day: 2) }
    try fixture.log(seen + [Sample.event("anna", "a b")], "logs/a.ndjson")
    try fixture.migrate(["logs"], to: "archive")
    func files(_ request: String) throws -> [String] {
      try problems("archive", [request]).map { String($0.prefix { $0 != ":" && $0 != " " }) }
    }
    // The page repeats rejected lines.
    #expect(try files(Self.anna) == ["a.ndjson.zst", "rejects.ndjson.zst", "report.html"])
    #expect(try problems("archive")[0] == "a.ndjson.zst (line 1): linesHoldAbsent 2")
    #expect(try files(#"{"custom_id":"carl"}"#) == [])
    let early = #"{"custom_id":"anna","time":"2024-05-01T00:00:00Z"}"#
    #expect(try files(early) == ["rejects.ndjson.zst", "report.html"])
    // Logs are not rewritten.
    let refused = #expect(throws: Failure.self) { try fixture.erase(from: "archive", to: "new") }
    #expect(refused?.kind == .usage && refused?.why.contains("migration") == true)
  }

  /// Logs and pages name files; what follows a file in an example of a loss is of a line.
  @Test func namesOfFilesInLossExamplesAreNobody() throws {
    func migrate(_ tag: String, to output: String) throws {
      let line = #"{"custom_id":"bob","name":"a","time":\#(Sample.time),"\#(tag)":1,"label":" "}"#
      try fixture.log([line], "logs/anna.ndjson")
      try fixture.migrate(["logs"], to: output)
    }
    try migrate("extra", to: "archive")
    try fixture.run(["logs"], to: "out")
    for output in ["archive", "out"] { #expect(try problems(output) == []) }
    try migrate("of anna", to: "named")
    let files = try Set(problems("named").map { $0.prefix { $0 != ":" } })
    #expect(files == ["losses.ndjson", "report.html", "report.json"])
  }

  /// A similar id is another one: it is listed, and not a problem.
  @Test func similarIDsAreListed() throws {
    try fixture.log(
      ["Anna", " anna ", "ANNA", "zoe\u{308}", "bob"].map { Sample.event($0, "seen") },
      "logs/a.ndjson")
    try fixture.run(["logs"], to: "out")
    try fixture.migrate(["logs"], to: "archive")
    for output in ["out", "archive"] {
      let outcome = try verify(output, [Self.anna, #"{"custom_id":"zoë"}"#])
      #expect(outcome.problems.map(\.coded) == [])
      let similar = outcome.elsewhere.filter { !$0.similar.isEmpty }
      #expect(similar.map(\.similar) == [[" anna ", "ANNA", "Anna", "zoe\u{308}"]])
      let first = try #require(similar.first)
      #expect(first.lines == 4 && first.message.contains("4 lines of a similar id"))
    }
  }

  /// Five of eight were named, as if they were all.
  @Test func moreSimilarIDsThanAreNamedAreCounted() throws {
    let ids = ["Anna", "aNna", "anNa", "annA", "ANna", "aNNa", "anNA", "ANNA"]
    try run(ids.map { Sample.event($0, "seen") })
    let outcome = try verify("out", [Self.anna])
    let similar = try #require(outcome.elsewhere.first { !$0.similar.isEmpty })
    #expect(similar.similar == ids.sortedByBytes && !similar.hasMoreSimilar)
    #expect(similar.message.hasSuffix("ANNA, ANna, Anna, aNNa, aNna and 3 more"))
    var many = SimilarIDs()
    for number in (0...SimilarIDs.most).reversed() {
      let id = ByteBuffer(text: "\(10_000 + number)")
      many.add(id.view)
      many.add(id.view)
    }
    #expect(many.hasMore && many.names.count == SimilarIDs.most && many.names.last == "10999")
  }
}
