package import Pipeline

/// A range on its way into shorter ones.
final class RangeDivision: FlowUnit {
  var sequence = 0
}

/// The logs of all shards, once everything was read: a source of the merge, in memory or in
/// temporary files. One range at a time is sorted. Any number of threads may read.
package final class KeyLogs: Sendable {
  /// The chunks of a range.
  fileprivate struct Part: Sendable {
    var chunks: [KeyChunk] = []
    var bytes = 0
    /// The least key that begins a group.
    var group: Frozen<ByteBuffer>?
    let index = Locked(SharedIndex())
  }

  /// The index of a range while cursors are in it.
  fileprivate struct SharedIndex {
    var index: Frozen<RangeIndex>?
    /// Number of cursors that will leave the range.
    var uses = 0
  }

  /// Bytes that count as one key when the merge is cut into pieces.
  static let bytesPerKey = 512

  fileprivate let ranges: Frozen<KeyRanges>
  fileprivate let parts: [Part]
  private let linkedGroups: [UInt64: Set<Fingerprint>]
  /// The duplicates found so far; most are found when keys are merged.
  package let duplicates: DuplicateTally

  /// Takes everything out of `shards`, and divides ranges that have grown out of proportion, `jobs`
  /// of them at once.
  /// - Throws: `io`; `limit`, when there are not enough threads.
  package init(_ shards: [ProfileShard], jobs: Int) throws(Failure) {
    var logs: [Frozen<KeyLog>] = []
    for shard in shards { logs.append(try shard.take()) }
    let ranges = logs[0].value.ranges
    var parts = (0..<ranges.value.count).map { _ in Part() }
    for log in logs { Self.add(log.value, to: &parts) }
    var options = logs[0].value.options
    // What is moved exists twice for a while.
    let isInMemory = options.limit >= 2 * parts.reduce(0) { $0 + $1.bytes }
    if isInMemory { options.folder = nil } else { options.limit = 0 }
    let divided = try Self.divided(parts, ranges, options, number: logs.count, jobs: jobs)
    parts = divided.parts
    var duplicates = DuplicateTally()
    var linkedGroups: [UInt64: Set<Fingerprint>] = [:]
    for log in logs {
      duplicates.merge(log.value.duplicates)
      // A key is in one log only.
      linkedGroups.merge(log.value.linkedGroups) { $0.union($1) }
    }
    self.linkedGroups = linkedGroups
    let file = options.file(logs.count + jobs)
    for number in parts.indices where options.joins && parts[number].bytes > options.longest {
      let chunks = try Self.joined(parts[number].chunks, options.longest, &duplicates)
      parts[number].chunks = []
      for chunk in chunks {
        parts[number].chunks.append(try file?.append(chunk.value.view) ?? .memory(chunk))
      }
      parts[number].bytes = chunks.reduce(0) { $0 + $1.value.count }
    }
    try file?.finish()
    self.ranges = divided.ranges
    self.parts = parts
    self.duplicates = duplicates
  }

  private static func add(_ log: borrowing KeyLog, to parts: inout [Part]) {
    for (number, range) in log.logs.enumerated() {
      if parts[number].chunks.isEmpty {
        parts[number].chunks = range.take()
      } else {
        parts[number].chunks += range.take()
      }
      parts[number].bytes += range.bytes
      if let group = range.group,
        parts[number].group.map({ group.value.view < $0.value.view }) ?? true
      {
        parts[number].group = group
      }
    }
  }

  /// Chunks of a long range whose keys are sampled, if it has more, and for each range that it
  /// becomes; most keys of one, and of all.
  private static let (sampledChunks, chunksPerRange, keysPerChunk, sampledKeys) =
    (64, 2, 8, 1 << 16)

  /// The keys that divide a range into about `count` of the same size, by list. Keys in order are
  /// neighbours throughout a chunk, so each of these needs chunks of its own.
  private static func splitters(
    _ part: Part, _ count: Int, partitions: Int
  ) throws(Failure) -> [[[UInt8]]] {
    let chunks = part.chunks
    let step = 1 + chunks.count / max(sampledChunks, chunksPerRange * count)
    let keys = max(1, min(keysPerChunk, sampledKeys * step / chunks.count))
    var sample = KeySample(partitions: partitions)
    for number in stride(from: 0, to: chunks.count, by: step) {
      try chunks[number].readBeginning { beginning, bytes in
        sample.add(beginning: beginning, of: bytes, most: keys)
      }
    }
    return sample.splitters(count)
  }

  /// A lane that moves the states of long ranges to `log`, with the number of ranges they become.
  private static func lane(
    _ long: [(Part, Int)], to log: Locked<KeyLog>, of jobs: Int
  ) -> FlowPart<RangeDivision, Void> {
    { unit throws(Failure) in
      let (part, count) = long[unit.sequence]
      try move(part.chunks, into: count * jobs, of: log)
    }
  }

  private static func move(
    _ chunks: [KeyChunk], into count: Int, of log: Locked<KeyLog>
  ) throws(Failure) {
    try log.withLock { log throws(Failure) in
      try log.expect(ranges: count)
      for chunk in chunks { try chunk.read { bytes throws(Failure) in try log.move(bytes) } }
    }
  }

  /// Divides the ranges that are too long, each on one of `jobs` cores.
  private static func divided(
    _ parts: [Part], _ ranges: Frozen<KeyRanges>, _ options: KeyLogOptions, number: Int, jobs: Int
  ) throws(Failure) -> (ranges: Frozen<KeyRanges>, parts: [Part]) {
    let partitions = ranges.value.partitions
    var keys: [[[UInt8]]] = []
    /// By range: the ranges that it becomes.
    var counts: [Int] = []
    for (list, before) in ranges.value.keys.enumerated() {
      var after: [[UInt8]] = []
      for number in 0...before.count {
        if number > 0 { after.append(before[number - 1]) }
        let part = parts[counts.count]
        var added: [[UInt8]] = []
        if part.bytes > options.longest {
          let count = part.bytes * 2 / options.longest
          added = try splitters(part, count, partitions: partitions)[list]
        }
        after += added
        counts.append(added.count + 1)
      }
      keys.append(after)
    }
    guard counts.contains(where: { $0 > 1 }) else { return (ranges, parts) }
    let divided = Frozen(KeyRanges(partitions: partitions, keys))
    let logs = (0..<jobs).map { lane in Locked(KeyLog(options, number + lane, divided)) }
    let long = Array(zip(parts, counts).filter { $0.1 > 1 })
    let flow = try Flow(
      units: jobs, of: { RangeDivision() }, fill: { $0.sequence < long.count },
      lanes: logs.map { Self.lane(long, to: $0, of: jobs) }, finish: { _ in })
    try flow.run()
    var result: [Part] = []
    for (part, count) in zip(parts, counts) {
      result += count == 1 ? [part] : (0..<count).map { _ in Part() }
    }
    for log in logs {
      try log.withLock { log throws(Failure) in
        try log.finish()
        add(log, to: &result)
      }
    }
    return (divided, result)
  }

  /// The states of each key merged, so that keys with very many need little memory. What is merged
  /// grows to `longest` bytes each time, or twice what the last merge has left.
  private static func joined(
    _ chunks: [KeyChunk], _ longest: Int, _ duplicates: inout DuplicateTally
  ) throws(Failure) -> [Frozen<ByteBuffer>] {
    var waiting: [Frozen<ByteBuffer>] = []
    var (size, most) = (0, longest)
    for chunk in chunks {
      let content = try chunk.bytes()
      waiting.append(content)
      size += content.value.count
      if size <= most { continue }
      let index = RangeIndex(waiting)
      let joined = index.joined(&duplicates)
      (waiting, size) = ([joined], joined.value.count)
      most = max(longest, 2 * size)
    }
    return waiting
  }

  // MARK: - Reading

  /// Bytes of the longest range.
  var longestRange: Int { parts.reduce(0) { max($0, $1.bytes) } }

  /// Adds the people with data to `persons`. Complexity: O(bytes).
  /// - Throws: `corrupt`, `io`.
  func addPersons(to persons: inout DirtyPersonFilter) throws(Failure) {
    for partition in 0..<ranges.value.partitions {
      for number in ranges.value.ranges(partition, .custom) {
        for chunk in parts[number].chunks {
          try chunk.read { bytes in
            var offset = 0
            while let state = KeyState(bytes, at: &offset) {
              persons.insert(XXH64.hash(state.key))
            }
          }
        }
      }
    }
  }

  /// Calls `body` with keys that begin groups, and about how many keys are between them.
  func forEachCut(
    _ partition: Int, _ section: KeySection, _ body: (_ key: ByteView, _ keys: Int) -> Void
  ) {
    var bytes = 0
    for number in ranges.value.ranges(partition, section) {
      if let group = parts[number].group {
        body(group.value.view, bytes / Self.bytesPerKey)
        bytes = 0
      }
      bytes += parts[number].bytes
    }
  }

  /// Whether a key that begins a group may be linked to someone with a mark.
  func mayFold(_ key: ByteView, intoPeopleOf erasures: Erasures) -> Bool {
    guard let people = linkedGroups[XXH64.hash(key)] else { return false }
    return people.count > KeyLog.mostLinked || people.contains { erasures.marks[$0] != nil }
  }

  /// Prepares for one cursor for each of `pieces`, the pieces of a section of a partition.
  func expect(_ pieces: [KeyRangeTask]) {
    var uses: [Int: Int] = [:]
    for piece in pieces { for number in ranges(of: piece) { uses[number, default: 0] += 1 } }
    for (number, uses) in uses { parts[number].index.withLock { $0 = SharedIndex(uses: uses) } }
  }

  /// The ranges that may have keys of a piece.
  fileprivate func ranges(of piece: KeyRangeTask) -> Range<Int> {
    let all = ranges.value.ranges(piece.partition, piece.section)
    func range(of key: ByteView) -> Int {
      ranges.value.range(of: key, piece.partition, piece.section)
    }
    let first = piece.range.lower.map(range) ?? all.lowerBound
    let last = piece.range.upper.map(range) ?? all.upperBound - 1
    return first..<max(first, last) + 1
  }

  /// The index of a range, for one cursor.
  /// - Throws: `io`.
  fileprivate func index(of number: Int) throws(Failure) -> Frozen<RangeIndex> {
    let part = parts[number]
    return try part.index.withLock { shared throws(Failure) in
      if let index = shared.index { return index }
      var chunks: [Frozen<ByteBuffer>] = []
      for chunk in part.chunks { chunks.append(try chunk.bytes()) }
      let index = Frozen(RangeIndex(chunks))
      shared.index = index
      return index
    }
  }

  /// Ends the use of a range by one cursor.
  fileprivate func leave(_ number: Int) {
    parts[number].index.withLock { shared in
      shared.uses -= 1
      if shared.uses <= 0 { shared.index = nil }
    }
  }
}

/// Iterates over the keys of logs within a piece of the merge.
final class RangeCursor: KeyCursor {
  private let logs: KeyLogs
  private let limits: KeyRange
  /// The ranges that are left, with the current one.
  private var left: Range<Int>
  private var index: Frozen<RangeIndex>?
  private var position = 0
  private(set) var key: ByteView?

  /// A cursor at the first key of `piece`.
  /// - Throws: `io`.
  init(_ logs: KeyLogs, _ piece: KeyRangeTask) throws(Failure) {
    self.logs = logs
    limits = piece.range
    left = logs.ranges(of: piece)
    try open()
  }

  deinit { for number in left { logs.leave(number) } }

  /// Moves to the first key of the current range, or of one behind it.
  private func open() throws(Failure) {
    key = nil
    while let number = left.first {
      let index = try logs.index(of: number)
      self.index = index
      position = limits.lower.map { index.value.first(from: $0) } ?? 0
      if readKey() { return }
      close(number)
    }
  }

  private func close(_ number: Int) {
    index = nil
    left = number + 1..<left.upperBound
    logs.leave(number)
  }

  /// Whether the current range has a key at the position; then the cursor is at it.
  private func readKey() -> Bool {
    guard let index, position < index.value.count else { return false }
    let next = index.value[position]
    // The end of the piece: no later range has keys of it.
    if limits.endsBefore(next) { return false }
    key = next
    return true
  }

  func state(_ position: inout UInt32) -> KeyState? {
    index?.value.state(of: self.position, &position)
  }

  func advance() throws(Failure) {
    position += 1
    if readKey() { return }
    guard let number = left.first else { return key = nil }
    close(number)
    try open()
  }
}
