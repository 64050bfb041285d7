@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// A reprocessed line counts once, under the options of the redrive, and keeps its original source.
@Suite struct RedriveJobConcurrencyTests {
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  /// The rules of a run, and those with which its rejects are reprocessed.
  struct Change: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let strict: @Sendable (inout Rules) -> Void
    let lenient: @Sendable (inout Rules) -> Void

    private static let may3 = 1_714_694_400_000
    private static let may7 = may3 + 4 * DayNumber.milliseconds

    static let all = [
      Change(
        testDescription: "all", strict: { ($0.unknownFields, $0.notBefore) = (.reject, may3) },
        lenient: { ($0.v1, $0.unknownFields, $0.defaultTime) = (.lenient, .keep, may7) }),
      Change(
        testDescription: "window", strict: { ($0.notBefore, $0.notAfter) = (may3, may7) },
        lenient: { _ in }),
      Change(testDescription: "default time", strict: { _ in }, lenient: { $0.defaultTime = may3 }),
      Change(testDescription: "v1", strict: { _ in }, lenient: { $0.v1 = .lenient }),
      Change(
        testDescription: "unknown fields", strict: { $0.unknownFields = .reject },
        lenient: { $0.unknownFields = .drop }),
    ]
  }

  /// The promise of data-model 15: take a strict run, reprocess its rejects with other options, and
  /// merge both. The bytes of counts, profiles, state and remaining rejects are those of a run with
  /// these options, also where a line has links and only a part of it was rejected.
  @Test(
    arguments: Change.all, Effort.first(1, of: [(seed: 1, days: 30), (2, 30), (3, 0), (4, 30)]))
  func strictThenRedriveIsLenientFromTheStart(
    change: Change, random: (seed: Int, days: Int)
  ) throws {
    let seed = UInt64(random.seed)
    // An accepted event without a time has another meaning under `--default-time`.
    var usual = RandomLog(seed: seed, tellsPrivacy: true, hasUntimed: false)
    var mendable = RepairableLog(seed: seed)
    let logs = ["a.ndjson", "b.ndjson"]
    for name in logs {
      try fixture.log((usual.lines(60) + mendable.lines(80)).shuffled(seed), name)
    }
    func use(_ options: inout RunOptions, _ rules: (inout Rules) -> Void) {
      rules(&options.read.rules)
      options.read.maxRejects = nil
      options.read.jobs = 2
      options.snapshot.dedupeDays = random.days
    }
    try fixture.run(logs, to: "strict") { use(&$0, change.strict) }
    let redriven = try fixture.redrive(["strict"], to: "again") { use(&$0, change.lenient) }
    try fixture.run(["again"], to: "merged", after: "strict") { use(&$0) { _ in } }
    try fixture.run(logs, to: "lenient") { use(&$0, change.lenient) }
    #expect(redriven.ledger.acceptedEvents > 5)
    #expect(redriven.entriesLeft > 10)
    let (found, expected) = (
      try fixture.snapshot(of: "merged"), try fixture.snapshot(of: "lenient")
    )
    #expect(found.keys.sorted() == expected.keys.sorted())
    for (path, bytes) in expected { #expect(found[path] == bytes, "\(path)") }
    #expect(
      try fixture.text("again/\(RunFiles.rejects)") == fixture.text("lenient/\(RunFiles.rejects)"))
  }

  @Test func anyNumberOfJobsGivesTheSameBytes() throws {
    var log = RepairableLog(seed: 9)
    try fixture.log(log.lines(3000), "a.ndjson")
    try fixture.run(["a.ndjson"], to: "strict")
    for jobs in [1, 3] {
      try fixture.redrive(["strict"], to: "again-\(jobs)") {
        ($0.read.rules.v1, $0.read.jobs) = (.lenient, jobs)
      }
    }
    for file in [RunFiles.redriven, RunFiles.rejects, RunFiles.losses, RunFiles.manifest] {
      #expect(
        try fixture.scratch.bytes("again-1/\(file)")
          == fixture.scratch.bytes("again-3/\(file)"), "\(file)")
    }
  }
}

extension Array {
  /// The elements in an order that follows from `seed`.
  fileprivate func shuffled(_ seed: UInt64) -> [Element] {
    var random = RepeatableRandom(seed: seed)
    return shuffled(using: &random)
  }
}

/// Lines that strict refuses in whole or in part and lenient repairs, and some that both refuse.
private struct RepairableLog: RandomChoices {
  var random: RepeatableRandom

  init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

  mutating func lines(_ count: Int) -> [String] { (0..<count).map { _ in line() } }

  private mutating func event() -> String {
    let faults = [
      "\"label\":17", "\"tags\":\"a,b\"", "\"tags\":[\"A\",1,\"a\"]",
      "\"attributes\":{\"bad key\":1,\"ok\":2}", "\"attributes\":{\"list\":[1],\"x\":\"y\"}",
      "\"attributes\":\"{}\"", "\"label\":\"fine\"", "\"label\":\" \"", "\"id\":\"\"",
    ]
    let id = any(3) == 0 ? "" : "\"id\":\"e\(any(20))\","
    let extra = any(9) == 0 ? ",\"amount\":1" : ""
    let time =
      switch any(12) {
      case 0: "\"time\":1714641300,"
      case 1, 2, 3: ""
      default: "\"time\":\"2024-05-0\(1 + any(9))T0\(any(10)):00:00Z\","
      }
    return "{\(id)\"name\":\"E.Event_\(any(5))\",\(time)\(faults[any(faults.count)])\(extra)}"
  }

  private mutating func line() -> String {
    let owner =
      ["\"id\":\"user-\(any(6))\"", "\"custom_id\":\"user-\(any(6))\""][any(2)]
      + (any(2) == 0 ? ",\"installation_id\":\"phone-\(any(8))\"" : "")
    switch any(4) {
    case 0:
      let clear = any(2) == 0 ? "\"overwrite\":true," : ""
      let time = any(9) == 0 ? "" : "\"time\":\"2024-05-0\(1 + any(9))T00:00:00Z\","
      return "{\(owner),\(time)\"update\":{\(clear)"
        + "\"values\":{\"u.age\":\(any(90)),\"u.bad key\":1,\"ut.roles\":\"a,b\"}}}"
    case 1:
      let event = event()
      return "{\"custom_id\":\"user-\(any(6))\"," + event.dropFirst()
    default:
      let events = (0...any(3)).map { _ in event() }
      return "{\(owner),\"events\":[\(events.joined(separator: ","))]}"
    }
  }
}
