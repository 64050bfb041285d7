package import Pipeline

/// The capacity that a unit keeps from block to block; a usual block needs less.
package enum RetainedCapacity {
  /// Elements of an array.
  static let elements = 1 << 15
  /// Bytes of a buffer.
  package static let bytes = 4 << 20
}

extension PlainList {
  /// Removes the elements, and releases excess capacity.
  mutating func recycle() {
    removeAll()
    shrink(to: RetainedCapacity.elements)
  }
}

extension Array {
  /// Removes the elements, and releases excess capacity.
  package mutating func recycle() {
    if capacity > RetainedCapacity.elements { self = [] } else { removeAll(keepingCapacity: true) }
  }
}

/// Data of a job that travels with a unit.
package protocol UnitAttachment: AnyObject {
  /// Releases the capacity that a block with an unusual line needed.
  func recycle()
}

/// What travels from stage to stage: a block, its records, and the results of the stages.
///
/// Owned by one queue at a time; while the shards work, each uses its own slice only. Reused for
/// the whole run, so that nothing is allocated per record after warm-up, and never for another run:
/// its batch caches the numbers of names in the run's tables.
package final class WorkUnit: FlowUnit {
  package var sequence = 0
  package let block: Block
  package let batch = RecordBatch()
  /// Numbers of lines of the block that are repaired whatever the rules say.
  package var repairedLines: Set<Int> = []
  /// One slice of routed operations per shard.
  package let slices: [RoutedSlice]
  /// The same for the stage that fills them.
  package let sliceList: SliceList
  /// The rejects of the block, for the ordered end of the flow.
  package var rejects = RejectEntries()
  /// Why the job cannot continue after this unit; reported when it is the unit's turn.
  package var failure: Failure?
  /// Text that a stage made from the block (explanations, canonical lines), for the ordered end of
  /// the flow.
  package var text = ByteBuffer(capacity: 1 << 12)
  /// Number of lines of the text, where it is needed.
  package var textLines = 0
  /// The job's data; nil where it needs none.
  package var attachment: (any UnitAttachment)?

  /// Releases the capacity that a block with an unusual line needed: one line may hold millions of
  /// events, and a pool of such units would take most of the machine's memory.
  package func recycle() {
    batch.recycle()
    rejects.recycle()
    attachment?.recycle()
    for slice in slices { slice.recycle() }
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
  }

  /// A unit with an empty block of `blockSize` bytes and `shards` slices.
  package init(blockSize: Int, shards: Int) {
    block = Block(capacity: blockSize)
    slices = (0..<shards).map { _ in RoutedSlice() }
    sliceList = SliceList(slices)
  }
}
