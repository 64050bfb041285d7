@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Erasing a person takes her devices, and leaves them to the next person from then on.
@Suite struct DeviceErasureConcurrencyTests {
  private let runs: PartialRuns
  private var fixture: RunFixture { runs.fixture }

  init() throws { runs = try PartialRuns() }

  /// A moment after all times of the logs, but not a far one.
  private static let moment = 1_717_200_000_000

  @discardableResult
  private func erase(
    _ source: String, to output: String, _ requests: [String], at moment: Int = Self.moment
  ) throws -> EraseSummary {
    try fixture.log(requests, "requests.ndjson")
    return try fixture.erase(from: source, to: output) { $0.merge.erasedAt = moment }
  }

  private func run(
    _ inputs: [String], to output: String, after previous: String? = nil,
    _ requests: [String] = [], partitions: Int = 1
  ) throws {
    let file = requests.isEmpty ? nil : try fixture.log(requests, "requests.ndjson")
    try fixture.run(inputs, to: output, after: previous) {
      $0.merge.erasureRequests = file
      $0.merge.erasedAt = Self.moment
      $0.snapshot.partitions = partitions
    }
  }

  /// Who is published, with devices and names of events: `ben[tablet]: seen`.
  private func published(_ output: String) throws -> [String] {
    try fixture.lines(of: "profiles", in: output).map { profile in
      let devices = profile["identifiers"]?["installation_ids"]?.items.compactMap(\.text) ?? []
      let names = (profile["events"]?.names ?? []) + (profile["attributes"]?.names ?? [])
      return "\(profile["id"]?.text ?? "?")[\(devices.joined(separator: " "))]"
        + (names.isEmpty ? "" : ": ") + names.joined(separator: " ")
    }
  }

  /// Writes records such as `ben tablet 20 login`: a person, a device, an hour, and perhaps an
  /// event. `-` stands for no person or no device.
  private func log(_ name: String, _ records: [String]) throws {
    let lines = try records.map { record in
      let words = record.split(separator: " ").map { $0 == "-" ? nil : String($0) }
      let hour = try #require(words[2].flatMap { Int($0) })
      return DeviceHistory.record(words[0], words[1], hour, event: words.count > 3 ? words[3] : nil)
    }
    try fixture.log(lines, name)
  }

  /// Runs over a log of such records.
  private func night(_ output: String, after previous: String? = nil, _ records: String...) throws {
    try log("\(output).ndjson", records)
    try run(["\(output).ndjson"], to: output, after: previous)
  }

  private func parts(_ output: String) throws -> [String: [UInt8]] {
    try fixture.bytes(of: output).filter {
      $0.key.hasPrefix("profiles/") || $0.key.hasPrefix("state/part")
    }
  }

  // MARK: - Causes

  /// One tablet, two people: erasing the first one gave her history to the second one.
  @Test func theNextPersonGetsNothingFromBefore() throws {
    try night(
      "out", "- tablet 1 searched", "carla tablet 5", "ben tablet 20 login", "- tablet 22 played")
    #expect(try published("out") == ["ben[]: login", "carla[tablet]: played searched"])
    let outcome = try erase("out", to: "new", [#"{"custom_id":"carla"}"#]).single.outcomes[0]
    #expect(
      outcome.devices.map { "\($0.id) \(Timestamp.text($0.end))" }
        == ["tablet 2024-05-01T19:59:59.999Z"], "before the first login of the next person")
    #expect(outcome.parts.events == 1 && outcome.parts.devices == 1)
    #expect(try published("new") == ["ben[tablet]: login played"])
    // What arrives late for the time before is suppressed, record by record.
    try night("late", after: "new", "- tablet 2 late", "- tablet 30 next")
    #expect(try published("late") == ["ben[tablet]: login next played"])
  }

  /// A device that folds into a person without other data keeps her published.
  @Test(arguments: [Stitch.first, .none])
  func aPersonWithADeviceStaysPublished(stitch: Stitch) throws {
    try log("a.ndjson", ["u1 - 1 a", "u1 d 20", "- d 30 paid"])
    try fixture.run(["a.ndjson"], to: "out") { $0.snapshot.stitch = stitch }
    try erase("out", to: "new", ["{\"custom_id\":\"u1\",\"time\":\"\(DeviceHistory.time(10))\"}"])
    #expect(try published("new") == (stitch == .first ? ["u1[d]: paid"] : ["d[]: paid"]))
    // Copied, or rendered again with folding.
    try night("night", after: "new", "- d 31 x")
    #expect(try published("night") == ["u1[d]: paid x"])
  }

  /// The earliest of the links that are left decides, not the latest.
  @Test func theEarliestLinkThatIsLeftCounts() throws {
    try night("out", "u1 d 1", "u2 d 10", "u3 d 20", "- d 5 x", "- d 15 y", "- d 30 z")
    // Of the person it does not fold into, only the link is removed.
    for (people, left) in [
      (["u1"], ["u2[d]: y z", "u3[]"]), (["u1", "u2"], ["u3[d]: z"]), (["u1", "u2", "u3"], []),
      (["u2"], ["u1[d]: x y z", "u3[]"]),
    ] as [([String], [String])] {
      let output = people.joined()
      let requests = people.map { "{\"custom_id\":\"\($0)\"}" }
      let outcomes = try erase("out", to: output, requests).single.outcomes
      #expect(try published(output) == left, "\(people)")
      guard left == [] else { continue }
      #expect(
        outcomes.map { $0.devices.map(\.id) } == [["d"], ["d"], ["d"]], "it went with each of them")
      #expect(outcomes.map(\.parts.events) == [3, 0, 0])
    }
  }

  /// A link that arrives late, to a person who was erased, takes the device as well.
  @Test(arguments: [false, true])
  func aLateLinkToAnErasedPersonTakesTheDevice(isForever: Bool) throws {
    try fixture.log(
      [
        DeviceHistory.record("anna", "d", 2), DeviceHistory.record("anna", "solo", 2),
        #"{"id":"d","broken"#,
      ], "late.ndjson")
    let forever = isForever ? ",\"forever\":true" : ""
    try night("out", "anna - 1 a", "ben d 20", "- d 5 x", "- d 30 z", "- solo 6 y")
    try erase("out", to: "new", ["{\"custom_id\":\"anna\"\(forever)}"])
    #expect(try published("new") == ["ben[d]: x z", "solo[]: y"])
    try run(["late.ndjson"], to: "night", after: "new")
    #expect(try published("night") == ["ben[d]: z"])
    #expect(try fixture.lines("night/rejects.ndjson.zst")[0]["raw"]?.text == "")
    // And its late data afterwards.
    try night("next", after: "night", "- d 4 w")
    #expect(try published("next") == ["ben[d]: z"])
  }

  /// With `installations: keep` only the link goes, and the device folds into no person again.
  @Test func aKeptDeviceStandsAloneForGood() throws {
    try night("out", "anna d 2", "ben d 20", "- d 5 x")
    let request = [#"{"custom_id":"anna","installations":"keep"}"#]
    #expect(try erase("out", to: "new", request).single.outcomes[0].devices.isEmpty)
    #expect(try published("new") == ["ben[]", "d[]: x"])
    try night("late", after: "new", "carl d 1", "anna e 3", "- e 4 y")
    #expect(try published("late") == ["ben[]", "carl[]", "d[]: x", "e[]: y"])
  }

  /// Devices of strangers are linked to a placeholder, which texts contain: neither goes with it.
  /// What is one is an option of the run, or of the output that is copied.
  @Test(arguments: [Placeholders.standard, Placeholders(added: ["zoe"]), .fewest])
  func erasingNobodyKeepsDevicesAndTexts(_ placeholders: Placeholders) throws {
    let id = placeholders == .fewest || placeholders == .standard ? "0" : "zoe"
    try log("a.ndjson", ["\(id) d 2", "- d 5 x"])
    let rest = #""n":\#(id == "0" ? "0" : "1"),"s":"\#(id)"}"#
    for (name, second) in [("b.ndjson", 1), ("c.ndjson", 2)] {
      try fixture.log([#"{"custom_id":"ben","name":"bad name","time":\#(second),"# + rest], name)
    }
    try fixture.run(["a.ndjson"], to: "out") { $0.read.rules.placeholders = .fewest }
    let file = try fixture.log([#"{"custom_id":"\#(id)","forever":true}"#], "requests.ndjson")
    try fixture.run(["b.ndjson"], to: "new", after: "out") {
      $0.merge.erasureRequests = file
      $0.merge.erasedAt = Self.moment
      $0.read.rules.placeholders = placeholders
    }
    let isNobodys = placeholders != .fewest
    #expect(try published("new") == (isNobodys ? ["d[]: x"] : []))
    func isTextLeft(_ output: String) throws -> Bool {
      String(decoding: try fixture.text("\(output)/rejects.ndjson.zst"), as: UTF8.self)
        .contains("bad name")
    }
    #expect(try isTextLeft("new") == isNobodys)
    // Later nights know a hash only.
    try run(["c.ndjson"], to: "next", after: "new")
    #expect(try isTextLeft("next") == isNobodys)
  }

  /// Messages of the program contain numbers, which may be ids.
  @Test func anIDInAMessageClearsNoReject() throws {
    try fixture.log(
      [
        DeviceHistory.record("1", nil, 2, event: "x"),
        #"{"custom_id":"carl","name":"a b","time":"2024-05-02T00:00:00Z"}"#,
      ], "a.ndjson")
    let request = [#"{"custom_id":1}"#]
    try run(["a.ndjson"], to: "out")
    #expect(try erase("out", to: "copy", request).single.redactedRejects == 0)
    try run(["a.ndjson"], to: "new", request)
    #expect(try fixture.text("copy/rejects.ndjson.zst") == fixture.text("new/rejects.ndjson.zst"))
  }

  /// A request without a time covers the moment, and everything that there is, whatever its clock
  /// says.
  @Test func aRequestWithoutATimeCoversTheMoment() throws {
    try night("out", "zoe d 1 a")
    let request = [#"{"custom_id":"zoe"}"#]
    #expect(try erase("out", to: "new", request).single.outcomes[0].end == Self.moment)
    let late = try erase("out", to: "early", request, at: Rules.earliestTime)
    #expect(late.single.outcomes[0].end.map(Timestamp.text) == DeviceHistory.time(1))
    let manifest = try fixture.json("new/manifest.json")
    #expect(manifest["erased_at"]?.text == Timestamp.text(Self.moment))
    let time = "{\"custom_id\":\"zoe\",\"time\":\"\(DeviceHistory.time(1))\"}"
    #expect(try erase("out", to: "timed", [time]).moment == nil)
    #expect(try fixture.json("timed/manifest.json")["erased_at"] == nil)
    // After the last data, before the moment.
    try night("night", after: "new", "zoe d 9 b", "- d 9 c")
    #expect(try published("night") == [])
  }

  @Test func halvesOfARunNeedTheMoment() throws {
    try log("a.ndjson", ["zoe d 1 a"])
    let requests = try fixture.log(["", #"{"custom_id":"zoe"}"#], "requests.ndjson")
    let refused = #expect(throws: Failure.self) {
      try runs.partial(["a.ndjson"], to: "partial") {
        $0.merge.erasureRequests = requests
        $0.merge.erasedAt = nil
      }
    }
    #expect(refused?.kind == .usage && refused?.line == 2)
    #expect(refused?.advice.contains("--erased-at") == true)
  }

  // MARK: - Any history

  /// `erase` of an output, a run with the requests, and partials give the same bytes.
  @Test(arguments: Array(1...60) as [UInt64])
  func everyWayToEraseGivesTheSame(seed: UInt64) throws {
    var history = DeviceHistory(seed: seed)
    let lines = history.lines(30)
    try fixture.log(Array(lines[..<15]), "a.ndjson")
    try fixture.log(Array(lines[15...]), "b.ndjson")
    let logs = ["a.ndjson", "b.ndjson"]
    let requests = history.requests()
    let (how, partitions): (Comment, Int) = ("seed \(seed): \(requests)", seed % 2 == 0 ? 1 : 2)
    try run(logs, to: "out", partitions: partitions)
    try erase("out", to: "erased", requests)
    try run(logs, to: "run", requests, partitions: partitions)
    let expected = try parts("erased")
    #expect(try parts("run") == expected, how)
    let file = fixture.scratch("requests.ndjson")
    let set = { (options: inout RunOptions) in
      options.merge.erasureRequests = file
      options.merge.erasedAt = Self.moment
      options.snapshot.partitions = partitions
    }
    for name in ["a", "b"] { try runs.partial(["\(name).ndjson"], to: "half-\(name)", set) }
    try runs.mergeSteps(["half-b", "half-a"], partitions: partitions, to: "merged", set)
    try runs.finish("merged", set)
    try runs.expectSame("merged", "run", how)
    // In two nights, with the requests in the second one.
    try run(["a.ndjson"], to: "night-1", partitions: partitions)
    try run(["b.ndjson"], to: "night-2", after: "night-1", requests, partitions: partitions)
    #expect(try parts("night-2") == expected, how)
    // Nothing is left, and nothing changes any more.
    #expect(try fixture.problems(of: fixture.scratch("erased"), absent: file) == [], how)
    try erase("erased", to: "again", requests)
    #expect(try parts("again") == expected, how)
    // The same logs once more bring nothing back.
    try fixture.run(logs, to: "late", after: "erased") {
      $0.merge.reingest = true
      $0.snapshot.partitions = partitions
    }
    let holders = { try published($0).filter { !$0.hasSuffix("[]") } }
    #expect(try holders("late") == holders("erased"), how)
  }

  // MARK: - Outputs

  private func job(isDryRun: Bool = false) throws -> EraseJob {
    var options = fixture.options([], to: "new")
    options.merge.erasureRequests = try fixture.log(
      [#"{"custom_id":"zoe"}"#, #"{"custom_id":"none"}"#], "requests.ndjson")
    return EraseJob(
      ["one", "two"].map {
        (fixture.scratch($0), fixture.scratch("new/\($0)"))
      }, in: fixture.scratch("new"), options: options, isDryRun: isDryRun,
      control: JobControl())
  }

  @Test func severalOutputsArePublishedTogether() throws {
    try night("one", "zoe d 1 a")
    try night("two", after: "one", "bob e 1 b")
    let before = try fixture.scratch.names()
    let rehearsed = try job(isDryRun: true).run()
    #expect(try fixture.scratch.names() == (before + ["requests.ndjson"]).sorted())
    #expect(rehearsed.outputs.map(\.profiles) == [0, 1])
    // The second one is damaged: the first is not published, either.
    let state = "two/\(RunFiles.part(0, of: 1, in: RunFiles.state))"
    let bytes = try fixture.scratch.bytes(state)
    try fixture.scratch.write(Array(bytes.dropLast()), to: state)
    #expect(throws: Failure.self) { try job().run() }
    #expect(!fixture.scratch.has("new"))
    try fixture.scratch.write(bytes, to: state)
    let summary = try job().run()
    #expect(summary.unknown.map(\.line) == [2])
    #expect(summary.outputs.map { $0.outcomes.map(\.isKnown) } == [[true, false], [true, false]])
    for (name, left) in [("one", []), ("two", ["bob[e]: b"])] {
      #expect(try fixture.problems(of: fixture.scratch("new/\(name)")) == [])
      #expect(try published("new/\(name)") == left)
    }
  }
}
