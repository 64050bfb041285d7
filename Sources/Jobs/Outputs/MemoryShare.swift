import Pipeline

/// The shares of the parts of a run in its memory (`--memory`).
enum MemoryShare {
  /// Least bytes for units, decoders, encoders and the program itself.
  private static let fixed = 96 << 20
  /// Least bytes of a table before it is spilled: otherwise there would be many small files.
  private static let leastTable = 2 << 20

  /// Bytes for the tables of one of `shards` shards, out of `memory` bytes.
  ///
  /// Half of the rest: while tables are written their keys are sorted, and freed memory returns to
  /// the system late.
  static func table(_ memory: Int, shards: Int) -> Int {
    max(leastTable, max(0, memory - fixed) / 2 / shards)
  }

  /// Bytes for a segment, out of `memory` bytes: there are three for each partition.
  static func segment(_ memory: Int, partitions: Int) -> Int {
    min(FrameSegment.mostKept, memory / 32 / partitions)
  }

  /// Bytes for installations that fold into people, out of `memory` bytes.
  static func memberships(_ memory: Int) -> Int { max(leastTable, memory / 8) }
}
