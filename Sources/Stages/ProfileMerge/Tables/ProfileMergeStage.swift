import Pipeline

/// Stage 4: operations → the state of each key (data-model 13).
///
/// Works on one shard's slice at a time, on the shard's own queue, and only collects mutations per
/// key. The rest of the stage runs when everything is read: `Tables` sorts the mutations by key and
/// finds duplicates (``KeyRegisters``); `Runs` holds data that does not fit in memory, sorted by
/// key like last night's state; `Snapshot` walks all of these side by side, merges the states of
/// each key by the rules of `Algebra`, and writes state and profiles.
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
