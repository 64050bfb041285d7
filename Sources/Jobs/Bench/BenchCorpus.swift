import Pipeline
import Stages

/// The decompressed inputs in memory, as blocks of the reader.
struct BenchCorpus {
  /// Most bytes of JSON held; stages ignore the rest, whole jobs do not.
  static let limit = 1 << 30

  private(set) var blocks: [Block] = []
  private(set) var bytes = 0
  private(set) var lines = 0

  /// Reads from `source`, until its end or the limit.
  /// - Throws: `io`, `corrupt`, and what `check` throws, which is called before every block.
  init(_ source: InputSource, check: () throws(Failure) -> Void) throws(Failure) {
    let unit = WorkUnit(blockSize: BlockReader.defaultBlockSize, shards: 1)
    while bytes < BenchCorpus.limit {
      try check()
      guard try source.fill(unit) else { return }
      let block = Block(capacity: unit.block.content.count)
      block.load(unit.block)
      blocks.append(block)
      bytes += block.content.count
      lines += NewlineScan(block.bytes).count
    }
  }
}

extension Block {
  /// Becomes a copy of `other`. Complexity: O(bytes).
  func load(_ other: Block) {
    content.removeAll()
    content.append(other.bytes)
    seal()
    (input, firstLine, offset) = (other.input, other.firstLine, other.offset)
    (overlong, records) = (other.overlong, other.records)
  }
}
