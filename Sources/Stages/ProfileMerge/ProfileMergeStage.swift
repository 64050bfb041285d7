import Pipeline

/// Stage 4: operations → the state of each key (data-model 13).
///
/// Works on one shard's slice at a time, on the shard's own queue, and only collects what happens
/// to each key: duplicates are found when all of a key is put together (``RegisterRows``).
package struct ProfileMergeStage: Stage {
  package static let name = "merge"

  private let shard: ProfileShard

  /// The stage of `shard`.
  package init(_ shard: ProfileShard) { self.shard = shard }

  /// Merges the slice. Complexity: O(1) per operation on average.
  package mutating func process(_ slice: RoutedSlice) { shard.merge(slice) }
}
