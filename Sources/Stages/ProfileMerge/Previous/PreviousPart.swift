import Pipeline

/// One part of the snapshot of an earlier run: state and profiles, whose frames belong together one by
/// one (a frame of profiles holds those of the keys in the frame of the state with its number).
///
/// Only places where frames begin are kept in memory, one of some. For any thread.
final class PreviousPart: @unchecked Sendable {
  // @unchecked because nothing is written after init.
  static let doing = "reading the previous output"

  /// A frame with which a group begins, and the key that it begins with.
  struct Cut {
    let frame: Int
    let key: ByteView
  }

  /// Frames from one place that is kept to the next.
  private static let framesPerCut = 16

  let state: FrameFile
  let profiles: FrameFile
  /// By section: its frames. Frame 0 is the header's.
  private var sections: [Range<Int>] = []
  /// By section: places in the order of the keys; the first one is where the section begins.
  private var cuts: [[Cut]] = []
  private var keys = Arena()

  /// The most parts whose files are kept open.
  private static let mostHeld = 64

  /// Opens a part, one of `partitions`.
  /// - Throws: `corrupt`, when the files do not belong together; `io`.
  init(
    state: String, profiles: String, partitions: Int = 1, jobs: Int, system: System = .real
  ) throws(Failure) {
    let isHeld = partitions <= Self.mostHeld
    self.state = try FrameFile(state, doing: Self.doing, isHeld: isHeld, system: system)
    self.profiles = try FrameFile(profiles, doing: Self.doing, isHeld: isHeld, system: system)
    guard self.state.frames.count == self.profiles.frames.count, !self.state.frames.isEmpty else {
      throw self.profiles.file.damaged("its frames are not those of the state beside it")
    }
    let reader = FirstKeyReader(try FrameFileReader(), self.state)
    var start = 1
    for section in KeySection.allCases {
      let end = try reader.firstFrame(behind: section, from: start)
      sections.append(start..<end)
      start = end
    }
    for section in KeySection.allCases { cuts.append(try findCuts(section, jobs)) }
  }

  /// The frames of a section.
  func frames(_ section: KeySection) -> Range<Int> { sections[section.rawValue] }

  /// The frames among which are all that hold keys of `range`, and the key with which the frame
  /// behind them begins; nil at the end of the section.
  func frames(
    _ section: KeySection, _ range: KeyRange
  ) -> (frames: Range<Int>, end: ByteView?) {
    let cuts = cuts[section.rawValue]
    guard !cuts.isEmpty else { return (0..<0, nil) }
    func count(_ isBefore: (ByteView) -> Bool) -> Int {
      var (low, high) = (0, cuts.count)
      while low < high {
        let middle = (low + high) / 2
        if isBefore(cuts[middle].key) { low = middle + 1 } else { high = middle }
      }
      return low
    }
    // The last cut that is not behind the lower limit, and the first that is not before the upper.
    let first = range.lower.map { lower in max(count { !(lower < $0) } - 1, 0) } ?? 0
    let last = range.upper.map { upper in count { $0 < upper } } ?? cuts.count
    let isAtEnd = last == cuts.count
    let end = isAtEnd ? sections[section.rawValue].upperBound : cuts[last].frame
    return (cuts[first].frame..<max(end, cuts[first].frame), isAtEnd ? nil : cuts[last].key)
  }

  /// Calls `body` with the keys at which the merge may be cut, and about how many there are from one to
  /// the next.
  func forEachCut(_ section: KeySection, _ body: (_ key: ByteView, _ keys: Int) -> Void) {
    for cut in cuts[section.rawValue].dropFirst() {
      body(cut.key, Self.framesPerCut * Int(KeyHash.keysPerGroup))
    }
  }

  private func findCuts(_ section: KeySection, _ jobs: Int) throws(Failure) -> [Cut] {
    let frames = sections[section.rawValue]
    guard !frames.isEmpty else { return [] }
    let wanted = Array(
      stride(from: frames.lowerBound, to: frames.upperBound, by: Self.framesPerCut))
    let stripe = (wanted.count + jobs - 1) / jobs
    let state = state
    let found = concurrentMap(jobs) { job in
      Result { () throws(Failure) in
        let reader = FirstKeyReader(try FrameFileReader(), state)
        var keys: [(frame: Int, key: [UInt8])] = []
        for frame in wanted.dropFirst(job * stripe).prefix(stripe) {
          let key = try reader.firstKey(of: frame)
          keys.append((frame, key.array))
        }
        return keys
      }
    }
    var cuts: [Cut] = []
    for stripe in found {
      for (frame, bytes) in try stripe.get() {
        var text = ByteBuffer(capacity: bytes.count)
        text.append(contentsOf: bytes)
        let key = keys[keys.store(text.view)]
        // A frame in the middle of a long group is no place to cut.
        if cuts.isEmpty || KeyHash.beginsGroup(XXH64.hash(key)) {
          cuts.append(Cut(frame: frame, key: key))
        }
      }
    }
    return cuts
  }

  /// Reads the first keys of frames. For one thread.
  private final class FirstKeyReader {
    private let reader: FrameFileReader
    private let file: FrameFile
    private var text = ByteBuffer()
    private var lineKey = StateLineKey()

    init(_ reader: FrameFileReader, _ file: FrameFile) {
      self.reader = reader
      self.file = file
    }

    /// The first key of a frame; valid until the next call.
    func firstKey(of frame: Int) throws(Failure) -> ByteView {
      text.removeAll()
      lineKey.removeAll()
      try reader.decode(frame: frame, of: file, into: &text)
      let end = text.view.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      guard let key = lineKey.key(of: text[0..<end]) else {
        throw file.file.damaged("it does not begin with a key", frame: frame)
      }
      return key
    }

    /// The first frame from `start` on that is of no section up to `section`.
    func firstFrame(behind section: KeySection, from start: Int) throws(Failure) -> Int {
      var (low, high) = (start, file.frames.count)
      while low < high {
        let middle = (low + high) / 2
        let key = try firstKey(of: middle)
        guard let found = KeySection(of: key) else {
          throw file.file.damaged("it begins with a key of no known kind", frame: middle)
        }
        if found.rawValue <= section.rawValue { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }
}
