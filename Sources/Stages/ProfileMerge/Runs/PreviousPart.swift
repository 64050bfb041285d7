package import Pipeline

/// One part of the snapshot of an earlier run: state and profiles, whose frames belong together one
/// by one (``StateFrame``), and the index that tells where they lie (``IndexEntry``).
///
/// Of the index only where its frames begin is kept in memory. For any thread.
package final class PreviousPart: Sendable {
  package static let doing = "reading the previous output"

  /// The frames that one frame of the index is of.
  struct Stretch {
    /// Its first key; empty where the header stands.
    let key: ByteView
    /// Whether a group of keys begins with it.
    let beginsGroup: Bool
    /// Where its frames begin in the state,
    let state: Int
    /// and in the profiles.
    let profiles: Int
    /// Lines of the state in it.
    let lines: Int
  }

  package let state: PositionedFile
  let profiles: PositionedFile
  private let index: FrameFile
  private let contents: Frozen<Contents>
  private var stretches: [Stretch] { contents.value.stretches }
  private var sections: [Range<Int>] { contents.value.sections }

  /// What is kept of the index.
  fileprivate struct Contents: ~Copyable {
    var stretches: [Stretch] = []
    /// By section: its stretches. The first of all is the header's.
    var sections: [Range<Int>] = []
    /// The first keys of the stretches.
    var keys = Arena()
  }

  /// The most parts whose files are kept open.
  private static let mostHeld = 64

  /// Opens part number `partition` of `partitions`, and reads its index, with `jobs` threads.
  /// - Throws: `corrupt`, when the index is damaged or not one of such files, or the state is of
  ///   another part; `io`.
  package init(
    state: String, profiles: String, index: String, partition: Int = 0, partitions: Int = 1,
    jobs: Int, system: System = .real
  ) throws(Failure) {
    let isHeld = partitions <= Self.mostHeld
    func open(_ path: String) throws(Failure) -> PositionedFile {
      try PositionedFile(path, doing: Self.doing, isHeld: isHeld, system: system)
    }
    self.state = try open(state)
    self.profiles = try open(profiles)
    self.index = try FrameFile(index, doing: Self.doing, isHeld: isHeld, system: system)
    contents = Frozen(
      try Contents(of: self.index, state: self.state, profiles: self.profiles, jobs))
    try checkHeader(StateHeader(partition: partition, partitions: partitions))
  }

  private func checkHeader(_ expected: StateHeader) throws(Failure) {
    let reader = try FrameFileReader()
    var text = ByteBuffer()
    var entries: [PreviousEntry] = []
    try read(stretch: 0, reader, text: &text, &entries)
    guard let first = entries.first else { return }
    var line = ByteBuffer()
    try reader.decode(
      first.state, of: state, content: first.entry.state.text, frame: 0, into: &line)
    let header = try StateHeader(line.view, path: state.path)
    guard header == expected else {
      throw state.damaged(
        "it is part \(header.partition) of \(header.partitions), which does not fit the other parts"
      )
    }
  }

  /// The stretches of a section.
  package func stretches(_ section: KeySection) -> Range<Int> { sections[section.rawValue] }

  /// The stretches among which are all that hold keys of `range`.
  func stretches(_ section: KeySection, _ range: KeyRange) -> Range<Int> {
    let all = sections[section.rawValue]
    func first(_ isBefore: (ByteView) -> Bool) -> Int {
      all.binarySearch { isBefore(stretches[$0].key) }
    }
    // The last one that does not begin behind the lower limit, and those up to the upper one.
    let start = range.lower.map { lower in max(first { !(lower < $0) } - 1, all.lowerBound) }
    let end = range.upper.map { upper in first { $0 < upper } } ?? all.upperBound
    return min(start ?? all.lowerBound, end)..<end
  }

  /// Calls `body` with the keys at which the merge may be cut, and how many there are from one to
  /// the next.
  func forEachCut(_ section: KeySection, _ body: (_ key: ByteView, _ keys: Int) -> Void) {
    var lines = 0
    for number in sections[section.rawValue] {
      let stretch = stretches[number]
      if number > sections[section.rawValue].lowerBound, stretch.beginsGroup {
        body(stretch.key, lines)
        lines = 0
      }
      lines += stretch.lines
    }
  }

  /// The first key behind a stretch; nil at the end of its section.
  func end(of stretch: Int) -> ByteView? {
    guard let section = sections.first(where: { $0.contains(stretch) }),
      section.contains(stretch + 1)
    else { return nil }
    return stretches[stretch + 1].key
  }

  /// Appends the entries of a stretch to `entries`; their texts are in `text`, which is replaced.
  /// - Throws: `corrupt`, `io`.
  func read(
    stretch: Int, _ reader: FrameFileReader, text: inout ByteBuffer,
    _ entries: inout [PreviousEntry]
  ) throws(Failure) {
    text.removeAll()
    try reader.decode(frame: stretch, of: index, into: &text)
    var (state, profiles) = (stretches[stretch].state, stretches[stretch].profiles)
    var offset = 0
    while let entry = IndexEntry(text.view, at: &offset) {
      let placed = PreviousEntry(entry, state: state, profiles: profiles)
      entries.append(placed)
      (state, profiles) = (placed.state.upperBound, placed.profiles.upperBound)
    }
    if entries.isEmpty { throw index.file.damaged("it is no list of entries", frame: stretch) }
  }

  // MARK: - Reading the index

  /// What a frame of the index says: its first key, and sums.
  fileprivate struct Summary {
    var key: [UInt8] = []
    var entries = 0
    var state = 0
    var profiles = 0
    var lines = 0
  }

  fileprivate static func summary(
    of frame: Int, _ index: FrameFile, _ reader: FrameFileReader, _ text: inout ByteBuffer
  ) throws(Failure) -> Summary {
    text.removeAll()
    try reader.decode(frame: frame, of: index, into: &text)
    var summary = Summary()
    var offset = 0
    while let entry = IndexEntry(text.view, at: &offset) {
      if summary.entries == 0 { summary.key = entry.key.array }
      summary.entries += 1
      summary.state += entry.state.compressed
      summary.profiles += entry.profiles.compressed
      summary.lines += entry.state.lines
    }
    guard offset == text.count, summary.entries > 0 else {
      throw index.file.damaged("it is no list of entries", frame: frame)
    }
    return summary
  }
}

extension PreviousPart.Contents {
  /// Reads the index of `state` and `profiles` with `jobs` threads.
  fileprivate init(
    of index: FrameFile, state stateFile: PositionedFile, profiles profileFile: PositionedFile,
    _ jobs: Int
  ) throws(Failure) {
    let stripe = (index.frames.count + jobs - 1) / jobs
    let found = ThreadPool.shared.map(jobs) { job in
      Result { () throws(Failure) in
        let reader = try FrameFileReader()
        var text = ByteBuffer()
        var summaries: [PreviousPart.Summary] = []
        for frame in index.frames.indices.dropFirst(job * stripe).prefix(stripe) {
          summaries.append(try PreviousPart.summary(of: frame, index, reader, &text))
        }
        return summaries
      }
    }
    var (state, profiles) = (0, 0)
    var counts = Array(repeating: 0, count: KeySection.allCases.count)
    for summaries in found {
      for summary in try summaries.get() {
        try add(summary, index, state: state, profiles: profiles, &counts)
        state += summary.state
        profiles += summary.profiles
      }
    }
    guard state <= stateFile.size, profiles <= profileFile.size, !stretches.isEmpty else {
      throw index.file.damaged("its frames are not those of the state and profiles beside it")
    }
    var start = 1
    for count in counts {
      sections.append(start..<start + count)
      start += count
    }
  }

  /// Adds the stretch of a frame; sections follow one another.
  private mutating func add(
    _ summary: PreviousPart.Summary, _ index: FrameFile, state: Int, profiles: Int,
    _ counts: inout [Int]
  ) throws(Failure) {
    var text = ByteBuffer(capacity: summary.key.count)
    text.append(contentsOf: summary.key)
    let key = keys[keys.store(text.view)]
    if stretches.isEmpty {
      guard key.isEmpty else { throw index.file.damaged("it does not begin with the header") }
    } else {
      guard let section = KeySection(of: key),
        counts.dropFirst(section.rawValue + 1).allSatisfy({ $0 == 0 })
      else {
        throw index.file.damaged(
          "it has a key of no known kind, or out of order", frame: stretches.count)
      }
      counts[section.rawValue] += 1
    }
    stretches.append(
      PreviousPart.Stretch(
        key: key, beginsGroup: KeyHash.beginsGroup(XXH64.hash(key)), state: state,
        profiles: profiles, lines: summary.lines))
  }
}

/// An entry of the index, and where its frames lie.
package struct PreviousEntry {
  let entry: IndexEntry
  /// Its bytes in the state,
  let state: Range<Int>
  /// and in the profiles.
  let profiles: Range<Int>

  /// The entry whose frames begin at the bytes `state` and `profiles`.
  init(_ entry: IndexEntry, state: Int, profiles: Int) {
    self.entry = entry
    self.state = state..<state + entry.state.compressed
    self.profiles = profiles..<profiles + entry.profiles.compressed
  }
}
