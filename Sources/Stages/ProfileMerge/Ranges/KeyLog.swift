package import Pipeline

package struct KeyLogOptions: Sendable {
  /// Number of partitions of the keys.
  package let partitions: Int
  /// About the most bytes of all logs that are in memory.
  var limit = Int.max
  /// The directory for the others, in a folder, and the beginning of the names of their files.
  var folder: StagedFolder?
  var directory = ""
  var name = ""
  /// Most bytes of a chunk, and of all open chunks of all logs.
  var (chunk, open) = (64 << 10, 16 << 20)
  /// Most bytes of chunks that are joined in a file.
  var extent = 256 << 10
  /// Bytes of a log after which it chooses ranges.
  var sample = 2 << 20
  /// Bytes of a range above which it is divided before it is read.
  var longest = 8 << 20
  /// Bytes of all logs in memory at which their keys are first joined, if they are repetitive.
  var repetitive = 64 << 20
  /// Whether keys are not those of memberships: states of one may be joined, and their links are
  /// to people.
  var joins = true

  package init(partitions: Int) { self.partitions = partitions }

  /// Options for logs of a job with `memory` bytes: about `limit` of chunks, and the rest in files
  /// called `name-#` in the existing directory `directory` of `folder`.
  package init(
    partitions: Int, limit: Int, memory: Int = .max, in folder: StagedFolder, directory: String,
    name: String = "keys"
  ) {
    (self.partitions, self.limit) = (partitions, limit)
    (open, longest) = (min(open, memory / 8), min(longest, max(memory / 32, 1 << 20)))
    (self.folder, self.directory, self.name) = (folder, directory, name)
  }

  /// The file with a number; nil without a folder.
  func file(_ number: Int) -> ChunkFile? {
    folder.map { ChunkFile("\(directory)/\(name)-\(number)", in: $0, longestExtent: extent) }
  }
}

/// What one shard has collected of its keys, in no order: a list of chunks for each range of keys.
///
/// ```
/// range ─► chunk │ chunk │ … │ open chunk         chunk = key state │ key state │ …
/// ```
/// Nothing is looked up or merged: an operation is appended to the open chunk of its key's range,
/// as a ``KeyState`` of its own; consecutive operations of one key share one. A full chunk stays in
/// memory, or goes to a file once the log has reached its limit. Until ranges are chosen there is
/// one for each section only. For one thread.
struct KeyLog: ~Copyable {
  /// The chunks of a range. A class, because a list cannot hold buffers.
  final class RangeLog {
    fileprivate(set) var open = ByteBuffer(capacity: 0)
    fileprivate(set) var full: [KeyChunk] = []
    /// Where the last of them can grow, if it is in a file.
    fileprivate var extent = ChunkFile.Extent()
    /// The least key that begins a group (``KeyHash/beginsGroup(_:)``).
    fileprivate(set) var group: Frozen<ByteBuffer>?
    fileprivate(set) var bytes = 0

    func take() -> [KeyChunk] {
      defer { full = [] }
      return full
    }

    /// Moves the open chunk to `file`.
    fileprivate func move(to file: ChunkFile) throws(Failure) {
      let (chunk, isNew) = try file.append(open.view, to: &extent)
      if let last = isNew ? nil : full.lastIndex(where: { $0.inMemory == nil }) {
        full[last] = chunk
      } else {
        full.append(chunk)
      }
      open.removeAll()
    }

  }

  /// The ranges of all logs of a run, once one of them has collected enough to choose them.
  typealias Choice = Locked<Frozen<KeyRanges>?>

  private static let leastChunk = 1 << 10
  /// Keys from which ranges are chosen.
  private static let samples = 24 * KeySample.usualRanges
  /// Most people that are noted of a key that begins a group.
  static let mostLinked = 64

  let options: KeyLogOptions
  private let choice: Choice
  /// Number of logs, and the most bytes in memory of this one.
  private let (count, limit): (Int, Int)
  /// Bytes of a chunk.
  private var chunk = 0
  /// Where chunks above the limit are.
  private let file: ChunkFile?
  private(set) var ranges: Frozen<KeyRanges>
  private(set) var logs: [RangeLog]
  private var borrowed: BorrowedList<RangeLog>
  private var isDivided: Bool
  /// Bytes of all chunks, of full ones in memory, and of these when keys are joined next.
  private var (bytes, held, mostHeld) = (0, 0, 0)
  private(set) var duplicates = DuplicateTally()
  /// Digests of the people that keys that begin groups were linked to, by the hash of the key, and
  /// a few more than ``mostLinked``, if there are more.
  private(set) var linkedGroups: [UInt64: Set<Fingerprint>] = [:]

  /// The empty log with the number `number`, of `count`. With `ranges` it is divided into them, and
  /// all of its chunks are in a file if there is a place for one.
  init(
    _ options: KeyLogOptions, _ number: Int, of count: Int = 1, _ choice: Choice = Choice(nil),
    ranges: Frozen<KeyRanges>? = nil
  ) {
    (self.options, self.choice, self.count) = (options, choice, count)
    limit = options.limit / count
    mostHeld = min(options.repetitive, options.limit / 2) / count
    file = options.file(number)
    isDivided = ranges != nil
    self.ranges = ranges ?? Frozen(KeyRanges(partitions: options.partitions))
    (logs, borrowed) = ([], BorrowedList([]))
    begin()
  }

  private mutating func begin() {
    logs = (0..<ranges.value.count).map { _ in RangeLog() }
    borrowed = BorrowedList(logs)
    // Each log has an open chunk for each range.
    chunk = min(options.chunk, max(options.open / (count * logs.count), Self.leastChunk))
  }

  // MARK: - Appending

  /// Appends the operations of a slice, whose texts are in `bytes`. Complexity: O(bytes).
  mutating func append(
    _ operations: Span<RoutedOperation>, _ bytes: ByteView, _ source: InputSourceID,
    _ changes: [(start: Int, source: InputSourceID)]
  ) throws(Failure) {
    var source = source
    var changes = changes[...]
    var index = 0
    while index < operations.count {
      while let change = changes.first, index >= change.start {
        source = changes.removeFirst().source
      }
      let most = changes.first?.start ?? operations.count
      index = try append(operations, from: index, to: most, bytes, source)
    }
    try settle()
  }

  /// Appends the operations from `first` on that have one key, as one state, and returns the index
  /// after them.
  private mutating func append(
    _ operations: Span<RoutedOperation>, from first: Int, to most: Int, _ bytes: ByteView,
    _ source: InputSourceID
  ) throws(Failure) -> Int {
    let operation = operations[first]
    if operation.keyLength == 0 {
      try append(anonymous: operation, source)
      return first + 1
    }
    var (end, length) = (first, 0)
    while end < most, operations[end].keyStart == operation.keyStart,
      operations[end].keyLength == operation.keyLength
    {
      length += Mutation.length(of: operations[end])
      end += 1
    }
    let key = bytes[Int(operation.keyStart)..<Int(operation.keyStart) + Int(operation.keyLength)]
    try append(key, hash: operation.keyHash, records: length) { chunk in
      for index in first..<end { Mutation(operations[index], bytes, source).append(to: &chunk) }
    }
    return end
  }

  /// Of an anonymous event only the id is kept: it has no profile.
  private mutating func append(
    anonymous operation: RoutedOperation, _ source: InputSourceID
  ) throws(Failure) {
    guard operation.kind == .event, operation.id != .none else { return }
    let id = EventID(operation.id, source: source)
    let record = Mutation(id, isEarlier: false, name: operation.name, time: operation.time)
    var key = ByteBuffer(capacity: 64)
    key.append(KeySection.anonymous.prefix)
    StateNumber.appendKey(id, to: &key)
    try append(key.view, hash: XXH64.hash(key.view), records: record.length) {
      record.append(to: &$0)
    }
  }

  /// Prepares for states that belong to `count` ranges only: then their chunks in a file are
  /// longer, and fewer.
  mutating func expect(ranges count: Int) throws(Failure) {
    if file == nil { return }
    for range in logs {
      try seal(range)
      range.open = ByteBuffer(capacity: 0)
    }
    chunk = min(options.chunk, max(options.open / count, Self.leastChunk))
  }

  mutating func move(_ bytes: ByteView) throws(Failure) {
    var offset = 0
    while let state = KeyState(bytes, at: &offset) {
      try append(state.key, hash: XXH64.hash(state.key), records: state.records.count) {
        $0.append(state.records)
      }
    }
  }

  /// Appends the state of a key, whose records `write` appends; they have `length` bytes. A state
  /// that is longer than a chunk is one of its own.
  private mutating func append(
    _ key: ByteView, hash: UInt64, records length: Int, _ write: (inout ByteBuffer) -> Void
  ) throws(Failure) {
    guard let section = KeySection(of: key) else {
      preconditionFailure("a key is a person, an installation or an anonymous id")
    }
    let size = KeyState.headLength + key.count + length
    let number = ranges.value.range(of: key, section, hash: hash)
    if borrowed.with(number, { $0.open.count + size > chunk }) {
      try seal(logs[number])
      logs[number].open.reserve(max(chunk, size))
    }
    borrowed.with(number) { range in
      let end = range.open.count + size
      KeyState.append(head: key, records: length, to: &range.open)
      write(&range.open)
      precondition(range.open.count == end, "records have the length that was said")
      range.bytes += size
    }
    bytes += size
    if KeyHash.beginsGroup(hash) { noteGroup(key, hash, records: length, in: logs[number]) }
    if size > chunk { try seal(logs[number]) }
  }

  /// Takes notes of the key appended last, which begins a group.
  private mutating func noteGroup(
    _ key: ByteView, _ hash: UInt64, records length: Int, in range: RangeLog
  ) {
    if range.group.map({ key < $0.value.view }) ?? true {
      var group = ByteBuffer(capacity: key.count)
      group.append(key)
      range.group = Frozen(group)
    }
    if !options.joins { return }
    var position = range.open.count - length
    while let record = Mutation(range.open.view, at: &position) {
      if record.kind == .link, linkedGroups[hash]?.count ?? 0 <= Self.mostLinked {
        linkedGroups[hash, default: []].insert(Erasures.digest(of: record.value))
      }
    }
  }

  private mutating func seal(_ range: RangeLog) throws(Failure) {
    if range.open.isEmpty { return }
    if isDivided, let file, held + range.open.count > limit {
      try range.move(to: file)
      range.open.shrink(to: chunk)
    } else {
      var full = ByteBuffer(capacity: 0)
      swap(&full, &range.open)
      held += full.count
      range.full.append(.memory(Frozen(full)))
    }
  }

  // MARK: - Joining

  /// How often keys are named on average where joining them saves memory.
  private static let fewRepetitions = 16
  /// One of so many ranges is counted for that.
  private static let sampled = 32

  /// Joins what the ranges in memory have of each key, if keys are named again and again. So memory
  /// for many events of few people does not grow with the events.
  private mutating func join() {
    guard options.joins, isDivided, held >= mostHeld else { return }
    var (keys, states) = (0, 0)
    for number in stride(from: 0, to: logs.count, by: Self.sampled) {
      let index = RangeIndex(logs[number].full.compactMap(\.inMemory))
      keys += index.count
      states += index.stateCount
    }
    if states >= Self.fewRepetitions * keys { for range in logs { join(range) } }
    mostHeld = max(mostHeld, 2 * held)
  }

  private mutating func join(_ range: RangeLog) {
    let chunks = range.full.compactMap(\.inMemory)
    let joined = RangeIndex(chunks).joined(&duplicates)
    let saved = chunks.reduce(0) { $0 + $1.value.count } - joined.value.count
    range.full.removeAll { $0.inMemory != nil }
    range.full.append(.memory(joined))
    (range.bytes, bytes, held) = (range.bytes - saved, bytes - saved, held - saved)
  }

  // MARK: - Ranges

  /// Chooses ranges by the keys of `parts`, whose states are read into the logs first: they come in
  /// order, so the first ones say nothing about the others.
  func choose(by parts: some Collection<SortedRun>) {
    var sample = KeySample(partitions: options.partitions)
    for part in parts {
      for section in KeySection.allCases {
        part.forEachCut(section) { sample.add($0, bytes: $1 * KeyLogs.bytesPerKey) }
      }
    }
    if sample.bytes < options.sample { return }
    // Each log has an open chunk for each range.
    let most = options.open / (2 * Self.leastChunk * count)
    let wanted = sample.bytes / (options.longest / 2)
    _ = choose(sample.splitters(max(KeySample.usualRanges, min(wanted, most))))
  }

  /// The ranges of the run: those with these splitters, unless another log has chosen some.
  private func choose(_ splitters: [[[UInt8]]]) -> Frozen<KeyRanges> {
    choice.withLock { choice in
      let chosen = choice ?? Frozen(KeyRanges(partitions: options.partitions, splitters))
      choice = chosen
      return chosen
    }
  }

  /// Chooses ranges if there is enough to do so, or takes those that another log has chosen, and
  /// joins keys.
  mutating func settle() throws(Failure) {
    if !isDivided, bytes >= options.sample { try divide() }
    join()
  }

  /// Sorts everything into the ranges of the run, which it chooses unless another log has.
  private mutating func divide() throws(Failure) {
    var sample = KeySample(partitions: options.partitions, every: bytes / Self.samples)
    for range in logs {
      for chunk in range.full { try chunk.read { sample.add($0) } }
      sample.add(range.open.view)
    }
    ranges = choose(sample.splitters())
    isDivided = true
    let before = logs
    begin()
    (bytes, held) = (0, 0)
    for range in before {
      for chunk in range.full { try chunk.read { bytes throws(Failure) in try move(bytes) } }
      try move(range.open.view)
    }
  }

  /// Ends all chunks, in the ranges of the run if any log has chosen them.
  mutating func finish() throws(Failure) {
    if !isDivided, choice.withLock({ $0 != nil }) { try divide() }
    for range in logs { try seal(range) }
    try file?.finish()
  }
}
