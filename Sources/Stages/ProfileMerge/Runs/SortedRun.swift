package import Pipeline

/// Keys that were written in order (``RunWriter``, ``SnapshotFrames``), readable from any of them
/// on by any thread: a part of a state, with the profiles beside it, or a spill.
///
/// What reads or writes files here, and in what works on runs, throws `corrupt` and `io`.
///
/// Its frames hold the keys (``KeyFrame``), its index the position and the first key of each frame
/// (``IndexEntry``). The index of a spill is its last frame, and is kept in memory. That of a part
/// of a state has separate frames; only the beginning of each is kept.
package final class SortedRun: Sendable {
  /// The kind of content, and how far it is trusted.
  package enum Content: Sendable {
    /// A published state.
    case state
    /// The states of a partial, made by another process.
    case partial
    /// Installations under the keys of their people, from another process.
    case memberships
    /// Data that this process itself has written, with its own numbers of names.
    case own
  }

  /// A unit of reading: a frame of a spill, or the frames in one frame of the index.
  struct Stretch {
    let key: ByteView
    /// Number of the section of its keys, counted through all partitions; -1 for the header.
    let section: Int
    let beginsGroup: Bool
    /// Whether it continues the last key of the previous one.
    let goesOn: Bool
    let state: Int
    let profiles: Int
    /// Offset of its entry in the index, if that is in memory.
    let entry: Int
    fileprivate(set) var keys: Int
  }

  /// What is done with a published state.
  package static let doing = "reading the output"

  package let state: PositionedFile
  let profiles: PositionedFile?
  let content: Content
  /// The frames of the index; nil when all of it is in memory.
  private let index: FrameFile?
  private let contents: Frozen<Contents>
  /// By number: frames that several ranges share.
  let shared = Locked<[Int: SharedFrame]>([:])
  /// The header of a part of a state.
  private let header: StateHeader
  private let isPassing: Bool
  private let system: System
  private var stretches: [Stretch] { contents.value.stretches }

  /// The parts of the index that are kept.
  fileprivate struct Contents: ~Copyable {
    var stretches: [Stretch] = []
    /// The first keys.
    var keys = ByteChunks()
    var entries = ByteBuffer()
    /// The first key of the last frame so far.
    private var last = ByteBuffer()
    /// Bytes of the frames so far.
    var (state, profiles) = (0, 0)
    let partitions: Int

    init(partitions: Int) { self.partitions = partitions }
  }

  /// The most parts whose files are kept open.
  private static let mostHeld = 64

  /// Opens part number `partition` of `partitions` of a state, and reads its index.
  package init(
    state: String, profiles: String, index: String, partition: Int = 0, partitions: Int = 1,
    system: System = .real
  ) throws(Failure) {
    let isHeld = partitions <= Self.mostHeld
    func open(_ path: String) throws(Failure) -> PositionedFile {
      try PositionedFile(path, doing: Self.doing, isHeld: isHeld, system: system)
    }
    let (state, profiles) = (try open(state), try open(profiles))
    let index = try FrameFile(index, doing: Self.doing, isHeld: isHeld, system: system)
    header = StateHeader(partition: partition, partitions: partitions)
    (self.state, self.profiles, self.index) = (state, profiles, index)
    (content, isPassing, self.system) = (.state, false, system)
    contents = Frozen(
      try Contents(of: index, state: state, profiles: profiles, partitions: partitions))
    try checkHeader()
  }

  /// Opens the spill `file`, whose keys are sorted into `partitions` partitions. One that
  /// `isPassing` may be removed after it was merged into another.
  package init(
    spill file: PositionedFile, partitions: Int, _ content: Content, isPassing: Bool = false,
    system: System = .real
  ) throws(Failure) {
    let file = try FrameFile(file)
    header = StateHeader(partition: 0, partitions: partitions)
    (state, profiles, index) = (file.file, nil, nil)
    (self.content, self.isPassing, self.system) = (content, isPassing, system)
    contents = Frozen(try Contents(of: file, partitions: partitions))
  }

  private func checkHeader() throws(Failure) {
    let reader = try FrameFileReader()
    var text = ByteBuffer()
    var entries: [FrameEntry] = []
    try read(stretch: 0, reader, text: &text, &entries)
    guard let first = entries.first else { return }
    var line = ByteBuffer()
    try reader.decode(first.entry.state, of: state, from: first.state.lowerBound, into: &line)
    let found = try StateHeader(line.view, path: state.path)
    guard found == header else {
      throw state.damaged(
        "it is part \(found.partition) of \(found.partitions), which does not match the other parts"
      )
    }
  }

  /// Removes the file, if only this process uses it. Open readers can continue.
  func removeIfPassing() throws(Failure) {
    if isPassing { try system.removeFile(state.path, doing: "removing a spill") }
  }

  func damaged(_ why: String, inProfiles: Bool = false) -> Failure {
    (inProfiles ? profiles ?? state : state).damaged(why)
  }

  /// Compares all frames of a part with the index.
  package func checkFrames() throws(Failure) {
    var block = IndexBlock(try FrameFileReader())
    var bytes = ByteBuffer()
    for number in stretches.indices {
      try block.read(number, of: self)
      for entry in block.entries {
        bytes.removeAll()
        try state.read(entry.state, into: &bytes)
        try state.check([entry.entry.state], bytes.view)
        bytes.removeAll()
        try profiles?.read(entry.profiles, into: &bytes)
        try profiles?.check([entry.entry.profiles], bytes.view)
      }
    }
  }

  // MARK: - Positions of keys

  /// The blocks of a section; of a part of a state, in that part. Complexity: O(log n).
  package func stretches(_ section: KeySection, of partition: Int? = nil) -> Range<Int> {
    let number = Self.number(of: section, partition ?? header.partition)
    func first(_ isBefore: (Int) -> Bool) -> Int {
      stretches.indices.binarySearch { isBefore(stretches[$0].section) }
    }
    return first { $0 < number }..<first { $0 <= number }
  }

  /// The blocks among `all`, which belong to one section, that may hold keys of `range`.
  func stretches(_ all: Range<Int>, in range: KeyRange) -> Range<Int> {
    func first(_ isBefore: (ByteView) -> Bool) -> Int {
      all.binarySearch { isBefore(stretches[$0].key) }
    }
    let end = range.upper.map { upper in first { $0 < upper } } ?? all.upperBound
    guard let lower = range.lower else { return all.lowerBound..<end }
    // The last one that does not begin after the lower limit.
    var start = max(first { !(lower < $0) } - 1, all.lowerBound)
    // States of the key may be at the end of earlier blocks.
    while start > all.lowerBound, stretches[start].goesOn, stretches[start].key == lower {
      start -= 1
    }
    return min(start, end)..<end
  }

  /// Calls `body` with the keys at which the merge may be split, and the number of keys from one to
  /// the next. The keys live as long as this object.
  func forEachCut(
    _ section: KeySection, of partition: Int? = nil, _ body: (_ key: ByteView, _ keys: Int) -> Void
  ) {
    let all = stretches(section, of: partition)
    var keys = 0
    for number in all {
      let stretch = stretches[number]
      if number > all.lowerBound, stretch.beginsGroup {
        body(stretch.key, keys)
        keys = 0
      }
      keys += stretch.keys
    }
  }

  /// The block after another one; nil at the end of its section.
  func stretch(behind number: Int) -> Stretch? {
    guard number + 1 < stretches.count, stretches[number + 1].section == stretches[number].section
    else { return nil }
    return stretches[number + 1]
  }

  /// Appends the entries of a block to `entries`; their texts may be in `text`, which is replaced.
  func read(
    stretch number: Int, _ reader: FrameFileReader, text: inout ByteBuffer,
    _ entries: inout [FrameEntry]
  ) throws(Failure) {
    let stretch = stretches[number]
    var (state, profiles, offset) = (stretch.state, stretch.profiles, stretch.entry)
    guard let index else {
      guard let entry = IndexEntry(contents.value.entries.view, at: &offset) else { return }
      return entries.append(FrameEntry(entry, state: state, profiles: profiles))
    }
    text.removeAll()
    try reader.decode(frame: number, of: index, into: &text)
    while let entry = IndexEntry(text.view, at: &offset) {
      let found = FrameEntry(entry, state: state, profiles: profiles)
      entries.append(found)
      (state, profiles) = (found.state.upperBound, found.profiles.upperBound)
    }
    if entries.isEmpty { throw index.file.damaged("it is not a list of entries", frame: number) }
  }

  /// The number of a section, counted through all partitions in the order of a spill.
  fileprivate static func number(of section: KeySection, _ partition: Int) -> Int {
    partition * KeySection.allCases.count + section.rawValue
  }
}

package struct FrameEntry {
  let entry: IndexEntry
  let state: Range<Int>
  let profiles: Range<Int>

  /// The entry whose frames begin at the bytes `state` and `profiles`.
  init(_ entry: IndexEntry, state: Int, profiles: Int) {
    self.entry = entry
    self.state = state..<state + entry.state.compressed
    self.profiles = profiles..<profiles + entry.profiles.compressed
  }
}

// MARK: - Reading the index

extension SortedRun.Contents {
  fileprivate init(
    of index: FrameFile, state stateFile: PositionedFile, profiles profileFile: PositionedFile,
    partitions: Int
  ) throws(Failure) {
    self.init(partitions: partitions)
    let reader = try FrameFileReader()
    var text = ByteBuffer()
    for frame in index.frames.indices {
      text.removeAll()
      try reader.decode(frame: frame, of: index, into: &text)
      var offset = 0
      while let entry = IndexEntry(text.view, at: &offset) {
        let isFirst = stretches.count == frame
        guard !isFirst || entry.key.isEmpty == (frame == 0) else {
          throw index.file.damaged("it does not begin with the header")
        }
        guard isFirst ? add(keys.store(entry.key), entry, at: 0) : continues(entry) else {
          throw index.file.damaged(
            "it has an unknown kind of key, or one out of order", frame: frame)
        }
        guard entry.isPossible else {
          throw index.file.damaged("it describes frames that cannot be", frame: frame)
        }
        state += entry.state.compressed
        profiles += entry.profiles.compressed
      }
      guard offset == text.count, stretches.count > frame else {
        throw index.file.damaged("it is not a list of entries", frame: frame)
      }
    }
    guard state <= stateFile.size, profiles <= profileFile.size, !stretches.isEmpty
    else { throw index.file.damaged("it does not match the frames of the state and profiles") }
  }

  fileprivate init(of file: FrameFile, partitions: Int) throws(Failure) {
    self.init(partitions: partitions)
    guard let last = file.frames.last else { throw file.file.damaged("it has no index") }
    try FrameFileReader().decode(frame: file.frames.count - 1, of: file, into: &entries)
    var offset = 0
    for frame in file.frames.dropLast() {
      let start = offset
      guard let entry = IndexEntry(entries.view, at: &offset),
        entry.state.compressed == frame.compressed, entry.state.text == frame.decompressed
      else { break }
      guard !entry.key.isEmpty, add(entry.key, entry, at: start) else {
        throw file.file.damaged("its index has an unknown kind of key, or one out of order")
      }
      state += entry.state.compressed
    }
    guard offset == entries.count, state == last.offset else {
      throw file.file.damaged("its index does not match its frames")
    }
  }

  /// Whether the first key of a frame is after that of the one before it.
  private mutating func isNext(_ entry: IndexEntry) -> Bool {
    defer {
      last.removeAll()
      last.append(entry.key)
    }
    return last.view < entry.key || entry.goesOn && last.view == entry.key
  }

  /// Adds `entry` to the last block; false when its section is another, or its key out of order.
  private mutating func continues(_ entry: IndexEntry) -> Bool {
    let block = stretches.count - 1
    stretches[block].keys += entry.state.lines
    return isNext(entry) && KeySection(of: entry.key) == KeySection(of: stretches[block].key)
  }

  /// Adds a block that begins with `entry`, which is at `position` of an index in memory, and the
  /// key `key`; false when its section is invalid, or it is not after those before it.
  private mutating func add(_ key: ByteView, _ entry: IndexEntry, at position: Int) -> Bool {
    let hash = XXH64.hash(key)
    let isNext = isNext(entry)
    var number = -1
    if !key.isEmpty {
      guard let section = KeySection(of: key) else { return false }
      number = SortedRun.number(of: section, KeyHash.partition(hash, of: partitions))
      if let last = stretches.last, last.section > number || last.section == number && !isNext {
        return false
      }
    }
    stretches.append(
      SortedRun.Stretch(
        key: key, section: number, beginsGroup: !entry.goesOn && KeyHash.beginsGroup(hash),
        goesOn: entry.goesOn, state: state, profiles: profiles, entry: position,
        keys: entry.state.lines))
    return true
  }
}

// MARK: - Shared frames

/// A frame that several ranges share.
struct SharedFrame {
  /// Its keys; nil when all were read.
  var frame: Frozen<KeyFrame>?
  var unread: Int
  /// A limit between ranges, and the offset of the first key after it.
  var lower: [UInt8] = []
  var offset = 0
}

/// Ranges that together cover a section, each key once, and are read to their ends: a frame that
/// extends beyond one of them is decoded once for all, and kept until each of its keys was read.
extension SortedRun {
  /// The keys of frame `number`, described by `entry`, and where among them to search for `lower`;
  /// nil when all of them were read.
  func share(
    frame number: Int, _ entry: FrameEntry, before end: ByteView?, from lower: ByteView?,
    _ reader: KeyFrameReader
  ) throws(Failure) -> (frame: Frozen<KeyFrame>, offset: Int)? {
    // Decoded under the lock: another thread that needs a frame of this run usually needs this one.
    try shared.withLock { frames throws(Failure) in
      if let known = frames[number] {
        let isBefore = lower.map { lower in ByteView.with(known.lower) { lower < $0 } }
        let offset = isBefore ?? true ? 0 : known.offset
        return known.frame.map { ($0, offset) }
      }
      var frame = KeyFrame()
      try reader.read(entry, of: self, before: end, into: &frame)
      let kept = Frozen(frame)
      frames[number] = SharedFrame(frame: kept, unread: entry.entry.state.lines)
      return (kept, 0)
    }
  }

  /// Records that a range has read `keys` keys of a shared frame, and that those from its upper
  /// limit on begin at `offset`.
  func finish(shared number: Int, keys: Int, upper: ByteView?, offset: Int) {
    shared.withLock { frames in
      guard var frame = frames[number], frame.unread >= keys else {
        preconditionFailure("ranges that share a frame read each of its keys once")
      }
      frame.unread -= keys
      if frame.unread == 0 { frame.frame = nil }
      if let upper, frame.offset < offset { (frame.lower, frame.offset) = (upper.array, offset) }
      frames[number] = frame
    }
  }
}

/// A block of a run's index, without the frames themselves. Reusable; for one thread.
package struct IndexBlock: ~Copyable {
  private let reader: FrameFileReader
  private var text = ByteBuffer(capacity: 0)
  package private(set) var entries: [FrameEntry] = []
  private var next: SortedRun.Stretch?

  package init(_ reader: FrameFileReader) { self.reader = reader }

  package mutating func read(_ number: Int, of run: SortedRun) throws(Failure) {
    entries.removeAll(keepingCapacity: true)
    try run.read(stretch: number, reader, text: &text, &entries)
    next = run.stretch(behind: number)
  }

  /// The first key after a frame; nil at the end of the section.
  func end(of entry: Int) -> ByteView? {
    entry + 1 < entries.count ? entries[entry + 1].entry.key : next?.key
  }

  /// Whether all keys of a frame are before `limit`.
  func isFrame(_ entry: Int, before limit: ByteView) -> Bool {
    guard let end = end(of: entry) else { return false }
    if end == limit { return entry + 1 < entries.count || !(next?.goesOn ?? false) }
    return end < limit
  }
}
