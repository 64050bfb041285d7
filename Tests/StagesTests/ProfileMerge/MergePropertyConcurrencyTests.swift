import Stages
import TestSupport
import Testing

/// Any order, any split, any number of shards, partitions and nights: the same bytes, and those of
/// the naive model.
@Suite struct MergePropertyConcurrencyTests {
  private static let seeds = Effort.first(4, of: Array(1...10)) as [UInt64]

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

  private static func run(
    _ steps: [Step], _ options: SnapshotOptions = options()
  ) throws -> Published {
    let run = try MergeRun(options: options)
    try run.apply(steps)
    return try run.publish()
  }

  @Test(arguments: seeds)
  func aRunDoesWhatTheNaiveModelDoes(seed: UInt64) throws {
    var history = Self.history(seed: seed)
    history.hasPrivacy = seed % 2 == 0
    let steps = history.steps(20 + Int(seed) * 15)
    for stitch in Stitch.allCases {
      var naive = NaiveMerge(steps: steps, stitch: stitch)
      naive.withValues = seed % 3 != 0
      let published = try Self.run(steps, Self.options(stitch: stitch, values: naive.withValues))
      let expected = naive.profiles()
      #expect(published.profiles == [expected.lines], "seed \(seed), \(stitch)")
      #expect(published.overflow == expected.overflow, "seed \(seed), \(stitch)")
      #expect(published.counts == naive.counts(), "seed \(seed), \(stitch)")
      #expect(published.daily == naive.daily(), "seed \(seed), \(stitch)")
    }
  }

  @Test(arguments: seeds)
  func orderAndSplitsDoNotMatter(seed: UInt64) throws {
    var history = Self.history(seed: seed)
    history.hasPrivacy = seed % 2 == 0
    let steps = history.steps(120)
    for partitions in [1, 3] {
      let options = Self.options(partitions: partitions)
      let expected = try Self.run(steps, options)
      for shards in [1, 2, 5] {
        let run = try MergeRun(shards: shards, options: options)
        try run.apply(steps.shuffled(using: &history.random), slice: 1 + Int(seed))
        #expect(
          try run.publish().difference(from: expected) == nil, "seed \(seed), \(shards) shards")
      }
    }
  }

  @Test(arguments: seeds)
  func nightsGiveWhatOneRunGives(seed: UInt64) throws {
    var history = Self.history(seed: seed)
    // Ids of erased events are forgotten: an event that comes again afterwards counts again.
    history.hasPrivacy = seed % 2 == 0
    history.hasIDs = !history.hasPrivacy
    let steps = history.steps(120)
    let expected = try Self.run(steps)
    var rest = steps.shuffled(using: &history.random)[...]
    var last: Published?
    while !rest.isEmpty {
      let partitions = 1 + Int(history.random.next() % 3)
      let run = try MergeRun(
        shards: 2, options: Self.options(partitions: rest.count > 40 ? partitions : 1))
      if let last { try run.goOn(from: last) }
      try run.apply(Array(rest.prefix(40)))
      rest = rest.dropFirst(40)
      last = try run.publish()
    }
    #expect(try #require(last).difference(from: expected) == nil, "seed \(seed)")
  }

  /// Parts of a history that know no event in common, in states.
  @Test(arguments: seeds)
  func mergeOfStatesIsAssociativeAndCommutative(seed: UInt64) throws {
    var history = Self.history(seed: seed)
    history.hasIDs = false
    history.hasPrivacy = seed % 2 == 0
    let steps = history.steps(120)
    let expected = try Self.run(steps)
    let parts = try [steps[0..<40], steps[40..<80], steps[80...]].map { try Self.run(Array($0)) }
    func merged(_ parts: [Published]) throws -> Published {
      let run = try MergeRun(shards: 3, options: Self.options())
      for part in parts {
        try run.read(part)
        try run.read(totals: part.totals)
      }
      return try run.publish()
    }
    let (a, b, c) = (parts[0], parts[1], parts[2])
    #expect(try merged([a, b, c]).difference(from: expected) == nil, "seed \(seed)")
    #expect(try merged([c, a, b]).difference(from: expected) == nil, "seed \(seed)")
    #expect(try merged([merged([a, b]), c]).difference(from: expected) == nil, "seed \(seed)")
    #expect(try merged([a, merged([c, b])]).difference(from: expected) == nil, "seed \(seed)")
  }

  @Test(arguments: seeds)
  func mergeIsIdempotentCountsAside(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    history.hasEvents = false
    history.hasPrivacy = true
    let once = try Self.run(history.steps(120))
    let run = try MergeRun(options: Self.options())
    try run.read(once)
    try run.read(once)
    #expect(try run.publish().difference(from: once) == nil, "seed \(seed)")
  }

  /// The same log a second time: with ids even the counts stay; only the totals tell how many were
  /// read twice.
  @Test(arguments: seeds)
  func aLogDeliveredTwiceChangesNoProfile(seed: UInt64) throws {
    var history = Self.history(seed: seed)
    history.onlyIDs = true
    let steps = history.steps(120)
    let once = try Self.run(steps)
    for way in [MergeRun.Continuation.copying, .reading] {
      let run = try MergeRun(options: Self.options())
      #expect(try run.goOn(from: once, by: way) == (way == .copying))
      try run.apply(steps)
      let twice = try run.publish()
      #expect(twice.profiles == once.profiles, "seed \(seed)")
      #expect(twice.state == once.state, "seed \(seed)")
      #expect(twice.accepted == 0, "seed \(seed)")
    }
  }
}
