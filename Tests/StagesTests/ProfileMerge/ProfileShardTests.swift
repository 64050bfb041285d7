@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct ProfileShardTests {
  /// Every key went to the first shard, because a shift was done before a product.
  @Test(arguments: [1, 2, 3, 16]) func shardsShareTheKeys(count: Int) {
    var keys = [Int](repeating: 0, count: count)
    for number in 0..<4000 {
      keys[ShardRoute.shard(of: hash("custom:\(number)"), count: count)] += 1
    }
    for own in keys { #expect(own * count > 3000 && own * count < 5000) }
  }

  @Test func aShardWithoutRoomOnTheDiskSaysSo() throws {
    let scratch = try ScratchDirectory()
    let staging = try StagedDirectory(scratch("out"), owner: .of(.output))
    let settings = MergeSettings(isTight: true)
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
}
