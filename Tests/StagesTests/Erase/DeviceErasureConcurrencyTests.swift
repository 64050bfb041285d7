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

  /// A moment in the middle of the logs.
  private static let moment = 1_714_593_600_000

  private func erase(
    _ source: String, to output: String, _ requests: [String], at moment: Int = Self.moment
  ) throws {
    try fixture.log(requests, "requests.ndjson")
    try fixture.erase(from: source, to: output) { $0.merge.erasedAt = moment }
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

  private func parts(_ output: String) throws -> [String: [UInt8]] {
    try fixture.bytes(of: output).filter {
      $0.key.hasPrefix("profiles/") || $0.key.hasPrefix("state/part")
    }
  }

  private func marks(_ output: String) throws -> [NaiveJSON] {
    try fixture.lines("\(output)/state/totals.ndjson.zst").filter { $0["erased"] != nil }
  }

  /// `erase` of an output, a run with the requests, and partials give the same bytes.
  @Test(arguments: Effort.first(24, of: Array(1...60) as [UInt64]))
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
    // Nothing is left, and nothing changes any more, not even at an earlier moment.
    #expect(try fixture.problems(of: fixture.scratch("erased"), absent: file) == [], how)
    try erase("erased", to: "again", requests, at: Rules.earliestTime)
    #expect(try parts("again") == expected, how)
    #expect(try marks("again") == marks("erased"), how)
    // The same logs once more bring nothing back.
    try fixture.run(logs, to: "late", after: "erased") {
      $0.merge.reingest = true
      $0.snapshot.partitions = partitions
    }
    let holders = { try published($0).filter { !$0.hasSuffix("[]") } }
    #expect(try holders("late") == holders("erased"), how)
  }
}
