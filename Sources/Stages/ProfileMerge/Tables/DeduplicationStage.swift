import Pipeline

/// Marks duplicates among events where nothing else is kept of them (`count`): of two with the same
/// id, whichever comes second.
///
/// Works on one shard's slice at a time, on the shard's own queue.
package final class DeduplicationStage: Stage {
  package static let name = "deduplication"
  /// How many operations ahead ids are asked for.
  private static let ahead = 12

  private var seen = DigestSet()
  private let limit: Int

  /// A stage whose ids may take `limit` bytes.
  package init(limit: Int) { self.limit = limit }

  /// Marks the duplicates of the slice, and tells it how many there are.
  /// Complexity: O(1) per operation on average.
  package func process(_ slice: RoutedSlice) {
    var duplicates = 0
    for index in slice.operations.indices {
      let ahead = slice.operations[min(index + Self.ahead, slice.operations.count - 1)].id
      seen.prefetch(low: ahead.low, high: ahead.high)
      let id = slice.operations[index].id
      guard id != .none, !seen.insert(low: id.low, high: id.high) else { continue }
      slice.operations[index].isDuplicate = true
      duplicates += 1
    }
    slice.duplicates = duplicates
    if seen.footprint > limit {
      slice.failure = Failure(
        .limit, doing: "telling events apart",
        why: "their ids take more memory than --memory allows",
        advice: "allow more, or use eventmill run, which takes to disk what does not fit")
    }
  }
}
