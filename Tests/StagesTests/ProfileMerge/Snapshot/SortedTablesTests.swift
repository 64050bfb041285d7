import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct SortedTablesTests {
  private static func keys(
    _ tables: SortedTables, _ partition: Int, _ section: KeySection, _ range: KeyRange = .all
  ) -> [String] {
    let cursor = tables.cursor(partition, section, range)
    var keys: [String] = []
    while let head = cursor.head {
      keys.append(head.key.text)
      #expect(cursor.hash == XXH64.hash(head.key))
      cursor.advance()
    }
    return keys
  }

  private static func tables(
    _ keys: some Sequence<String>, shards: Int, partitions: Int
  ) throws -> SortedTables {
    let run = try MergeRun(shards: shards)
    try run.apply(keys.map { Step(kind: .touch, key: $0) })
    return SortedTables(run.shards.map { $0.takeTables() }, partitions: partitions)
  }

  @Test(arguments: [(1, 1), (3, 1), (2, 4)])
  func everyKeyStandsInItsPartition(shards: Int, partitions: Int) throws {
    let letters = ["a", "b", "\u{0}", "é", "\u{FFFD}", "\u{10000}", "long text that goes on"]
    var random = RepeatableRandom(seed: UInt64(shards))
    let keys = Set(
      (0..<600).map { _ in
        let text = (0..<Int.random(in: 1...5, using: &random))
          .map { _ in letters.randomElement(using: &random) ?? "" }.joined()
        return ["custom:", "install:"][Int(random.next() % 2)] + text
      })
    let tables = try Self.tables(keys, shards: shards, partitions: partitions)
    #expect(tables.count == keys.count)
    for partition in 0..<partitions {
      for section in [KeySection.custom, .install] {
        let expected = keys.filter { key in
          key.hasPrefix(section.prefix.text)
            && KeyHash.partition(hash(key), of: partitions) == partition
        }.sorted(by: less)
        #expect(Self.keys(tables, partition, section) == expected)
        guard expected.count > 10 else { continue }
        var limits = ByteBuffer()
        limits.append(text: expected[3])
        let position = limits.count
        // A limit need not be a key.
        limits.append(text: expected[7] + "\u{0}")
        let (lower, upper) = (limits[0..<position], limits.view.dropFirst(position))
        #expect(
          Self.keys(tables, partition, section, KeyRange(lower: lower, upper: upper))
            == Array(expected[3...7]))
        #expect(
          Self.keys(tables, partition, section, KeyRange(lower: lower, upper: nil))
            == Array(expected[3...]))
        #expect(
          Self.keys(tables, partition, section, KeyRange(lower: nil, upper: lower))
            == Array(expected[..<3]))
        #expect(Self.keys(tables, partition, section, KeyRange(lower: upper, upper: lower)) == [])
      }
      var people: [UInt64] = []
      tables.forEachPerson(partition) { people.append($0) }
      #expect(people == Self.keys(tables, partition, .custom).map { hash($0) })
    }
  }

  /// Deliveries of one anonymous event are one key with all their records.
  @Test func anonymousIDsOfOneEventStandTogether() throws {
    let run = try MergeRun(shards: 2)
    var steps: [Step] = []
    for input in ["a", "b", "c"] {
      for id in 0..<20 {
        steps.append(
          Step(
            kind: .event, key: "", name: "n", time: RandomHistory.start, id: "\(id)", input: input))
      }
    }
    try run.apply(steps)
    let tables = SortedTables(run.shards.map { $0.takeTables() }, partitions: 1)
    #expect(tables.count == 60)
    let cursor = tables.cursor(0, .anonymous, .all)
    var last = ""
    var count = 0
    while let head = cursor.head {
      #expect(less(last, head.key.text))
      last = head.key.text
      count += 1
      #expect(head.records.count == 3 * (Mutation.headLength + Mutation.wordsLength))
      cursor.advance()
    }
    #expect(count == 20)
  }

  @Test func cutsAreWhereGroupsBegin() throws {
    let keys = (0..<9000).map { "install:\($0)" }
    let tables = try Self.tables(keys, shards: 2, partitions: 1)
    let sorted = keys.sorted(by: less)
    var (cuts, sum): ([String], Int) = ([], 0)
    tables.forEachCut(0, .install) { key, keys in
      cuts.append(key.text)
      sum += keys
      #expect(KeyHash.beginsGroup(XXH64.hash(key)))
    }
    #expect(9...17 ~= cuts.count)
    #expect(cuts == cuts.sorted(by: less))
    #expect(sorted.firstIndex(of: cuts[cuts.count - 1]) == sum)
    tables.forEachCut(0, .custom) { key, _ in Issue.record("a cut at \(key.text)") }
    tables.forEachCut(0, .anonymous) { key, _ in Issue.record("a cut at \(key.text)") }
  }
}
