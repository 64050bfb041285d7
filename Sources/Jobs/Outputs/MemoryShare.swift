import Pipeline

/// The shares of the parts of a run in its memory (`--memory`).
enum MemoryShare {
  /// Least bytes for units, decoders, encoders and the program itself.
  private static let fixed = 72 << 20
  /// Least bytes of logs in memory.
  private static let leastLogs = 2 << 20

  /// Bytes for chunks of logs (``KeyLog``), out of `memory` bytes.
  static func logs(_ memory: Int) -> Int { max(leastLogs, (memory - fixed) / 4 * 3) }

  /// Bytes for a segment, out of `memory` bytes: there are four for each partition.
  static func segment(_ memory: Int, partitions: Int) -> Int {
    min(FrameSegment.mostKept, memory / 32 / partitions)
  }

  /// Bytes for the ids that `count` keeps, out of `memory` bytes: the rest of the program, and the
  /// units of `jobs` lanes, take the others.
  static func ids(_ memory: Int, jobs: Int) -> Int {
    max(memory / 4, memory - 28 << 20 - jobs * 2 << 20)
  }

  /// Bytes for installations that fold into people, out of `memory` bytes.
  static func memberships(_ memory: Int) -> Int { max(leastLogs, memory / 32) }
}
