import Pipeline

/// A part of profiles or state: which keys belong to it.
struct OutputPart: Equatable {
  let partition: Int
  let partitions: Int

  /// Notes it when the key text `key` belongs to another part (docs/file-formats.md).
  func check(_ key: ByteView, _ findings: FrameFindings) {
    let right = Int(XXH64.hash(key) % UInt64(partitions))
    if right != partition {
      findings.add(.otherPart, key.shown, right, partition)
    }
  }
}
