package import Pipeline

/// Stage 4: operations → the state of each key (data-model 12, 13). The owner of a share of all
/// keys.
///
/// On its own queue it only appends operations to the logs of key ranges (``KeyLog``), in any
/// order. When everything is read, a range at a time is sorted by key (``RangeIndex``); `Snapshot`
/// walks it side by side with `Runs` (last night's state, and what other processes have read),
/// merges the states of each key by the rules of `Registers`, and writes state and profiles.
package final class ProfileShard: Stage, Sendable {
  package static let name = "merge"

  private let log: Locked<KeyLog>

  private init(_ log: consuming sending KeyLog) { self.log = Locked(log) }

  package static func shards(_ count: Int, _ options: KeyLogOptions) -> [ProfileShard] {
    let choice = KeyLog.Choice(nil)
    return (0..<count).map { ProfileShard(KeyLog(options, $0, of: count, choice)) }
  }

  /// Prepares it, and the others of a run, for the states of `previous`.
  package func expect(_ previous: [Int: SortedRun]) {
    log.withLock { $0.choose(by: previous.values) }
  }

  /// Appends the operations of a slice. It fails with `io` when they cannot be written to a
  /// temporary file. Complexity: O(bytes of the slice).
  package func process(_ slice: RoutedSlice) {
    let (operations, bytes) = (slice.operations, slice.bytes.view)
    let (source, changes) = (slice.source, slice.changes)
    do throws(Failure) {
      try log.withLock { log throws(Failure) in
        try log.append(operations.span, bytes, source, changes)
      }
    } catch { slice.failure = error }
  }

  /// Appends a slice of a state.
  package func append(states slice: StateSlice) throws(Failure) {
    let states = slice.bytes.view
    try log.withLock { log throws(Failure) in
      try log.move(states)
      try log.settle()
    }
  }

  /// Removes and returns everything. Once.
  func take() throws(Failure) -> Frozen<KeyLog> {
    try log.withLock { log throws(Failure) in
      try log.finish()
      let empty = KeyLogOptions(partitions: log.options.partitions)
      let taken = log
      log = KeyLog(empty, 0)
      return Frozen(taken)
    }
  }
}

/// Key states of a state for one shard; the counterpart of ``RoutedSlice``.
package final class StateSlice {
  package var bytes = ByteBuffer(capacity: 1 << 12)
  package init() {}
  package func removeAll() { bytes.removeAll() }
}
