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

  private static func settings(tableLimit: Int) -> MergeSettings {
    var settings = MergeSettings()
    settings.snapshot = options
    settings.tableLimit = tableLimit
    return settings
  }

  /// The plan with other spills.
  private static func plan(_ plan: MergePlan, _ spills: [SortedRun]) -> MergePlan {
    MergePlan(
      tables: plan.tables, spills: spills, previous: plan.previous, names: plan.names,
      runNames: plan.runNames, options: plan.options, oldestID: plan.oldestID)
  }

  @Test(arguments: Array(1...6) as [UInt64])
  func anyOrderAndGrouping(seed: UInt64) throws {
    var history = RandomHistory.wide(seed: seed, people: 10)
    history.hasPrivacy = seed % 2 == 0
    history.hasUntimed = seed % 3 != 0
    let steps = history.steps(200)
    let once = try MergeRun(Self.settings(tableLimit: .max))
    try once.apply(steps)
    let expected = try once.publish()
    for size in [7, 50] {
      let run = try MergeRun(Self.settings(tableLimit: 0))
      try run.apply(steps.shuffled(using: &history.random), slice: size)
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
    let once = try MergeRun(Self.settings(tableLimit: 0))
    try once.apply(steps)
    let expected = try once.publish()
    let run = try MergeRun(Self.settings(tableLimit: 0))
    try run.apply(steps)
    let twice = try run.publish { Self.plan($0, $0.spills + $0.spills) }
    #expect(twice.profiles == expected.profiles, "seed \(seed)")
    #expect(twice.stateFrames == expected.stateFrames, "seed \(seed)")
  }
}
