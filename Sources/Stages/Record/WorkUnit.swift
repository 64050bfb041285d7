package import Pipeline

/// What travels from stage to stage: a block, the records in it, and what the stages made of them.
///
/// Owned by one queue at a time; while the shards work, each touches its own slice only. Reused for
/// the whole run, so that nothing is allocated per block after warm-up.
package final class WorkUnit: FlowUnit, @unchecked Sendable {
  // @unchecked because the flow hands a unit from queue to queue, never to two at once.
  package var sequence = 0
  package let block: Block
  package var batch = RecordBatch()
  /// One slice of routed operations per shard.
  package let slices: [RoutedSlice]
  /// What was rejected of the block, for the ordered end of the flow.
  package var rejects = RejectEntries()
  /// Text some stage made of the block (explanations), for the ordered end of the flow.
  package var text = ByteBuffer(capacity: 1 << 12)

  /// A unit with an empty block of `blockSize` bytes and `shards` slices.
  package init(blockSize: Int, shards: Int) {
    block = Block(capacity: blockSize)
    slices = (0..<shards).map { _ in RoutedSlice() }
  }
}
