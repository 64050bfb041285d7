@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct ProfileShardTests {
  private static let start = RandomHistory.start

  private static func event(_ key: String, id: String, value: String = "") -> Step {
    Step(kind: .event, key: key, name: "a", time: start, value: value, id: id)
  }

  /// Every key went to the first shard, because a shift was done before a product.
  @Test(arguments: [1, 2, 3, 16]) func shardsShareTheKeys(count: Int) {
    var keys = [Int](repeating: 0, count: count)
    for number in 0..<4000 {
      keys[ShardRoute.shard(of: hash("custom:\(number)"), count: count)] += 1
    }
    for own in keys { #expect(own * count > 3000 && own * count < 5000) }
  }

  /// Duplicates are detected when everything is read; until then every event counts.
  @Test func duplicatesAreFoundWhenAllIsRead() throws {
    let run = try MergeRun()
    let event = Self.event("custom:u", id: "e")
    try run.apply([event, event, Self.event("custom:v", id: "e")])
    try run.apply([event, Self.event("", id: "e"), Self.event("", id: "")])
    try run.apply([Self.event("", id: "e"), Self.event("", id: "")])
    let totals = run.counters[0].totals
    #expect(totals.accepted == 8)
    #expect(totals.duplicates == 0)
    let published = try run.publish()
    #expect(published.duplicates.total == 3)
    #expect(published.accepted == 5)
    #expect(published.counts.contains(#""count":5,"#))
    #expect(published.counts.contains(#""duplicates":3,"#))
  }

  @Test func aStateIsCarriedAndNotAccepted() throws {
    for way in [MergeRun.Continuation.copying, .reading] {
      let first = try MergeRun()
      try first.apply([Self.event("custom:u", id: ""), Self.event("", id: "")])
      let second = try MergeRun()
      try second.goOn(from: first.publish(), by: way)
      try second.apply([Self.event("custom:u", id: "")])
      let totals = try second.sources().totals
      #expect(totals.carried == 2)
      #expect(totals.accepted == 1)
      #expect(totals.count == 3)
    }
  }

  @Test func aShardWithoutRoomOnTheDiskSaysSo() throws {
    let scratch = try ScratchDirectory()
    let staging = try StagedDirectory(scratch("out"), owner: .of(.output))
    var settings = MergeSettings()
    settings.isTight = true
    // The directory of its file is missing.
    let shard = ProfileShard.shards(1, settings.logs(in: staging.folder, directory: "none"))[0]
    let slice = StateSlice()
    let records = ByteBuffer(records: [Mutation(.touched)])
    let state = KeyState(key: "custom:u", records: records.view)
    for _ in 0..<1000 { state.append(to: &slice.bytes) }
    let failure = #expect(throws: Failure.self) {
      for _ in 0..<2 { try shard.append(states: slice) }
    }
    #expect(failure?.kind == .io)
  }

  @Test func theTablesCountWhatTheNamesOfTwoKindsMean() throws {
    let run = try MergeRun()
    try run.apply([
      Self.event("custom:u", id: ""),
      Step(kind: .set, key: "custom:u", name: "a", time: Self.start, value: "7"),
    ])
    let line = try run.publish().profiles.joined()
    #expect(line.contains(#""attributes":{"a":7},"events":{"a":{"count":1,"#))
  }
}
