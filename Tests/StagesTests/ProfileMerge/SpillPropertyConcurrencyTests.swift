import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Spills of parts of a history: in any order and grouping they are the history.
@Suite struct SpillPropertyConcurrencyTests {
  private static var options: SnapshotOptions {
    var options = SnapshotOptions()
    options.partitions = 2
    options.dedupeDays = 30
    return options
  }

  private static func run(
    _ steps: [Step], spilledEvery size: Int = .max
  ) throws -> MergeRun {
    let run = try MergeRun(options: options)
    var rest = steps[...]
    while !rest.isEmpty {
      try run.apply(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
      if size < .max { try run.spill() }
    }
    return run
  }

  /// The plan with other spills.
  private static func plan(_ plan: MergePlan, _ spills: [SortedRun]) -> MergePlan {
    MergePlan(
      logs: plan.logs, spills: spills, previous: plan.previous, names: plan.names,
      runNames: plan.runNames, options: plan.options, oldestID: plan.oldestID)
  }

  @Test(arguments: Array(1...6) as [UInt64])
  func anyOrderAndGrouping(seed: UInt64) throws {
    var history = RandomHistory.wide(seed: seed, people: 10)
    history.hasPrivacy = seed % 2 == 0
    history.hasUntimed = seed % 3 != 0
    let steps = history.steps(200)
    let expected = try Self.run(steps).publish()
    for size in [7, 50] {
      let run = try Self.run(steps.shuffled(using: &history.random), spilledEvery: size)
      let published = try run.publish { plan in
        #expect(plan.spills.count > 2)
        return Self.plan(plan, plan.spills.shuffled(using: &history.random))
      }
      let difference = published.difference(from: expected)
      #expect(difference == nil, "seed \(seed), slices of \(size)")
      #expect(published.duplicates.pairs == expected.duplicates.pairs, "seed \(seed)")
    }
  }

  /// What came twice, with an id for every event, counts once.
  @Test(arguments: Array(1...4) as [UInt64])
  func aSpillDeliveredTwice(seed: UInt64) throws {
    var history = RandomHistory.wide(seed: seed, people: 10)
    history.onlyIDs = true
    history.hasUntimed = true
    let steps = history.steps(200)
    let expected = try Self.run(steps, spilledEvery: 50).publish()
    let twice = try Self.run(steps, spilledEvery: 50).publish {
      Self.plan($0, $0.spills + $0.spills)
    }
    #expect(twice.profiles == expected.profiles, "seed \(seed)")
    #expect(twice.stateFrames == expected.stateFrames, "seed \(seed)")
  }
}
