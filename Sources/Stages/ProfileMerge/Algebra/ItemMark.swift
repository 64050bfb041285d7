/// The latest `$add` or `$remove` of one item of an array attribute (data-model 13.1); the merge
/// keeps the winner of a total order.
package struct ItemMark: BitwiseCopyable, Equatable, Sendable {
  /// Milliseconds since 1970.
  package var time: Int
  /// Whether the item was removed, else it was added.
  package var isRemoval: Bool

  package init(time: Int, isRemoval: Bool) {
    self.time = time
    self.isRemoval = isRemoval
  }

  /// Whether a merge of the two keeps this one: the later time, then remove before add.
  package func wins(over other: ItemMark) -> Bool {
    time != other.time ? time > other.time : isRemoval && !other.isRemoval
  }
}
