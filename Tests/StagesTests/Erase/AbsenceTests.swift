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
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  private func problems(_ output: String, _ requests: [String]) throws -> [String] {
    let path = try fixture.log(requests, "requests.ndjson")
    let outcome = try VerifyJob(
      fixture.scratch(output), absent: path, jobs: 2, control: JobControl()
    ).run()
    #expect(outcome.absent == requests.count)
    #expect(outcome.problems.allSatisfy { !$0.message.contains("anna") })
    return outcome.problems.map(\.coded)
  }

  /// The query of a URL in a rejected line.
  @Test func percentEncodedIDsLoseTheirText() throws {
    try fixture.log(
      [#"{"custom_id":"bob","name":"a b","url":"https://a.test/?u=%61nn%2561"}"#], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    let request = #"{"custom_id":"anna"}"#
    #expect(try !problems("out", [request]).isEmpty)
    let summary = try fixture.erase(from: "out", to: "new")
    #expect(summary.single.redactedRejects == 1)
    #expect(try problems("new", [request]) == [])
  }

  /// The page shows the first line of each reason.
  @Test func examplesInThePageAreLookedInto() throws {
    try fixture.log([#"{"custom_id":"anna","name":"a b"}"#], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    let page = try String(decoding: fixture.scratch.bytes("out/report.html"), as: UTF8.self)
    #expect(page.contains(#"<dd><pre>{&quot;custom_id&quot;:&quot;anna&quot;"#))
    let request = #"{"custom_id":"anna"}"#
    #expect(try problems("out", [request]).contains { $0.hasPrefix("report.html") })
    #expect(try problems("out", [#"{"custom_id":"name"}"#]) == [])
    try fixture.run(["a.ndjson"], to: "new") {
      $0.merge.erasureRequests = try? fixture.log([request], "requests.ndjson")
    }
    #expect(try problems("new", [request]) == [])
  }

  /// An erased output has a page, which shows what was erased, and no lines.
  @Test func thePageOfAnErasedOutputNamesNoErasedPerson() throws {
    let lines = [#"{"custom_id":"anna","name":"a b"}"#, Sample.event("anna", "seen")]
    try fixture.log(lines + [Sample.event("bob", "app_opened")], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    // The bytes of an id as the name of an event are not a trace.
    let requests = [#"{"custom_id":"anna"}"#, #"{"custom_id":"app_opened"}"#]
    #expect(try problems("out", requests).contains { $0.hasPrefix("report.html") })
    try fixture.erase(from: "out", to: "new")
    #expect(try problems("new", requests) == [])
    let page = try String(decoding: fixture.scratch.bytes("new/report.html"), as: UTF8.self)
    #expect(!page.contains("anna") && !page.contains("<pre>"))
    for text in ["people erased", ">custom_id</td>", "bad_name", "<code>app_opened</code>"] {
      #expect(page.contains(text), "\(text)")
    }
    #expect(page.contains(#"<dt>Profiles</dt><dd class="value">1</dd>"#))
  }

  @Test func aPageThatCannotBeReadIsAProblem() throws {
    try fixture.log([Sample.event("bob", "seen")], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    let request = #"{"custom_id":"anna"}"#
    try fixture.scratch.remove("out/report.html")
    #expect(try problems("out", [request]) == [])
    try #require(unsafe mkfifo(fixture.scratch("out/report.html"), 0o600) == 0)
    #expect(try problems("out", [request]) == ["report.html: mayHoldAbsent"])
  }

  /// A file that could not be looked into for lack of a thread is not one without the person.
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
    let request = #"{"custom_id":"anna"}"#
    #expect(try !problems("out", [request]).isEmpty)
    let summary = try fixture.erase(from: "out", to: "new")
    #expect(summary.single.redactedRejects == 11)
    #expect(try problems("new", [request]) == [])
    let kept = try fixture.lines("new/rejects.ndjson.zst").compactMap { $0["raw"]?.text }
    #expect(kept.filter { !$0.isEmpty }.count == 2)
    // A run with the same requests writes the same rejects.
    try fixture.run(["a.ndjson"], to: "run") {
      $0.read.rules.maxLine = 65_600
      $0.merge.erasureRequests = fixture.scratch("requests.ndjson")
    }
    #expect(try problems("run", [request]) == [])
    #expect(
      try fixture.scratch.bytes("run/rejects.ndjson.zst")
        == fixture.scratch.bytes("new/rejects.ndjson.zst"))
  }

  /// No report about a line contains an erased id: not in its text, nor in paths, messages, samples
  /// and names of unknown fields.
  @Test func idsThatAreKeysLeaveNothing() throws {
    let id = "anna k. smith"
    let time = #""time":"2024-05-01T00:00:00Z""#
    try fixture.log(
      [
        #"{"custom_id":"bob","name":"a",\#(time),"attributes":{"\#(id)":1}}"#,
        #"{"custom_id":"bob","name":"a",\#(time),"\#(id)":1}"#,
        #"{"identifiers":{"custom_id":"bob"},\#(time),"attributes":{"\#(id)":1,"k":1}}"#,
        #"{"custom_id":"bob","name":"-","note":"{\"a\":\"[\\\"\#(id)\\\"]\"}"}"#,
        #"{"action":["batch.user.event",{"e":"a","a":{"\#(id)":[],"k":{}}}],"custom_id":"bob",\#(time)}"#,
        #"{"custom_id":"bob","name":"-"}"#,
      ], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    let request = #"{"custom_id":"\#(id)"}"#
    #expect(try !problems("out", [request]).isEmpty)
    try fixture.erase(from: "out", to: "new")
    #expect(try problems("new", [request]) == [])
    try fixture.run(["a.ndjson"], to: "run") {
      $0.merge.erasureRequests = fixture.scratch("requests.ndjson")
    }
    #expect(try problems("run", [request]) == [])
    for output in ["new", "run"] {
      for path in try fixture.scratch.files(below: output) {
        let text = String(decoding: try fixture.text("\(output)/\(path)"), as: UTF8.self)
        #expect(!text.contains(id) && !text.contains("anna k"), "\(output)/\(path)")
      }
      let raws = try fixture.lines("\(output)/rejects.ndjson.zst").compactMap { $0["raw"]?.text }
      #expect(raws.contains { !$0.isEmpty }, "bob's own line has its text")
    }
  }

  /// An id may be the name of anything else: of an event, a file, an attribute.
  @Test func namesOfOtherThingsAreNobody() throws {
    try fixture.log(
      [
        Sample.event("u", "anna", attributes: #"{"anna":1}"#),
        #"{"identifiers":{},"anna":2,"events":[]}"#,
      ],
      "anna.ndjson")
    try fixture.run(["anna.ndjson"], to: "out")
    let request = #"{"custom_id":"anna"}"#
    _ = try problems("out", [request])
    try fixture.erase(from: "out", to: "new")
    #expect(try problems("new", [request]) == [])
  }

  /// A request with a time applies to records of that time and earlier.
  @Test func aRequestWithATimeLeavesWhatIsLater() throws {
    func line(_ day: Int, _ name: String) -> String {
      "{\"identifiers\":{\"custom_id\":\"anna\",\"installation_id\":\"i-\(name)\"},\"time\":"
        + "\"2024-05-0\(day)T00:00:00Z\",\"attributes\":{\"\(name)\":\(day)},\"events\":[{\"name\":\"\(name)\"}]}"
    }
    try fixture.log([line(1, "old"), line(3, "new"), line(3, "both"), line(1, "both")], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    let request = #"{"custom_id":"anna","time":"2024-05-02T00:00:00Z"}"#
    #expect(try !problems("out", [request]).isEmpty)
    let summary = try fixture.erase(from: "out", to: "new")
    #expect(summary.single.found == 1)
    #expect(summary.single.outcomes[0].devices.map(\.id) == ["i-both", "i-old"])
    #expect(try problems("new", [request]) == [])
    // A request for her id finds that she is still in the output.
    #expect(try !problems("new", [#"{"custom_id":"anna"}"#]).isEmpty)
    #expect(try problems("new", [#"{"custom_id":"anna","time":"2024-05-03T00:00:00Z"}"#]).count > 0)
  }

  @Test func installationsGoWithTheirPerson() throws {
    let both = "\"custom_id\":\"anna\",\"installation_id\""
    try fixture.log(
      [
        "{\"identifiers\":{\(both):\"tablet\"},\"time\":\"2024-05-01T00:00:00Z\"}",
        "{\"identifiers\":{\(both):\"phone\"},\"time\":\"2024-05-01T00:00:00Z\",\"attributes\":{\"a\":1}}",
        "{\"identifiers\":{\"installation_id\":\"phone\"},\"time\":\"2024-05-01T00:00:00Z\",\"attributes\":{\"b\":1}}",
      ], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out") { $0.snapshot.partitions = 3 }
    #expect(try !problems("out", [#"{"custom_id":"anna"}"#]).isEmpty)
    let summary = try fixture.erase(from: "out", to: "new")
    #expect(summary.single.outcomes[0].devices.map(\.id) == ["phone", "tablet"])
    let report = try fixture.json("new/report.json")["erasures"]?[0]
    #expect(report?["devices"]?.integer == 2 && report?["links"]?.integer == 2)
    #expect(report?["installations"] == nil, "a report names no installation")
    let requests = ["phone", "tablet"].map { "{\"installation_id\":\"\($0)\"}" }
    #expect(try problems("new", requests + [#"{"custom_id":"anna"}"#]) == [])
    #expect(try fixture.lines(of: "profiles", in: "new").isEmpty)
  }

  @Test func archivesAreLookedThrough() throws {
    try fixture.log(
      [
        Sample.event("anna", "seen", day: 2), Sample.event("bob", "seen"),
        Sample.event("anna", "a b"),
      ],
      "logs/a.ndjson")
    try fixture.migrate(["logs"], to: "archive")
    let found = try problems("archive", [#"{"custom_id":"anna"}"#])
    // The page repeats rejected lines.
    let repeated = ["rejects", "report.html"]
    #expect(found.count == 3)
    #expect(repeated.allSatisfy { name in found.contains { $0.hasPrefix(name) } })
    #expect(try problems("archive", [#"{"custom_id":"carl"}"#]) == [])
    let early = #"{"custom_id":"anna","time":"2024-05-01T00:00:00Z"}"#
    let rest = try problems("archive", [early])
    #expect(rest.allSatisfy { problem in repeated.contains { problem.hasPrefix($0) } })
    // Logs are not rewritten.
    let refused = #expect(throws: Failure.self) { try fixture.erase(from: "archive", to: "new") }
    #expect(refused?.kind == .usage && refused?.why.contains("migration") == true)
  }

  /// Logs and pages name files; what follows a file in an example of a loss is of a line.
  @Test func namesOfFilesInLossExamplesAreNobody() throws {
    let blank = { (tag: String) in
      #"{"custom_id":"bob","name":"a","time":"2024-05-01T00:00:00Z","\#(tag)":1,"label":" "}"#
    }
    let request = #"{"custom_id":"anna"}"#
    try fixture.log([blank("extra")], "logs/anna.ndjson")
    try fixture.migrate(["logs"], to: "archive")
    #expect(try problems("archive", [request]) == [])
    try fixture.run(["logs"], to: "out")
    #expect(try problems("out", [request]) == [])
    try fixture.log([blank("of anna")], "logs/anna.ndjson")
    try fixture.migrate(["logs"], to: "named")
    let found = try problems("named", [request])
    #expect(
      Set(found.map { $0.prefix { $0 != ":" } }) == [
        "losses.ndjson", "report.html", "report.json",
      ])
  }

  /// A similar id is another one: it is listed, and not a problem.
  @Test func similarIDsAreListed() throws {
    try fixture.log(
      ["Anna", " anna ", "ANNA", "zoe\u{308}", "bob"].map { Sample.event($0, "seen") },
      "logs/a.ndjson")
    try fixture.run(["logs"], to: "out")
    try fixture.migrate(["logs"], to: "archive")
    let path = try fixture.log(
      [#"{"custom_id":"anna"}"#, #"{"custom_id":"zoë"}"#], "requests.ndjson")
    for output in ["out", "archive"] {
      let outcome = try VerifyJob(
        fixture.scratch(output), absent: path, jobs: 2, control: JobControl()
      ).run()
      #expect(outcome.problems.map(\.coded) == [])
      let similar = outcome.elsewhere.filter { !$0.similar.isEmpty }
      #expect(similar.map(\.lines) == [4])
      #expect(similar.first?.similar == [" anna ", "ANNA", "Anna", "zoe\u{308}"])
      #expect(similar.first?.message.contains("4 lines of a similar id") == true)
    }
  }

  /// Five of eight were named, as if they were all.
  @Test func moreSimilarIDsThanAreNamedAreCounted() throws {
    let ids = ["Anna", "aNna", "anNa", "annA", "ANna", "aNNa", "anNA", "ANNA"]
    try fixture.log(ids.map { Sample.event($0, "seen") }, "logs/a.ndjson")
    try fixture.run(["logs"], to: "out")
    let path = try fixture.log([#"{"custom_id":"anna"}"#], "requests.ndjson")
    let outcome = try VerifyJob(
      fixture.scratch("out"), absent: path, jobs: 2, control: JobControl()
    ).run()
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

  @Test func halvesOfRunsAreRefused() throws {
    let runs = try PartialRuns()
    try runs.fixture.log([Sample.event("anna", "seen")], "a.ndjson")
    try runs.partial(["a.ndjson"], to: "partial")
    let refused = #expect(throws: Failure.self) {
      try VerifyJob(runs.fixture.scratch("partial"), jobs: 1, control: JobControl()).run()
    }
    #expect(refused?.kind == .usage)
  }
}
