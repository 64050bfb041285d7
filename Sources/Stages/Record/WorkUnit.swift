package import Pipeline

/// How much room a unit keeps from block to block; a usual block needs less.
package enum RetainedCapacity {
  /// Elements of an array.
  static let elements = 1 << 15
  /// Bytes of a buffer.
  package static let bytes = 4 << 20
}

extension PlainList {
  /// Forgets the elements, and the room if it is unusual.
  mutating func recycle() {
    removeAll()
    shrink(to: RetainedCapacity.elements)
  }
}

extension Array {
  /// Forgets the elements, and the room if it is unusual.
  package mutating func recycle() {
    if capacity > RetainedCapacity.elements { self = [] } else { removeAll(keepingCapacity: true) }
  }
}

/// What a job lets travel with a unit beside what the stages know of.
package protocol UnitAttachment: AnyObject {
  /// Gives back what a block with an unusual line needed.
  func recycle()
}

/// What travels from stage to stage: a block, the records in it, and what the stages made of them.
///
/// Owned by one queue at a time; while the shards work, each touches its own slice only. Reused for
/// the whole run, so that nothing is allocated per record after warm-up, and never for another run:
/// its batch remembers the numbers that names have in the run's tables.
package final class WorkUnit: FlowUnit {
  package var sequence = 0
  package let block: Block
  package let batch = RecordBatch()
  /// One slice of routed operations per shard.
  package let slices: [RoutedSlice]
  /// The same for the stage that fills them.
  package let sliceList: SliceList
  /// What was rejected of the block, for the ordered end of the flow.
  package var rejects = RejectEntries()
  /// Why the job cannot go on behind this unit; told when it is the unit's turn.
  package var failure: Failure?
  /// Text some stage made of the block (explanations, canonical lines), for the ordered end of the
  /// flow.
  package var text = ByteBuffer(capacity: 1 << 12)
  /// How many lines the text has, where that is asked.
  package var textLines = 0
  /// What the job lets travel with the unit; nil where it needs nothing.
  package var attachment: (any UnitAttachment)?

  /// Gives back what a block with an unusual line needed: one line may hold millions of events, and
  /// a pool of such units would be most of the memory of a machine.
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
