import Pipeline
import Testing

@testable import Stages

@Suite struct DuplicateTallyTests {
  private static func pair(_ dropped: UInt64, _ counted: UInt64) -> DuplicateTally.Pair {
    DuplicateTally.Pair(
      dropped: InputSourceID(number: dropped), counted: InputSourceID(number: counted),
      isEarlier: false)
  }

  @Test func talliesAddUpInAnyOrder() {
    var tallies = (0..<3).map { _ in DuplicateTally() }
    for (tally, count, name, pair) in [
      (0, 2, UInt32(1), Self.pair(1, 2)), (1, 3, 1, Self.pair(2, 1)), (1, 1, 2, Self.pair(1, 2)),
    ] {
      tallies[tally].add(count, EventDay(name: name, day: UInt16(count)))
      tallies[tally].add(count, pair)
    }
    var (forward, backward) = (DuplicateTally(), DuplicateTally())
    for tally in tallies { forward.merge(tally) }
    for tally in tallies.reversed() { backward.merge(tally) }
    #expect(forward == backward)
    #expect(forward.total == 6)
    var events: [[Int]] = []
    forward.events.packed.forEach { events.append([Int($0.name), Int($0.day), $1]) }
    #expect(events == [[1, 2, 2], [1, 3, 3], [2, 1, 1]])
    #expect(forward.pairs == [Self.pair(1, 2): 3, Self.pair(2, 1): 3])
    #expect(tallies[2].total == 0 && tallies[2] == DuplicateTally())
  }
}
