import Pipeline

/// Stage 4: operations → the state of each key (data-model 13).
///
/// Works on one shard's slice at a time, on the shard's own queue, and only collects what happens
/// to each key. The rest of the stage comes when everything is read: `Tables` put together what is
/// known of each key and find duplicates (``KeyRegisters``); what outgrows memory waits in `Runs`,
/// sorted by key like last night's state; `Snapshot` walks through all of these side by side,
/// merges the states of each key by the rules of `Algebra`, and writes state and profiles.
package struct ProfileMergeStage: Stage {
  package static let name = "merge"

  private let shard: ProfileShard

  /// The stage of `shard`.
  package init(_ shard: ProfileShard) { self.shard = shard }

  /// Merges the slice. Complexity: O(1) per operation on average.
  package mutating func process(_ slice: RoutedSlice) {
    do throws(Failure) { try shard.merge(slice) } catch { slice.failure = error }
  }
}
