@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// What a run suppresses is the same however the run is divided.
@Suite struct SuppressedTallyConcurrencyTests {
  /// Small tables, many lanes, inputs in any order: the same bytes.
  @Test func howeverARunGoesItKeepsTheSameBack() throws {
    let fixture = try RunFixture()
    let seed = UInt64.random(in: 0...UInt64.max)
    var log = RandomLog(seed: seed, tellsPrivacy: true)
    let names = (0..<4).map { "\($0).ndjson" }
    for name in names { try fixture.log(log.lines(60), name) }
    try fixture.run(["0.ndjson"], to: "night") { $0.snapshot.partitions = 2 }
    let requests = try fixture.log(log.requests(5), "requests.ndjson")
    func set(_ options: inout RunOptions) {
      options.snapshot.partitions = 2
      (options.merge.reingest, options.merge.honorsOptOut) = (true, true)
      options.merge.erasureRequests = requests
    }
    try fixture.run(names, to: "expected", after: "night", set)
    try fixture.run(names.reversed(), to: "spilled", after: "night") {
      set(&$0)
      ($0.read.memory, $0.read.jobs) = (1, 3)
    }
    let (expected, spilled) = (
      try fixture.repeatable("expected"), try fixture.repeatable("spilled")
    )
    #expect(spilled == expected, "seed \(seed)")
  }
}
