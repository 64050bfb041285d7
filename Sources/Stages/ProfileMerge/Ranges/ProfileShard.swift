package import Pipeline

/// The owner of a share of all keys: collects their operations (data-model 12, 13).
///
/// Slices of operations and of states come in any order, and the result does not depend on it. One
/// thread at a time appends.
package final class ProfileShard: Sendable {
  private let log: Locked<KeyLog>

  private init(_ log: consuming sending KeyLog) { self.log = Locked(log) }

  /// The `count` shards of a run.
  package static func shards(_ count: Int, _ options: KeyLogOptions) -> [ProfileShard] {
    let choice = KeyLog.Choice(nil)
    return (0..<count).map { ProfileShard(KeyLog(options, $0, of: count, choice)) }
  }

  /// Prepares it, and the others of a run, for the states of `previous`.
  package func expect(_ previous: PreviousSnapshot) {
    log.withLock { $0.choose(by: previous.parts.values) }
  }

  /// Appends the operations of a slice. Complexity: O(bytes of the slice).
  /// - Throws: `io`, when they cannot be written to a temporary file.
  package func append(_ slice: RoutedSlice) throws(Failure) {
    let (operations, bytes) = (slice.operations, slice.bytes.view)
    let (source, changes) = (slice.source, slice.changes)
    try log.withLock { log throws(Failure) in
      try log.append(operations.span, bytes, source, changes)
    }
  }

  /// Appends a slice of a state.
  /// - Throws: as above.
  package func append(states slice: StateSlice) throws(Failure) {
    let states = slice.bytes.view
    try log.withLock { log throws(Failure) in try log.append(states: states) }
  }

  /// Removes and returns everything. Once.
  /// - Throws: as above.
  func take() throws(Failure) -> Frozen<KeyLog> {
    try log.withLock { log throws(Failure) in
      try log.finish()
      let options = log.options
      let taken = log
      log = KeyLog(KeyLogOptions(partitions: options.partitions), 0, of: 1, KeyLog.Choice(nil))
      return Frozen(taken)
    }
  }
}
