import TestSupport
import Testing

@testable import Stages

/// A merge gives what the naive model gives, from steps, spills and states in any order and
/// grouping. Chains of nights are in ``MergeChainTests``.
@Suite struct MergePropertyConcurrencyTests {
  private static let seeds = Effort.first(4, of: Array(1...10)) as [UInt64]

  private static func settings(
    shards: Int = 1, partitions: Int = 1, stitch: Stitch = .first, values: Bool = true
  ) -> MergeSettings {
    var settings = MergeSettings(shards: shards)
    settings.snapshot.partitions = partitions
    (settings.snapshot.stitch, settings.snapshot.withValues) = (stitch, values)
    settings.snapshot.dedupeDays = 30
    return settings
  }

  /// A history in which some events have no time, or are called otherwise by their sources, or are
  /// sent again with another time.
  private static func history(seed: UInt64) -> RandomHistory {
    var history = RandomHistory(seed: seed)
    history.hasUntimed = seed % 3 != 0
    history.hasSourceNames = seed % 4 != 0
    history.hasTimelessIDs = seed % 2 != 0
    // Within a day, over days, and over months.
    history.timeStep = [9 * 3_600_000, 1000, 80 * 3_600_000][Int(seed / 2 % 3)]
    return history
  }

  @Test(arguments: seeds)
  func aRunDoesWhatTheNaiveModelDoes(seed: UInt64) throws {
    var history = Self.history(seed: seed)
    history.hasPrivacy = seed % 2 == 0
    let steps = history.steps(20 + Int(seed) * 15)
    for stitch in Stitch.allCases {
      var naive = NaiveMerge(steps: steps, stitch: stitch)
      naive.withValues = seed % 3 != 0
      let published = try MergeRun.publish(
        steps, Self.settings(stitch: stitch, values: naive.withValues))
      let expected = naive.profiles()
      #expect(published.profiles == [expected.lines], "seed \(seed), \(stitch)")
      #expect(published.overflow == expected.overflow, "seed \(seed), \(stitch)")
      #expect(published.counts == naive.counts(), "seed \(seed), \(stitch)")
      #expect(published.daily == naive.daily(), "seed \(seed), \(stitch)")
    }
  }

  /// Parts of a history that know no event in common, in states.
  @Test(arguments: seeds)
  func mergeOfStatesIsAssociativeAndCommutative(seed: UInt64) throws {
    var history = Self.history(seed: seed)
    history.hasIDs = false
    history.hasPrivacy = seed % 2 == 0
    let steps = history.steps(120)
    let expected = try MergeRun.publish(steps, Self.settings())
    let parts = try [steps[0..<40], steps[40..<80], steps[80...]].map {
      try MergeRun.publish(Array($0), Self.settings())
    }
    func merged(_ parts: [Published]) throws -> Published {
      let run = try MergeRun(Self.settings(shards: 3))
      for part in parts {
        try run.read(part)
        try run.read(totals: part.totals)
      }
      return try run.publish()
    }
    let (a, b, c) = (parts[0], parts[1], parts[2])
    for parts in try [[a, b, c], [c, a, b], [merged([a, b]), c], [a, merged([c, b])]] {
      #expect(try merged(parts).difference(from: expected) == nil, "seed \(seed)")
    }
  }

  @Test(arguments: seeds)
  func mergeIsIdempotentCountsAside(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    history.hasEvents = false
    history.hasPrivacy = true
    let once = try MergeRun.publish(history.steps(120), Self.settings())
    let run = try MergeRun(Self.settings())
    for _ in 0..<2 { try run.read(once) }
    #expect(try run.publish().difference(from: once) == nil, "seed \(seed)")
  }

  /// The same log a second time: with ids even the counts stay; only the totals tell how many were
  /// read twice.
  @Test(arguments: seeds)
  func aLogDeliveredTwiceChangesNoProfile(seed: UInt64) throws {
    var history = Self.history(seed: seed)
    history.onlyIDs = true
    let steps = history.steps(120)
    let once = try MergeRun.publish(steps, Self.settings())
    for way in [MergeRun.Continuation.copying, .reading] {
      let run = try MergeRun(Self.settings())
      #expect(try run.goOn(from: once, by: way) == (way == .copying))
      try run.apply(steps)
      let twice = try run.publish()
      #expect(twice.profiles == once.profiles && twice.state == once.state, "seed \(seed)")
      #expect(twice.accepted == 0, "seed \(seed)")
    }
  }

  @Test(arguments: Array(1...6) as [UInt64])
  func anyOrderAndGroupingOfSpills(seed: UInt64) throws {
    var history = RandomHistory.wide(seed: seed, people: 10)
    history.hasPrivacy = seed % 2 == 0
    history.hasUntimed = seed % 3 != 0
    let steps = history.steps(200)
    let expected = try MergeRun.publish(steps, Self.settings(partitions: 2))
    for size in [7, 50] {
      let run = try MergeRun(Self.settings(partitions: 2))
      let shuffled = steps.shuffled(using: &history.random)
      for start in stride(from: 0, to: steps.count, by: size) {
        try run.apply(Array(shuffled[start...].prefix(size)))
        try run.spill()
      }
      let published = try run.publish { plan in
        #expect(plan.spills.count > 2)
        var plan = plan
        plan.spills.shuffle(using: &history.random)
        return plan
      }
      let difference = published.difference(from: expected)
      #expect(difference == nil, "seed \(seed), slices of \(size)")
      #expect(published.duplicates.pairs == expected.duplicates.pairs, "seed \(seed)")
    }
  }
}
