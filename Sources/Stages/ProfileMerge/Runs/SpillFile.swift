package import Pipeline

/// A finished spill (``SpillWriter``), read in any order by any thread.
package final class SpillFile: Sendable {
  private static let doing = "reading a spill"

  let file: PositionedFile
  private let contents: Frozen<SpillIndex>
  /// By number: frames that several ranges share.
  private let shared = Locked<[Int: SharedFrame]>([:])
  /// What its names are called in this run; nil for a spill of this run itself.
  private let names: NameMap?
  /// Whether it is of use to this process only.
  private let isPassing: Bool
  private let system: System

  /// Opens the spill at `path`. With `names` it comes from elsewhere: its records are checked, and
  /// get the numbers of this run. One that `isPassing` may be removed when it was merged into
  /// others.
  /// - Throws: `corrupt`, when it is none; `io`.
  package init(
    _ path: String, names: NameMap? = nil, isPassing: Bool = false, system: System = .real
  ) throws(Failure) {
    self.isPassing = isPassing
    self.system = system
    file = try PositionedFile(path, doing: Self.doing, system: system)
    self.names = names
    guard file.size >= SpillTrailer.length else { throw file.damaged("it is too short") }
    var bytes = ByteBuffer()
    try file.read(file.size - SpillTrailer.length..<file.size, into: &bytes)
    guard let trailer = SpillTrailer(bytes.view, size: file.size) else {
      throw file.damaged("it does not end as a spill does")
    }
    bytes.removeAll()
    try FrameFileReader().decode(
      trailer.offset..<trailer.offset + trailer.compressed, of: file, content: trailer.text,
      frame: 0, into: &bytes)
    guard let index = SpillIndex(bytes.view, before: trailer.offset) else {
      throw file.damaged("its index leads out of it")
    }
    contents = Frozen(index)
  }

  /// Removes the file, if it is of use to this process only. Whoever reads it still can.
  /// - Throws: `io`.
  func removeIfPassing() throws(Failure) {
    if isPassing { try system.removeFile(file.path, doing: "removing a spill") }
  }

  /// How many keys it has, each counted once.
  package var keyCount: Int { contents.value.frames.reduce(0) { $0 + $1.keys } }

  /// The frames with keys of `section` in `partition`. Complexity: O(log n) for n frames.
  func frames(_ partition: Int, _ section: KeySection) -> Range<Int> {
    let position = (partition, section.rawValue)
    func first(_ isBefore: ((Int, Int)) -> Bool) -> Int {
      contents.value.frames.indices.binarySearch {
        isBefore((contents.value.frames[$0].partition, contents.value.frames[$0].section.rawValue))
      }
    }
    return first { $0 < position }..<first { $0 <= position }
  }

  /// Calls `body` with the first key of every frame of a section with which a group begins, and how
  /// many keys there are up to the next one. The keys live as long as this object.
  func forEachCut(
    _ partition: Int, _ section: KeySection, _ body: (_ key: ByteView, _ keys: Int) -> Void
  ) {
    var keys = 0
    for number in frames(partition, section) {
      if contents.value.frames[number].beginsGroup {
        body(contents.value.firstKey(number), keys)
        keys = 0
      }
      keys += contents.value.frames[number].keys
    }
  }

  /// A cursor over the keys of a section within `range`. With `isShared`, a frame that reaches
  /// beyond the range is decoded once for all ranges that share it, and kept until each of its
  /// keys was read: such ranges cover the section, each key once, and are read to their ends.
  /// - Throws: `corrupt`, `io`.
  func cursor(
    _ partition: Int, _ section: KeySection, _ range: KeyRange, isShared: Bool,
    _ reader: FrameFileReader
  ) throws(Failure) -> SpillCursor? {
    let all = frames(partition, section)
    var frames = all
    if let lower = range.lower {
      // The last frame that does not begin behind the lower limit.
      let behind = frames.binarySearch { !(lower < contents.value.firstKey($0)) }
      var first = max(behind - 1, frames.lowerBound)
      // States of the key may stand at the end of frames before.
      while first > frames.lowerBound, !contents.value.frames[first].beginsGroup,
        contents.value.firstKey(first) == lower
      {
        first -= 1
      }
      frames = first..<frames.upperBound
    }
    if let upper = range.upper {
      while let last = frames.last, !(contents.value.firstKey(last) < upper) {
        frames = frames.lowerBound..<last
      }
    }
    if frames.isEmpty { return nil }
    guard isShared else { return try SpillCursor(self, frames, range, reader) }
    let (first, last) = (frames.lowerBound, frames.upperBound - 1)
    let beginsBefore = range.lower.map { contents.value.firstKey(first) < $0 } ?? false
    let endsBehind = range.upper.map { upper in
      last + 1 == all.upperBound || !contents.value.frames[last + 1].beginsGroup
        || upper < contents.value.firstKey(last + 1)
    }
    return try SpillCursor(
      self, frames, range, reader, first: beginsBefore ? first : nil,
      last: endsBehind ?? false ? last : nil)
  }

  /// The states of a frame that ranges share, and where among them to look for `lower`; nil when
  /// all of them were read.
  /// - Throws: `corrupt`, `io`.
  func share(
    frame number: Int, from lower: ByteView?, _ reader: FrameFileReader
  ) throws(Failure) -> (text: Frozen<ByteBuffer>, offset: Int)? {
    // Decoded under the lock: whoever else wants a frame of this spill wants most often this one.
    try shared.withLock { frames throws(Failure) in
      if let known = frames[number] {
        let offset = lower.map { $0 < known.lower } ?? true ? 0 : known.offset
        return known.text.map { ($0, offset) }
      }
      var text = ByteBuffer(capacity: contents.value.frames[number].length)
      try decode(frame: number, reader, into: &text)
      let states = Frozen(text)
      frames[number] = SharedFrame(text: states, unread: contents.value.frames[number].keys)
      return (states, 0)
    }
  }

  /// Notes that a range has read `keys` keys of a frame that is shared, and that those from its
  /// upper limit on begin at `offset`.
  func finish(shared number: Int, keys: Int, upper: ByteView?, offset: Int) {
    shared.withLock { frames in
      guard var frame = frames[number], frame.unread >= keys else {
        preconditionFailure("ranges that share a frame read each of its keys once")
      }
      frame.unread -= keys
      if frame.unread == 0 { frame.text = nil }
      if let upper, frame.offset < offset { (frame.lower, frame.offset) = (upper, offset) }
      frames[number] = frame
    }
  }

  /// Appends the states of a frame, with this run's numbers of names, to `text`.
  /// - Throws: `corrupt`, `io`.
  func decode(
    frame number: Int, _ reader: FrameFileReader, into text: inout ByteBuffer
  ) throws(Failure) {
    let frame = contents.value.frames[number]
    try reader.decode(
      frame.range, of: file, content: frame.length, frame: number, into: &text)
    if let names, !names.relabel(&text) {
      throw file.damaged("a frame does not hold key states", frame: number)
    }
  }
}

/// A frame that several ranges share.
private struct SharedFrame {
  /// Its states; nil when no key is unread.
  var text: Frozen<ByteBuffer>?
  var unread: Int
  /// A limit between ranges, and where the first key behind it is.
  var lower = ByteView("")
  var offset = 0
}

/// Goes through the keys of a spill. For one thread.
final class SpillCursor: KeyCursor {
  private let spill: SpillFile
  private let range: KeyRange
  private let reader: FrameFileReader
  private var frames: Range<Int>
  /// Those frames that ranges beside this one share, if any.
  private let (first, last): (Int?, Int?)
  /// The frame at hand: of this cursor alone, or shared.
  private var text = ByteBuffer()
  private var shared: Frozen<ByteBuffer>?
  private var offset = 0
  /// Keys of the frame at hand that are in the range and behind the cursor.
  private var passed = 0
  private(set) var head: KeyState?

  init(
    _ spill: SpillFile, _ frames: Range<Int>, _ range: KeyRange, _ reader: FrameFileReader,
    first: Int? = nil, last: Int? = nil
  ) throws(Failure) {
    self.spill = spill
    self.range = range
    self.reader = reader
    self.frames = frames
    (self.first, self.last) = (first, last)
    try advance()
    while let key = head?.key, range.startsAfter(key) {
      passed -= 1
      try advance()
    }
  }

  func advance() throws(Failure) {
    if head != nil { passed += 1 }
    while true {
      let start = offset
      if let state = KeyState(view, at: &offset) {
        head = state
        if range.endsBefore(state.key) { end(at: start) }
        return
      }
      guard offset == view.count else {
        throw spill.file.damaged("a frame does not hold key states", frame: frames.lowerBound - 1)
      }
      end(at: offset)
      guard let frame = frames.popFirst() else { return }
      text.removeAll()
      offset = 0
      if frame == first || frame == last {
        guard let found = try spill.share(frame: frame, from: range.lower, reader) else { continue }
        (shared, offset) = found
      } else {
        try spill.decode(frame: frame, reader, into: &text)
      }
    }
  }

  private var view: ByteView { shared?.value.view ?? text.view }

  /// Ends the frame at hand, of which only what is behind `offset` is not in the range.
  private func end(at offset: Int) {
    if shared != nil {
      spill.finish(
        shared: frames.lowerBound - 1, keys: passed, upper: range.upper, offset: offset)
    }
    (head, shared, passed) = (nil, nil, 0)
  }
}
