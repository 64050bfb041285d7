import Pipeline
import TestSupport
import Testing

@testable import Stages

/// A chain of nights publishes the same bytes as one run over all of them, however the logs are
/// divided into nights and however each night is processed (data-model 13).
@Suite struct MergeChainTests {
  /// How each night of a chain continues from the one before.
  private enum Way: CaseIterable {
    /// What is untouched is copied, or the whole state is read in, or the options change along the
    /// chain, so that some nights are copied and others read in.
    case copying, reading, changing
  }

  /// Random nights and settings, of a printed seed.
  private struct Chain {
    let seed: UInt64
    var history: RandomHistory
    /// Whether there are people without records of their own.
    let hasGhosts: Bool
    /// What is published in the end.
    let snapshot: SnapshotOptions
    /// For how many days ids are kept in each night; as at the end if empty.
    var days: [Int] = []

    init(seed: UInt64, people: Int, days: Int = 30) {
      self.seed = seed
      hasGhosts = seed % 2 == 0
      history = RandomHistory.wide(seed: seed, people: people)
      history.hasUntimed = seed % 3 != 0
      history.hasTimelessIDs = seed % 4 > 1
      history.timeStep = [9 * 3_600_000, 1000, 80 * 3_600_000][Int(seed / 2 % 3)]
      history.hasSourceNames = seed % 3 == 1
      var snapshot = SnapshotOptions()
      snapshot.partitions = [1, 1, 2, 5][Int(history.random.next() % 4)]
      snapshot.stitch = history.random.next() % 4 == 0 ? .none : .first
      snapshot.withValues = history.random.next() % 4 != 0
      snapshot.dedupeDays = days
      self.snapshot = snapshot
    }

    mutating func number(in range: ClosedRange<Int>) -> Int {
      Int.random(in: range, using: &history.random)
    }

    /// Steps in random order, divided into nights at random positions. No night is empty.
    mutating func nights(_ steps: [Step], _ count: Int) -> [[Step]] {
      let steps = steps.shuffled(using: &history.random)
      var cuts = Set([0, steps.count])
      while cuts.count <= count { cuts.insert(number(in: 1...steps.count - 1)) }
      let positions = cuts.sorted()
      return zip(positions, positions.dropFirst()).map { Array(steps[$0..<$1]) }
    }

    /// Settings of a night that must not affect the result.
    mutating func settings(_ snapshot: SnapshotOptions) -> MergeSettings {
      MergeSettings(
        shards: number(in: 1...3), jobs: number(in: 1...3), snapshot: snapshot,
        isTight: number(in: 0...2) == 0)
    }

    /// Options that differ from those of the last night.
    mutating func otherSnapshot() -> SnapshotOptions {
      var other = snapshot
      switch number(in: 0...3) {
      case 0: other.partitions = number(in: 1...4)
      case 1 where !hasGhosts: other.stitch = other.stitch == .first ? .none : .first
      case 2: other.withValues.toggle()
      default: break
      }
      return other
    }

    mutating func publish(
      _ steps: [Step], night: Int = 0, after last: Published?, _ way: Way, isLast: Bool
    ) throws -> Published {
      var options = way == .changing && !isLast ? otherSnapshot() : snapshot
      if !days.isEmpty { options.dedupeDays = days[night % days.count] }
      let run = try MergeRun(settings(options))
      let spills = number(in: 0...2) == 0
      if let last {
        let isCopied = try run.goOn(from: last, by: way == .reading ? .reading : .copying)
        if way != .changing { #expect(isCopied == (way == .copying)) }
      }
      try run.apply(steps, slice: number(in: 1...60))
      if spills { try run.spill() }
      return try run.publish()
    }

    mutating func publish(_ nights: [[Step]], _ way: Way) throws -> [Published] {
      var published: [Published] = []
      for (night, steps) in nights.enumerated() {
        published.append(
          try publish(
            steps, night: night, after: published.last, way, isLast: night == nights.count - 1))
      }
      return published
    }
  }

  /// Links of people without records of their own. No log has them, since a record with a link also
  /// belongs to the person. A published state may still contain them.
  private static func ghosts() -> [Step] {
    (0..<3).map {
      Step(
        kind: .link, key: "install:ghost-\($0)", time: RandomHistory.start, value: "ghost-\($0 / 2)"
      )
    }
  }

  private static func expectChainsAgree(
    seed: UInt64, people: Int, steps count: Int, hasPrivacy: Bool = false
  ) throws {
    var chain = Chain(seed: seed, people: people)
    // Ids of erased events are forgotten: an event that comes again afterwards counts again.
    chain.history.hasPrivacy = hasPrivacy
    chain.history.hasIDs = !hasPrivacy
    let steps = chain.history.steps(count) + (chain.hasGhosts ? ghosts() : [])
    var nights = chain.nights(steps, 4)
    // Some things are delivered again in a later night.
    let again = (0..<5).compactMap { _ in steps.randomElement(using: &chain.history.random) }
    nights[3] += again
    let all = steps + again

    let once = try chain.publish(all, after: nil, .copying, isLast: true)
    var naive = NaiveMerge(steps: all, stitch: chain.snapshot.stitch)
    naive.withValues = chain.snapshot.withValues
    #expect(once.counts == naive.counts(), "seed \(seed)")
    #expect(once.daily == naive.daily(), "seed \(seed)")
    #expect(once.duplicates(among: ["a", "b", "c", "log"]) == naive.duplicates(), "seed \(seed)")
    let lines = { (text: String) in text.split(separator: "\n").map(String.init).sorted(by: less) }
    #expect(
      lines(once.profiles.joined()) == lines(naive.profiles().lines),
      "seed \(seed), \(chain.snapshot)")
    for way in Way.allCases {
      let last = try #require(try chain.publish(nights, way).last)
      let difference = last.difference(from: once)
      #expect(difference == nil, "seed \(seed), \(way), \(chain.snapshot)")
    }
  }

  @Test(arguments: Effort.first(4, of: Array(1...12)) as [UInt64])
  func fewPeople(seed: UInt64) throws {
    try Self.expectChainsAgree(seed: seed, people: 3, steps: 150)
  }

  @Test(arguments: Effort.first(1, of: [101, 102]) as [UInt64])
  func manyPeople(seed: UInt64) throws {
    try Self.expectChainsAgree(seed: seed, people: 600, steps: 1500)
  }

  /// Erase marks that arrive early, late, and twice; opt-outs; and locations.
  @Test(arguments: Effort.first(4, of: Array(201...212)) as [UInt64])
  func marksAndConsent(seed: UInt64) throws {
    try Self.expectChainsAgree(
      seed: seed, people: seed % 3 == 0 ? 200 : 3, steps: seed % 3 == 0 ? 600 : 150,
      hasPrivacy: true)
  }

  /// With ids that expire on the way a chain is no longer one run; but copying and reading are the
  /// same in every night.
  @Test(arguments: Effort.first(4, of: Array(1...8)) as [UInt64])
  func copyingIsReadingWhenIDsExpire(seed: UInt64) throws {
    // In a large chain most people have nothing new in a night.
    var chain = Chain(seed: seed, people: [20, 200][Int(seed % 2)])
    chain.days = [[1], [2], [0, 2], [3, 1, 0, 0, 2]][Int(seed % 4)]
    chain.history.timeStep = 11 * 3_600_000
    chain.history.onlyIDs = seed % 3 == 0
    let nights = chain.nights(chain.history.steps(300), 5)
    let copied = try chain.publish(nights, .copying)
    let read = try chain.publish(nights, .reading)
    for (night, (copied, read)) in zip(copied, read).enumerated() {
      let difference = copied.difference(from: read)
      #expect(difference == nil, "seed \(seed), night \(night)")
      #expect(copied.duplicates.pairs == read.duplicates.pairs, "seed \(seed), night \(night)")
      #expect(copied.accepted == read.accepted, "seed \(seed), night \(night)")
    }
  }
}
