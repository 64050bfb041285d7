import Pipeline

/// Stage 4: operations → the state of each key (data-model 13).
///
/// Works on one shard's slice at a time, on the shard's own queue, and only appends operations to
/// the logs of key ranges (``KeyLog``). The rest of the stage runs when everything is read: a range
/// at a time is sorted by key (``RangeIndex``); `Snapshot` walks it side by side with last night's
/// state and what other processes have read, which `Runs` holds sorted by key, merges the states of
/// each key by the rules of `Registers`, and writes state and profiles.
package struct ProfileMergeStage: Stage {
  package static let name = "merge"

  private let shard: ProfileShard

  /// The stage of `shard`.
  package init(_ shard: ProfileShard) { self.shard = shard }

  /// Appends the slice. Complexity: O(bytes of the slice).
  package mutating func process(_ slice: RoutedSlice) {
    do throws(Failure) { try shard.append(slice) } catch { slice.failure = error }
  }
}
