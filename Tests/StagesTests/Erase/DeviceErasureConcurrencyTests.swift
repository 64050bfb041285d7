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
  private func log(_ name: String, _ records: String...) throws {
    let lines = try records.map { record in
      let words = record.split(separator: " ").map { $0 == "-" ? nil : String($0) }
      let hour = try #require(words[2].flatMap { Int($0) })
      return DeviceHistory.record(words[0], words[1], hour, event: words.count > 3 ? words[3] : nil)
    }
    try fixture.log(lines, name)
  }

  private func parts(_ output: String) throws -> [String: [UInt8]] {
    try fixture.bytes(of: output).filter {
      $0.key.hasPrefix("profiles/") || $0.key.hasPrefix("state/part")
    }
  }

  // MARK: - Causes

  /// One tablet, two people: erasing the first one gave her history to the second one.
  @Test func theNextPersonGetsNothingFromBefore() throws {
    try log(
      "a.ndjson", "- tablet 1 searched", "carla tablet 5", "ben tablet 20 login",
      "- tablet 22 played")
    try run(["a.ndjson"], to: "out")
    #expect(try published("out") == ["ben[]: login", "carla[tablet]: played searched"])
    let outcome = try erase("out", to: "new", [#"{"custom_id":"carla"}"#]).single.outcomes[0]
    #expect(outcome.devices.map(\.id) == ["tablet"])
    #expect(
      outcome.devices.map { Timestamp.text($0.end) } == ["2024-05-01T19:59:59.999Z"],
      "before the first login of the next person")
    #expect(outcome.parts.events == 1 && outcome.parts.devices == 1)
    #expect(try published("new") == ["ben[tablet]: login played"])
    #expect(try fixture.problems(of: fixture.scratch("new")) == [])
    // What arrives late for the time before is suppressed, record by record.
    try log("b.ndjson", "- tablet 2 late", "- tablet 30 next")
    try run(["b.ndjson"], to: "night", after: "new")
    #expect(try published("night") == ["ben[tablet]: login next played"])
  }

  /// A device that folds into a person without other data keeps her published.
  @Test(arguments: [Stitch.first, .none])
  func aPersonWithADeviceStaysPublished(stitch: Stitch) throws {
    try log("a.ndjson", "u1 - 1 a", "u1 d 20", "- d 30 paid")
    let request = ["{\"custom_id\":\"u1\",\"time\":\"\(DeviceHistory.time(10))\"}"]
    try fixture.run(["a.ndjson"], to: "out") { $0.snapshot.stitch = stitch }
    try erase("out", to: "new", request)
    #expect(try published("new") == (stitch == .first ? ["u1[d]: paid"] : ["d[]: paid"]))
    #expect(try fixture.problems(of: fixture.scratch("new")) == [])
    try log("b.ndjson", "- d 31 x")
    // Copied, or rendered again with folding.
    try run(["b.ndjson"], to: "night", after: "new")
    #expect(try published("night") == ["u1[d]: paid x"])
  }

  /// The earliest of the links that are left decides, not the latest.
  @Test func theEarliestLinkThatIsLeftCounts() throws {
    try log("a.ndjson", "u1 d 1", "u2 d 10", "u3 d 20", "- d 5 x", "- d 15 y", "- d 30 z")
    try run(["a.ndjson"], to: "out")
    try erase("out", to: "one", [#"{"custom_id":"u1"}"#])
    #expect(try published("one") == ["u2[d]: y z", "u3[]"])
    try erase("out", to: "two", [#"{"custom_id":"u1"}"#, #"{"custom_id":"u2"}"#])
    #expect(try published("two") == ["u3[d]: z"])
    let all = ["u1", "u2", "u3"].map { "{\"custom_id\":\"\($0)\"}" }
    let summary = try erase("out", to: "three", all)
    #expect(try published("three") == [])
    #expect(
      summary.single.outcomes.map { $0.devices.map(\.id) } == [["d"], ["d"], ["d"]],
      "it went with each of them")
    #expect(summary.single.outcomes.map(\.parts.events) == [3, 0, 0])
    // Not the person it folds into: only the link is removed.
    try erase("out", to: "other", [#"{"custom_id":"u2"}"#])
    #expect(try published("other") == ["u1[d]: x y z", "u3[]"])
  }

  /// A link that arrives late, to a person who was erased, takes the device as well.
  @Test(arguments: [false, true])
  func aLateLinkToAnErasedPersonTakesTheDevice(isForever: Bool) throws {
    try log("a.ndjson", "anna - 1 a", "ben d 20", "- d 5 x", "- d 30 z", "- solo 6 y")
    try fixture.log(
      [
        DeviceHistory.record("anna", "d", 2), DeviceHistory.record("anna", "solo", 2),
        #"{"id":"d","broken"#,
      ], "late.ndjson")
    let forever = isForever ? ",\"forever\":true" : ""
    try run(["a.ndjson"], to: "out")
    try erase("out", to: "new", ["{\"custom_id\":\"anna\"\(forever)}"])
    #expect(try published("new") == ["ben[d]: x z", "solo[]: y"])
    try run(["late.ndjson"], to: "night", after: "new")
    #expect(try published("night") == ["ben[d]: z"])
    #expect(try fixture.lines("night/rejects.ndjson.zst")[0]["raw"]?.text == "")
    // And its late data afterwards.
    try log("later.ndjson", "- d 4 w")
    try run(["later.ndjson"], to: "next", after: "night")
    #expect(try published("next") == ["ben[d]: z"])
  }

  /// With `installations: keep` only the link goes, and the device folds into no person again.
  @Test func aKeptDeviceStandsAloneForGood() throws {
    try log("a.ndjson", "anna d 2", "ben d 20", "- d 5 x")
    let request = [#"{"custom_id":"anna","installations":"keep"}"#]
    try run(["a.ndjson"], to: "out")
    #expect(try erase("out", to: "new", request).single.outcomes[0].devices.isEmpty)
    #expect(try published("new") == ["ben[]", "d[]: x"])
    try log("late.ndjson", "carl d 1", "anna e 3", "- e 4 y")
    try run(["late.ndjson"], to: "night", after: "new")
    #expect(try published("night") == ["ben[]", "carl[]", "d[]: x", "e[]: y"])
    #expect(try fixture.problems(of: fixture.scratch("night")) == [])
  }

  /// Devices of strangers are linked to a placeholder, which texts contain: neither goes with it.
  /// What is one is an option of the run, or of the output that is copied.
  @Test(arguments: [Placeholders.standard, Placeholders(added: ["zoe"]), .fewest])
  func erasingNobodyKeepsDevicesAndTexts(_ placeholders: Placeholders) throws {
    let id = placeholders == .fewest || placeholders == .standard ? "0" : "zoe"
    try log("a.ndjson", "\(id) d 2", "- d 5 x")
    for (name, second) in [("b.ndjson", 1), ("c.ndjson", 2)] {
      let number = id == "0" ? "0" : "1"
      try fixture.log(
        [#"{"custom_id":"ben","name":"bad name","time":\#(second),"n":\#(number),"s":"\#(id)"}"#],
        name)
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
    try log("a.ndjson", "zoe d 1 a")
    try run(["a.ndjson"], to: "out")
    let end = try erase("out", to: "new", [#"{"custom_id":"zoe"}"#]).single.outcomes[0].end
    #expect(end == Self.moment)
    let late = try erase("out", to: "early", [#"{"custom_id":"zoe"}"#], at: Rules.earliestTime)
    #expect(late.single.outcomes[0].end.map(Timestamp.text) == DeviceHistory.time(1))
    let manifest = try fixture.json("new/manifest.json")
    #expect(manifest["erased_at"]?.text == Timestamp.text(Self.moment))
    let time = "{\"custom_id\":\"zoe\",\"time\":\"\(DeviceHistory.time(1))\"}"
    #expect(try erase("out", to: "timed", [time]).moment == nil)
    #expect(try fixture.json("timed/manifest.json")["erased_at"] == nil)
    // After the last data, before the moment.
    try log("b.ndjson", "zoe d 9 b", "- d 9 c")
    try run(["b.ndjson"], to: "night", after: "new")
    #expect(try published("night") == [])
  }

  @Test func halvesOfARunNeedTheMoment() throws {
    try log("a.ndjson", "zoe d 1 a")
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
    let requests = history.requests()
    let partitions = seed % 2 == 0 ? 1 : 2
    try run(["a.ndjson", "b.ndjson"], to: "out", partitions: partitions)
    try erase("out", to: "erased", requests)
    #expect(try fixture.problems(of: fixture.scratch("erased")) == [])
    try run(["a.ndjson", "b.ndjson"], to: "run", requests, partitions: partitions)
    let expected = try parts("erased")
    #expect(try parts("run") == expected, "seed \(seed): \(requests)")
    let file = fixture.scratch("requests.ndjson")
    let set = { (options: inout RunOptions) in
      options.merge.erasureRequests = file
      options.merge.erasedAt = Self.moment
      options.snapshot.partitions = partitions
    }
    for name in ["a", "b"] { try runs.partial(["\(name).ndjson"], to: "half-\(name)", set) }
    try runs.mergeSteps(["half-b", "half-a"], partitions: partitions, to: "merged", set)
    try runs.finish("merged", set)
    try runs.expectSame("merged", "run", "seed \(seed)")
    // In two nights, with the requests in the second one.
    try run(["a.ndjson"], to: "night-1", partitions: partitions)
    try run(["b.ndjson"], to: "night-2", after: "night-1", requests, partitions: partitions)
    #expect(try parts("night-2") == expected, "seed \(seed): \(requests)")
    // Nothing is left, and nothing changes any more.
    #expect(
      try fixture.problems(of: fixture.scratch("erased"), absent: file) == [],
      "seed \(seed): \(requests)")
    try erase("erased", to: "again", requests)
    #expect(try parts("again") == expected, "seed \(seed): \(requests)")
    // The same logs once more bring nothing back.
    try fixture.run(["a.ndjson", "b.ndjson"], to: "late", after: "erased") {
      $0.merge.reingest = true
      $0.snapshot.partitions = partitions
    }
    let holders = { try published($0).filter { !$0.hasSuffix("[]") } }
    #expect(try holders("late") == holders("erased"), "seed \(seed): \(requests)")
  }

  // MARK: - Outputs

  private func job(_ outputs: [String], isDryRun: Bool = false) throws -> EraseJob {
    var options = fixture.options([], to: "new")
    options.merge.erasureRequests = try fixture.log(
      [#"{"custom_id":"zoe"}"#, #"{"custom_id":"none"}"#], "requests.ndjson")
    return EraseJob(
      outputs.map {
        EraseJob.Target(fixture.scratch($0), to: fixture.scratch("new/\($0)"))
      }, in: fixture.scratch("new"), options: options, isDryRun: isDryRun,
      control: JobControl())
  }

  @Test func severalOutputsArePublishedTogether() throws {
    try log("a.ndjson", "zoe d 1 a")
    try log("b.ndjson", "bob e 1 b")
    try run(["a.ndjson"], to: "one")
    try run(["b.ndjson"], to: "two", after: "one")
    let before = try fixture.scratch.names()
    let rehearsed = try job(["one", "two"], isDryRun: true).run()
    #expect(try fixture.scratch.names() == (before + ["requests.ndjson"]).sorted())
    #expect(rehearsed.outputs.map(\.profiles) == [0, 1])
    // The second one is damaged: the first is not published, either.
    let state = "two/\(RunFiles.part(0, of: 1, in: RunFiles.state))"
    let bytes = try fixture.scratch.bytes(state)
    try fixture.scratch.write(Array(bytes.dropLast()), to: state)
    #expect(throws: Failure.self) { try job(["one", "two"]).run() }
    #expect(!fixture.scratch.has("new"))
    try fixture.scratch.write(bytes, to: state)
    let summary = try job(["one", "two"]).run()
    #expect(summary.unknown.map(\.line) == [2])
    #expect(summary.outputs.map { $0.outcomes.map(\.isKnown) } == [[true, false], [true, false]])
    for name in ["one", "two"] {
      #expect(try fixture.problems(of: fixture.scratch("new/\(name)")) == [])
    }
    #expect(try published("new/one") == [] && published("new/two") == ["bob[e]: b"])
  }
}
