package import Pipeline

final class RangeDivision: FlowUnit { var sequence = 0 }

/// The logs of all shards, once everything was read: a source of the merge, in memory or in
/// temporary files. One range at a time is sorted. Any number of threads may read.
package final class KeyLogs: Sendable {
  struct Part: Sendable {
    var chunks: [KeyChunk] = []
    var bytes = 0
    /// The least key that begins a group.
    var group: Frozen<ByteBuffer>?
    fileprivate let index = Locked(SharedIndex())
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
  let parts: [Part]
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
        var extent = ChunkFile.Extent()
        let moved = try file?.append(chunk.value.view, to: &extent).chunk
        parts[number].chunks.append(moved ?? .memory(chunk))
      }
      parts[number].bytes = chunks.reduce(0) { $0 + $1.value.count }
    }
    try file?.finish()
    self.ranges = divided.ranges
    (self.parts, self.duplicates) = (parts, duplicates)
  }

  private static func add(_ log: borrowing KeyLog, to parts: inout [Part]) {
    for (number, range) in log.logs.enumerated() {
      parts[number].chunks += range.take()
      parts[number].bytes += range.bytes
      parts[number].group = [parts[number].group, range.group].compactMap(\.self)
        .min { $0.value.view < $1.value.view }
    }
  }

  /// Chunks of a long range whose keys are sampled, if it has more, and for each range that it
  /// becomes; most keys of one, and of all.
  private static let (sampledChunks, chunksPerRange, keysPerChunk, sampledKeys) =
    (64, 2, 8, 1 << 16)

  /// The keys that divide a range into about `count` of the same size, by list. Keys in order are
  /// neighbours throughout a chunk, so each of these needs chunks of its own.
  private static func splitters(
    _ chunks: [KeyChunk], _ count: Int, partitions: Int
  ) throws(Failure) -> [[[UInt8]]] {
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
      try log.withLock { log throws(Failure) in
        try log.expect(ranges: count * jobs)
        for chunk in part.chunks { try chunk.read { bytes throws(Failure) in try log.move(bytes) } }
      }
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
          added = try splitters(part.chunks, count, partitions: partitions)[list]
        }
        after += added
        counts.append(added.count + 1)
      }
      keys.append(after)
    }
    guard counts.contains(where: { $0 > 1 }) else { return (ranges, parts) }
    let divided = Frozen(KeyRanges(partitions: partitions, keys))
    let logs = (0..<jobs).map { lane in Locked(KeyLog(options, number + lane, ranges: divided)) }
    let long = Array(zip(parts, counts).filter { $0.1 > 1 })
    let flow = Flow(
      units: jobs, of: { RangeDivision() }, cores: try CoreQueues(jobs),
      fill: { $0.sequence < long.count },
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
      let joined = RangeIndex(waiting).joined(&duplicates)
      (waiting, size) = ([joined], joined.value.count)
      most = max(longest, 2 * size)
    }
    return waiting
  }

  // MARK: - Reading

  /// Adds the people with data to `persons`. Complexity: O(bytes).
  func addPersons(to persons: inout DirtyPersonFilter) throws(Failure) {
    let numbers = (0..<ranges.value.partitions).flatMap { ranges.value.ranges($0, .custom) }
    for chunk in numbers.flatMap({ parts[$0].chunks }) {
      try chunk.read { bytes in
        var offset = 0
        while let state = KeyState(bytes, at: &offset) { persons.insert(XXH64.hash(state.key)) }
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

  fileprivate func ranges(of piece: KeyRangeTask) -> Range<Int> {
    let all = ranges.value.ranges(piece.partition, piece.section)
    func range(of key: ByteView) -> Int {
      ranges.value.range(of: key, piece.partition, piece.section)
    }
    let first = piece.range.lower.map(range) ?? all.lowerBound
    let last = piece.range.upper.map(range) ?? all.upperBound - 1
    return first..<max(first, last) + 1
  }

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
  private var left: Range<Int>
  private var index: Frozen<RangeIndex>?
  private var position = 0
  private(set) var key: ByteView?

  init(_ logs: KeyLogs, _ piece: KeyRangeTask) throws(Failure) {
    self.logs = logs
    limits = piece.range
    left = logs.ranges(of: piece)
    try open()
  }

  deinit { for number in left { logs.leave(number) } }

  private func open() throws(Failure) {
    while let number = left.first {
      let index = try logs.index(of: number)
      self.index = index
      position = limits.lower.map { index.value.first(from: $0) } ?? 0
      readKey()
      if key != nil { return }
      close(number)
    }
  }

  private func close(_ number: Int) {
    index = nil
    left = number + 1..<left.upperBound
    logs.leave(number)
  }

  /// Reads the key at the position, if the current range has one there. At the end of the piece no
  /// later range has keys of it.
  private func readKey() {
    key = nil
    guard let index, position < index.value.count else { return }
    let next = index.value[position]
    if !limits.endsBefore(next) { key = next }
  }

  func state(_ position: inout UInt32) -> KeyState? {
    index?.value.state(of: self.position, &position)
  }

  func advance() throws(Failure) {
    position += 1
    readKey()
    guard key == nil, let number = left.first else { return }
    close(number)
    try open()
  }
}
