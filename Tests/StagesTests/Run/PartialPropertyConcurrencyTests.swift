@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Partials of any cut of the inputs, merged in any order and grouping, give the bytes of one run.
@Suite struct PartialPropertyConcurrencyTests {
  /// A case: how a night is run and cut.
  private struct Night {
    var partitions: Int
    var change: @Sendable (inout RunOptions) -> Void
    /// What of it the second half is told.
    var label: String
    /// Who is to be erased.
    var requests: String?
  }

  private static func night(_ random: inout RepeatableRandom) -> Night {
    let partitions = Int.random(in: 1...4, using: &random)
    let stitch = Bool.random(using: &random) ? Stitch.first : .none
    let days = [0, 2, 30][Int.random(in: 0..<3, using: &random)]
    let withValues = Int.random(in: 0..<3, using: &random) > 0
    let policy = Bool.random(using: &random) ? V1Policy.strict : .lenient
    let level = Int.random(in: 1...2, using: &random)
    let reingest = Bool.random(using: &random)
    return Night(
      partitions: partitions,
      change: {
        $0.snapshot.partitions = partitions
        $0.snapshot.stitch = stitch
        $0.snapshot.dedupeDays = days
        $0.snapshot.withValues = withValues
        $0.read.rules.v1 = policy
        $0.publish.level = level
        $0.merge.reingest = reingest
      },
      label: "\(partitions) partitions, stitch \(stitch), \(days) days, values \(withValues), "
        + "\(policy), level \(level), reingest \(reingest)")
  }

  /// Cuts `items` into up to four groups, none of them empty.
  private static func cut(_ items: [String], _ random: inout RepeatableRandom) -> [[String]] {
    var groups: [[String]] = Array(repeating: [], count: Int.random(in: 1...4, using: &random))
    for item in items.shuffled(using: &random) {
      groups[Int.random(in: groups.indices, using: &random)].append(item)
    }
    return groups.filter { !$0.isEmpty }
  }

  @Test func anyCutGivesTheBytesOfOneRun() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    for number in 0..<3 { try check(seed &+ UInt64(number)) }
  }

  private func check(_ seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    var log = RandomLog(seed: seed, tellsPrivacy: seed % 3 > 0)
    let runs = try PartialRuns()
    var previous: String?
    var earlier = Self.night(&random)
    for number in 0...1 {
      // In every second case with options that prevent copying the state.
      let partitions = earlier.partitions
      while number > 0, seed % 2 == 0, earlier.partitions == partitions {
        earlier = Self.night(&random)
      }
      var night = earlier
      night.label = "seed \(seed), night \(number), \(night.label)"
      let names = (0..<Int.random(in: 1...5, using: &random)).map {
        "night-\(number)/\"log\" \($0).ndjson"
      }
      for name in names {
        try runs.fixture.log(log.lines(Int.random(in: 0...40, using: &random)), name)
      }
      let from = previous.map { runs.fixture.scratch($0) }
      // Every third case has erasure requests.
      if seed % 3 == 1, number == 1 || Bool.random(using: &random) {
        let requests = log.requests(Int.random(in: 1...4, using: &random))
        let file = try runs.fixture.log(requests, "requests-\(number).ndjson")
        let change = night.change
        night.change = {
          change(&$0)
          $0.merge.erasureRequests = file
        }
        night.requests = file
        night.label += ", \(requests)"
      }
      try runs.fixture.run(names, to: "whole-\(number)") {
        night.change(&$0)
        $0.merge.previous = from
        $0.read.jobs = 2
      }
      try cutAndMerge(names, "\(number)", from: from, night, runs, &random)
      try runs.expectSame("cut-\(number)", "whole-\(number)", "\(night.label)")
      // The next night continues from either output.
      previous = Bool.random(using: &random) ? "whole-\(number)" : "cut-\(number)"
    }
  }

  private func cutAndMerge(
    _ names: [String], _ number: String, from: String?, _ night: Night, _ runs: PartialRuns,
    _ random: inout RepeatableRandom
  ) throws {
    var partials: [String] = []
    for (part, group) in Self.cut(names, &random).enumerated() {
      partials.append("partial-\(number)-\(part)")
      let jobs = Int.random(in: 1...3, using: &random)
      let level = Int.random(in: 1...3, using: &random)
      try runs.partial(group, to: partials[part]) {
        night.change(&$0)
        $0.read.jobs = jobs
        $0.publish.level = level
        // Whom earlier nights have erased.
        $0.merge.previous = from
        // What the second half is told is nothing to the first.
        ($0.snapshot.stitch, $0.snapshot.dedupeDays, $0.snapshot.withValues) = (.first, 0, true)
      }
    }
    for step in MergeStep.allCases where step != .unchanged || from != nil {
      for partition in (0..<night.partitions).shuffled(using: &random) {
        let repeated = partials.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        let named = (partials + repeated).shuffled(using: &random)
        let jobs = Int.random(in: 1...3, using: &random)
        let summary = try runs.merge(partition, step: step, named, to: "cut-\(number)") {
          night.change(&$0)
          $0.merge.previous = from
          $0.read.jobs = jobs
          // The partials know these.
          ($0.snapshot.partitions, $0.read.rules.v1) = (1, .strict)
        }
        #expect(summary.repeated == repeated.count, "\(night.label)")
      }
    }
    try runs.finish("cut-\(number)") {
      $0.read.jobs = 2
      $0.merge.erasureRequests = night.requests
    }
  }
}
