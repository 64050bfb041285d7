import Stages
import TestSupport
import Testing

/// Any order, any split, any number of shards, partitions and nights: the same bytes, and those of
/// the naive model.
@Suite struct MergePropertyTests {
  private static let seeds = Array(1...10) as [UInt64]

  private static func options(
    partitions: Int = 1, stitch: Stitch = .first, days: Int = 30, values: Bool = true
  ) -> SnapshotOptions {
    var options = SnapshotOptions()
    options.partitions = partitions
    options.stitch = stitch
    options.dedupeDays = days
    options.withValues = values
    return options
  }

  private static func run(_ steps: [Step], _ options: SnapshotOptions = options()) -> Published {
    let run = MergeRun(options: options)
    run.apply(steps)
    return run.publish()
  }

  @Test(arguments: seeds)
  func aRunDoesWhatTheNaiveModelDoes(seed: UInt64) {
    var history = RandomHistory(seed: seed)
    let steps = history.steps(20 + Int(seed) * 15)
    for stitch in Stitch.allCases {
      var naive = NaiveMerge(steps: steps, stitch: stitch)
      naive.withValues = seed % 3 != 0
      let published = Self.run(
        steps, Self.options(stitch: stitch, values: naive.withValues))
      let expected = naive.profiles()
      #expect(published.profiles == [expected.lines], "seed \(seed), \(stitch)")
      #expect(published.overflow == expected.overflow, "seed \(seed), \(stitch)")
      #expect(published.counts == naive.counts(), "seed \(seed), \(stitch)")
    }
  }

  @Test(arguments: seeds)
  func orderAndSplitsDoNotMatter(seed: UInt64) {
    var history = RandomHistory(seed: seed)
    let steps = history.steps(120)
    for partitions in [1, 3] {
      let options = Self.options(partitions: partitions)
      let expected = Self.run(steps, options)
      for shards in [1, 2, 5] {
        let run = MergeRun(shards: shards, options: options)
        run.apply(steps.shuffled(using: &history.random), slice: 1 + Int(seed))
        #expect(run.publish(range: 2) == expected, "seed \(seed), \(shards) shards")
      }
    }
  }

  @Test(arguments: seeds)
  func nightsGiveWhatOneRunGives(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    let steps = history.steps(120)
    let expected = Self.run(steps)
    var rest = steps.shuffled(using: &history.random)[...]
    var state: [String] = []
    var last = Published()
    while !rest.isEmpty {
      let partitions = 1 + Int(history.random.next() % 3)
      let run = MergeRun(
        shards: 2, options: Self.options(partitions: rest.count > 40 ? partitions : 1))
      try run.read(state)
      run.apply(Array(rest.prefix(40)))
      rest = rest.dropFirst(40)
      last = run.publish()
      state = last.state
    }
    #expect(last == expected, "seed \(seed)")
  }

  @Test(arguments: seeds)
  func mergeOfStatesIsAssociativeAndCommutative(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    let steps = history.steps(120)
    let expected = Self.run(steps)
    let states = [steps[0..<40], steps[40..<80], steps[80...]].map { Self.run(Array($0)).state }
    func merged(_ states: [[String]]) throws -> Published {
      let run = MergeRun(shards: 3, options: Self.options())
      for state in states { try run.read(state) }
      return run.publish()
    }
    let (a, b, c) = (states[0], states[1], states[2])
    #expect(try merged([a, b, c]) == expected, "seed \(seed)")
    #expect(try merged([c, a, b]) == expected, "seed \(seed)")
    #expect(try merged([merged([a, b]).state, c]) == expected, "seed \(seed)")
    #expect(try merged([a, merged([c, b]).state]) == expected, "seed \(seed)")
  }

  @Test(arguments: seeds)
  func mergeIsIdempotentCountsAside(seed: UInt64) throws {
    for onlyIDs in [false, true] {
      var history = RandomHistory(seed: seed)
      history.hasEvents = onlyIDs
      history.onlyIDs = onlyIDs
      let once = Self.run(history.steps(120))
      let run = MergeRun(options: Self.options())
      try run.read(once.state)
      try run.read(once.state)
      let twice = run.publish()
      // With ids even the counts stay; only the totals tell how many were read twice.
      let keys = { (state: [String]) in
        state.joined().split(separator: "\n").filter { !$0.contains("\"key\":\"event:") }
      }
      #expect(keys(twice.state) == keys(once.state), "seed \(seed)")
      #expect(twice.profiles == once.profiles, "seed \(seed)")
    }
  }
}
