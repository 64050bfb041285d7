@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages
@testable import eventmill

/// The hot path allocates nothing per record: blocks of generated records go through the stages of
/// a run, four times to warm up, until the shard has chosen its ranges, and then no stage of a lane
/// calls the allocator for records that are clean, nor more than once per block for others; and no
/// stage of a shard, where what is kept grows, more than once in ten records.
///
/// Only optimised code keeps that promise, so the tests run with `swift test -c release`.
@Suite(.enabled(if: HotPath.isOptimized)) struct AllocationTests {
  @Test func cleanRecordsAllocateNothing() throws { try expect(badPerMillion: 0, perBlock: 0) }

  @Test func badRecordsAllocateNothing() throws { try expect(badPerMillion: 100_000, perBlock: 1) }

  private func expect(badPerMillion: Int, perBlock: Int) throws {
    AllocationCounter.forgetThrownErrors()
    let hotPath = try HotPath(badPerMillion: badPerMillion)
    for _ in 0..<4 { hotPath.pass() }
    let counted = hotPath.countAllocations()
    let shard = counted.filter { ["merge", "aggregate"].contains($0.key) }
    let lane = counted.filter { shard[$0.key] == nil }
    // A block has a few hundred records, so one call per ten records would exceed the limit.
    #expect(hotPath.lines / hotPath.blocks.count > 200)
    let blocks = hotPath.blocks.count
    #expect((lane.values.max() ?? 0) <= perBlock * blocks, "\(lane) in \(blocks) blocks")
    #expect((shard.values.max() ?? 0) * 10 < hotPath.lines, "\(shard) in \(hotPath.lines) lines")
  }

  /// The counter does count an allocation. Not with the allocator of a sanitizer.
  @Test(.enabled(if: AllocationCounter.isAvailable)) func anAllocationIsSeen() throws {
    let hotPath = try HotPath(badPerMillion: 0)
    hotPath.pass()
    hotPath.forgetShard()
    #expect(hotPath.countAllocations()["merge", default: 0] > 0)
  }
}

/// One lane and one shard of a run, over blocks of generated records.
private final class HotPath {
  #if DEBUG
    static let isOptimized = false
  #else
    static let isOptimized = true
  #endif

  private static let blockSize = 64 << 10
  let lines = 4000
  let blocks: [Block]
  private let unit = WorkUnit(blockSize: HotPath.blockSize, shards: 1)
  private var lane: [any Stage<WorkUnit>]
  private var shard = HotPath.newShard()
  /// Calls of the allocator, by stage; only stages that have some.
  private var counted: [String: Int] = [:]

  init(badPerMillion: Int) throws {
    var options = GenerateOptions()
    (options.lines, options.users, options.faultsPerMillion) = (lines, 300, badPerMillion)
    blocks = HotPath.blocks(of: options)
    try #require(blocks.count > 3, "several blocks")
    lane =
      Chains.canonical(Rules()) + [RouterStage(names: RunNames(), sources: [.unknown])]
  }

  /// Takes all blocks through all stages.
  func pass() {
    for block in blocks {
      unit.block.load(block)
      count(&lane, unit)
      count(&shard, unit.slices[0])
      unit.recycle()
    }
  }

  private func count<Unit>(_ stages: inout [any Stage<Unit>], _ unit: Unit) {
    for index in stages.indices {
      let before = AllocationCounter.callsOfThread
      stages[index].process(unit)
      let calls = AllocationCounter.callsOfThread - before
      if calls > 0 { counted["\(type(of: stages[index]).name)", default: 0] += calls }
    }
  }

  /// The allocations of another pass, by stage; only stages that have some.
  func countAllocations() -> [String: Int] {
    counted = [:]
    pass()
    return counted
  }

  /// Starts again with an empty log.
  func forgetShard() { shard = HotPath.newShard() }

  private static func newShard() -> [any Stage<RoutedSlice>] {
    Chains.merge(ProfileShard.shards(1, KeyLogOptions(partitions: 1))[0], EventCounters())
  }

  /// Generated lines in blocks as the reader makes them.
  private static func blocks(of options: GenerateOptions) -> [Block] {
    let generator = LogGenerator(options)
    var blocks: [Block] = []
    var line = 0
    while line < options.lines {
      let block = Block(capacity: blockSize)
      while line < options.lines, block.content.count < blockSize {
        generator.append(line, to: &block.content)
        line += 1
      }
      blocks.append(block)
    }
    return blocks
  }
}
