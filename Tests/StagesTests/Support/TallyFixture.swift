@testable import Jobs
import Pipeline

@testable import Stages

/// The counts of a partition.
enum TallyFixture {
  static func names(_ texts: [String]) -> RunNames {
    let names = RunNames(limit: 100)
    var cache = NameCache(of: names.events)
    for text in texts { _ = cache.id(ofText: text) }
    return names
  }

  static var counted: SnapshotTally {
    var tally = SnapshotTally()
    tally.add(7, 0)
    tally.add(-3, 1)
    tally.arrayOverflow = 4
    tally.duplicates.add(3, EventDay(name: 2, day: 0))
    tally.duplicates.add(2, EventDay(name: 2, day: 19_844))
    for (people, day) in [(-1, 19_840), (2, 19_844)] {
      var days = DaySet()
      days.insert(day * DayNumber.milliseconds)
      tally.active.add(people, days)
    }
    let (a, b) = (InputSourceID(path: "a"), InputSourceID(path: "b"))
    tally.duplicates.add(2, .init(dropped: a, counted: b, isEarlier: true))
    tally.duplicates.add(3, .init(dropped: a, counted: b, isEarlier: false))
    tally.hot.events.add(.init(key: Array("custom:u".utf8), count: 4))
    tally.hot.events.add(.init(key: Array("install:u".utf8), count: 5))
    tally.hot.people.add(.init(key: Array("install:u".utf8), count: 2))
    return tally
  }
}
