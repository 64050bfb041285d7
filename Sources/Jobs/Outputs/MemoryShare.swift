import Pipeline

/// What the parts of a run may take of its memory (`--memory`).
enum MemoryShare {
  /// What units, decoders, encoders and the program itself take at least, in bytes.
  private static let fixed = 96 << 20
  /// The least that a table is spilled for, in bytes: below that files would be many and small.
  private static let leastTable = 2 << 20

  /// Bytes that the tables of one of `shards` shards may take of `memory` bytes.
  ///
  /// Half of what is left: while tables are written out their keys are sorted, and what they gave
  /// back comes back to the system late.
  static func table(_ memory: Int, shards: Int) -> Int {
    max(leastTable, max(0, memory - fixed) / 2 / shards)
  }

  /// Bytes that a segment may keep of `memory` bytes: there are three for each partition.
  static func segment(_ memory: Int, partitions: Int) -> Int {
    min(FrameSegment.mostKept, memory / 32 / partitions)
  }

  /// Bytes that installations which fold into people may take of `memory` bytes.
  static func memberships(_ memory: Int) -> Int { max(leastTable, memory / 8) }
}
