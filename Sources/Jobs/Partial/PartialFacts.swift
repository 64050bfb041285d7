import Pipeline
import Stages

/// Everything that the first half of a run knows about its inputs besides keys and rejects: what
/// `partial` hands over in `facts.json`.
///
/// Facts of different inputs add up to those of all of them, in any order and grouping.
struct PartialFacts {
  /// The inputs, sorted by the bytes of their paths, in the order of the tally.
  var outcomes: [InputOutcome] = []
  var tally = TallyFacts()
  /// Event names, sorted by bytes; the records of the spills use these numbers.
  var events: [String] = []
  /// Attribute keys, sorted by bytes.
  var attributes: [String] = []
  var counts = RunCounts()
  /// Number of duplicates, by their input and that of the kept event; the totals and the tally
  /// exclude them.
  var duplicates: [DuplicateTally.Pair: Int] = [:]
  /// The inputs that were skipped, sorted by the bytes of their paths.
  var alreadyRead: [AlreadyRead] = []
  /// Files in the named directories that are not inputs.
  var ignoredFiles = IgnoredFiles()
  /// Differences of the events from the tracking plan, if there is one.
  var tracking: TrackingCheck?
  init() {}

  /// The facts of several parts of a run without common inputs. Complexity: O(n log n) for n inputs
  /// and names.
  init(merging parts: [PartialFacts]) {
    events = Self.union(parts.map(\.events))
    attributes = Self.union(parts.map(\.attributes))
    let inputs = parts.enumerated().flatMap { part, facts in
      facts.outcomes.enumerated().map { (outcome: $1, part: part, index: $0) }
    }.sorted(byBytesOf: \.outcome.file.path)
    outcomes = inputs.map(\.outcome)
    var positions = parts.map { [Int](repeating: 0, count: $0.outcomes.count) }
    for (position, input) in inputs.enumerated() { positions[input.part][input.index] = position }
    for facts in parts {
      addCounts(of: facts)
      counts.merge(facts.counts, renumbered: Self.numbers(of: facts.events, in: events))
      duplicates.merge(facts.duplicates, uniquingKeysWith: +)
    }
    tally.join(zip(parts.map(\.tally), positions).map { ($0, $1) })
    alreadyRead = parts.flatMap(\.alreadyRead).sorted(byBytesOf: \.path)
    ignoredFiles = IgnoredFiles(merging: parts.map(\.ignoredFiles))
    tracking = TrackingCheck(merging: parts.compactMap(\.tracking))
  }

  /// The numbers of the sorted `names` among the sorted names `all`, which must contain them.
  static func numbers(of names: [String], in all: [String]) -> [UInt32] {
    var position = 0
    return names.map { name in
      while all[position] != name { position += 1 }
      return UInt32(position)
    }
  }

  private static func union(_ lists: [[String]]) -> [String] {
    Array(Set(lists.joined())).sortedByBytes
  }

  /// The facts as the first half of the run that continues from them, which has `names`.
  func outcome(
    rejects: WrittenFile, times: FlowTimes, _ names: SnapshotNames, _ counts: RunCounts,
    before: NightBefore?
  ) -> IngestOutcome {
    var outcome = IngestOutcome(tally: tally, outcomes: outcomes, rejects: rejects, times: times)
    outcome.isOfFiles = true
    outcome.duplicates = duplicates
    outcome.tracking = tracking
    outcome.activity = RunActivity(counts, names: names.events, before: before?.names)
    outcome.counts = counts
    return outcome
  }

  func counts(in names: RunNames) -> RunCounts {
    var cache = NameCache(of: names.events)
    var result = RunCounts()
    result.merge(counts, renumbered: events.map { cache.id(ofText: $0) })
    return result
  }
}

extension TallyFacts {
  /// Takes in what does not simply add up; `positions` are the indices of the inputs of `tallies`
  /// in all of them.
  fileprivate mutating func join(_ tallies: [(tally: TallyFacts, positions: [Int])]) {
    func sum(_ list: KeyPath<TallyFacts, [CodeCount]>, samples: Int) -> [CodeCount] {
      Self.merge(tallies.map { ($0.tally[keyPath: list], $0.positions) }, samples: samples)
    }
    ledgers = Array(repeating: Ledger(), count: tallies.reduce(0) { $0 + $1.positions.count })
    for (tally, positions) in tallies {
      for (index, position) in positions.enumerated() { ledgers[position] = tally.ledgers[index] }
      add(tally.suppressed)
    }
    (reasons, losses) = (sum(\.reasons, samples: 1), sum(\.losses, samples: RunTally.samples))
    unknownFields = NameCounts(merging: tallies.map(\.tally.unknownFields))
    implausibleDates = NameCounts(merging: tallies.map(\.tally.implausibleDates))
    implausibleSamples = sum(\.remarks, samples: RunTally.samples).first?.samples ?? []
    dialects.join(tallies.map { ($0.tally.dialects, $0.positions) })
  }

  mutating func add(_ other: SuppressedTally.Table) {
    for (key, kept) in other { suppressed[key, default: SuppressedTally()].add(kept) }
  }

  /// Adds counts, and keeps the first samples of all in input order.
  private static func merge(
    _ lists: [(codes: [CodeCount], positions: [Int])], samples most: Int
  ) -> [CodeCount] {
    ReasonCode.allCases.compactMap { code in
      var count = 0
      var samples: [RunTally.Sample] = []
      for (codes, positions) in lists {
        for found in codes where found.code == code {
          count += found.count
          for var sample in found.samples {
            sample.input = positions[sample.input]
            samples.append(sample)
          }
        }
      }
      guard count > 0 else { return nil }
      // Samples of one line keep their order.
      let sorted = samples.enumerated().sorted {
        ($0.element.input, $0.element.line, $0.offset)
          < ($1.element.input, $1.element.line, $1.offset)
      }
      return CodeCount(code: code, count: count, samples: sorted.prefix(most).map(\.element))
    }
  }
}
