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
  package mutating func recycle() {
    if capacity > RetainedCapacity.elements { self = [] } else { removeAll(keepingCapacity: true) }
  }
}

package protocol UnitAttachment: AnyObject {
  func recycle()
}

/// A unit that goes from stage to stage: a block, its records, and the results of the stages.
///
/// Owned by one queue at a time; while the shards work, each uses its own slice only. Reused for
/// the whole run, and never for another: its batch caches the numbers of names in the run's tables.
package final class WorkUnit: FlowUnit {
  package var sequence = 0
  package let block: Block
  package let batch = RecordBatch()
  /// Numbers of lines of the block that are repaired whatever the rules say.
  package var repairedLines: Set<Int> = []
  /// One slice of routed operations per shard, and the same for the stage that fills them.
  package let slices: [RoutedSlice]
  package let sliceList: SliceList
  package var rejects = RejectEntries()
  /// Why the job cannot continue after this unit; reported when it is the unit's turn.
  package var failure: Failure?
  /// Text that a stage made from the block, and its number of lines, where it is needed.
  package var text = ByteBuffer(capacity: 1 << 12)
  package var textLines = 0
  package var attachment: (any UnitAttachment)?

  /// Releases the capacity that a block with an unusual line needed: a pool of such units would
  /// take most of the machine's memory.
  package func recycle() {
    batch.recycle()
    rejects.recycle()
    attachment?.recycle()
    for slice in slices { slice.recycle() }
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
  }

  package init(blockSize: Int, shards: Int) {
    block = Block(capacity: blockSize)
    slices = (0..<shards).map { _ in RoutedSlice() }
    sliceList = SliceList(slices)
  }
}
