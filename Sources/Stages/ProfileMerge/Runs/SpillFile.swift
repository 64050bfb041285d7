package import Pipeline

/// A finished spill (``SpillWriter``), read in any order by any thread.
package final class SpillFile: Sendable {
  private static let doing = "reading a spill"

  let file: PositionedFile
  private let contents: Frozen<SpillIndex>
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
    let place = (partition, section.rawValue)
    func first(_ isBefore: ((Int, Int)) -> Bool) -> Int {
      contents.value.frames.indices.binarySearch {
        isBefore((contents.value.frames[$0].partition, contents.value.frames[$0].section.rawValue))
      }
    }
    return first { $0 < place }..<first { $0 <= place }
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

  /// A cursor over the keys of a section within `range`.
  /// - Throws: `corrupt`, `io`.
  func cursor(
    _ partition: Int, _ section: KeySection, _ range: KeyRange, _ reader: FrameFileReader
  ) throws(Failure) -> SpillCursor? {
    var frames = frames(partition, section)
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
    return frames.isEmpty ? nil : try SpillCursor(self, frames, range, reader)
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

/// Goes through the keys of a spill. For one thread.
final class SpillCursor: KeyCursor {
  private let spill: SpillFile
  private let range: KeyRange
  private let reader: FrameFileReader
  private var frames: Range<Int>
  private var text = ByteBuffer()
  private var offset = 0
  private(set) var head: KeyState?

  init(
    _ spill: SpillFile, _ frames: Range<Int>, _ range: KeyRange, _ reader: FrameFileReader
  ) throws(Failure) {
    self.spill = spill
    self.range = range
    self.reader = reader
    self.frames = frames
    try advance()
    while let key = head?.key, range.startsAfter(key) { try advance() }
  }

  func advance() throws(Failure) {
    while true {
      if let state = KeyState(text.view, at: &offset) {
        head = range.endsBefore(state.key) ? nil : state
        return
      }
      guard offset == text.count else {
        throw spill.file.damaged("a frame does not hold key states", frame: frames.lowerBound - 1)
      }
      guard let frame = frames.popFirst() else {
        head = nil
        return
      }
      text.removeAll()
      offset = 0
      try spill.decode(frame: frame, reader, into: &text)
    }
  }
}
