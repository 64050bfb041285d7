@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What a run saw, apart from what the state held before it.
@Suite struct RunActivityTests {
  @Test func onlyTheMostFrequentNamesAreKeptAndTheRestIsCounted() throws {
    let names = NameTable()
    let counts = Locked(RunCounts())
    let slice = RoutedSlice()
    let kinds = RunActivity.mostNames + 3
    for number in 0..<kinds {
      let text = ByteBuffer(text: "name_\(10_000 + number)")
      let id = try #require(names.intern(text.view)).id
      // Two names that are more frequent than the others, which are all alike.
      for _ in 0..<(number == 30 ? 3 : number == 20 ? 2 : 1) {
        slice.operations.append(
          RoutedOperation(
            keyHash: 0, time: 1_717_200_000_000, id: .none, keyStart: 0, keyLength: 0,
            valueStart: 0, valueLength: 0, name: id, kind: .event, form: .plain, dialect: .v2))
      }
    }
    var stage = AggregationStage(counts)
    stage.process(slice)
    let activity = RunActivity(counts.withLock { $0 }, names: names.list())
    #expect(
      activity.names.prefix(4).map { "\($0.name) \($0.count)" }
        == ["name_10030 3", "name_10020 2", "name_10000 1", "name_10001 1"])
    #expect(activity.names.count == RunActivity.mostNames && activity.hours.events == kinds + 3)
    #expect(activity.otherNames == 3 && activity.otherEvents == 3)
  }
}
