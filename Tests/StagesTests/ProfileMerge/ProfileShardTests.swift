import Pipeline
import Stages
import Testing

@Suite struct ProfileShardTests {
  private static let start = RandomHistory.start

  private static func event(_ key: String, id: String, value: String = "") -> Step {
    Step(kind: .event, key: key, name: "a", time: start, value: value, id: id)
  }

  @Test func everySliceIsToldItsDuplicates() {
    let run = MergeRun()
    let event = Self.event("custom:u", id: "e")
    #expect(run.apply([event, event, Self.event("custom:v", id: "e")]) == 1)
    #expect(run.apply([event, Self.event("", id: "e"), Self.event("", id: "")]) == 1)
    #expect(run.apply([Self.event("", id: "e"), Self.event("", id: "")]) == 1)
    let totals = run.shards[0].counters.totals
    #expect(totals.accepted == 5)
    #expect(totals.duplicates == 3)
    #expect(totals.count - totals.carried == totals.accepted)
  }

  @Test func withoutProfilesOnlyTotalsAreKept() {
    var options = ShardOptions()
    options.keepsProfiles = false
    let (shard, slice) = (ProfileShard(options: options), RoutedSlice())
    let run = MergeRun()
    let steps = [
      Self.event("custom:u", id: "e"), Self.event("custom:u", id: "e"),
      Step(kind: .set, key: "custom:u", name: "k", time: Self.start, value: "1"),
    ]
    for step in steps { run.append(step, to: [slice]) }
    shard.apply(slice)
    #expect(slice.duplicates == 1)
    #expect(shard.counters.totals.accepted == 1)
    let plan = SnapshotPlan(shards: [shard], names: run.names, options: SnapshotOptions())
    #expect(plan.profileCount(partition: 0) == 0)
    #expect(plan.stateCount(partition: 0) == 1)
  }

  @Test func aStateIsCarriedAndNotAccepted() throws {
    let first = MergeRun()
    first.apply([Self.event("custom:u", id: ""), Self.event("", id: "")])
    let second = MergeRun()
    try second.read(first.publish().state)
    second.apply([Self.event("custom:u", id: "")])
    let totals = second.shards[0].counters.totals
    #expect(totals.carried == 2)
    #expect(totals.accepted == 1)
    #expect(totals.count == 3)
  }

  @Test func theTablesCountWhatTheNamesOfTwoKindsMean() {
    let run = MergeRun()
    run.apply([
      Self.event("custom:u", id: ""),
      Step(kind: .set, key: "custom:u", name: "a", time: Self.start, value: "7"),
    ])
    let line = run.publish().profiles.joined()
    #expect(line.contains(#""attributes":{"a":7},"events":{"a":{"count":1,"#))
  }
}
