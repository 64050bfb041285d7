import Pipeline

/// Some frames of a part of the previous snapshot, decompressed, as groups of keys. Made to be used
/// again and again; for one thread.
struct PreviousStretch: ~Copyable {
  /// A line of the state and its key.
  struct Line {
    let key: ByteView
    /// The line with its end.
    let text: ByteView
  }

  /// Frames of keys that stand together whatever is around them: from one key that begins a group to
  /// the next.
  struct Group {
    let frames: Range<Int>
    /// Its text in the stretch.
    let text: Range<Int>
    /// Its first key.
    let first: ByteView
    /// The first key behind it; nil at the end of the section.
    let end: ByteView?
  }

  private let reader: FrameFileReader
  private var text = ByteBuffer()
  private var lineKey = StateLineKey()
  private(set) var groups: [Group] = []

  init(_ reader: FrameFileReader) { self.reader = reader }

  /// Reads `frames` of `part`, behind which stands the key `end`.
  /// - Throws: `corrupt`, `io`.
  mutating func read(
    _ frames: Range<Int>, end: ByteView?, of part: PreviousPart
  ) throws(Failure) {
    text.removeAll()
    lineKey.removeAll()
    groups.removeAll(keepingCapacity: true)
    var starts: [Int] = []
    for frame in frames {
      starts.append(text.count)
      try reader.decode(frame: frame, of: part.state, into: &text)
    }
    starts.append(text.count)
    // Only now: the text has moved while it grew.
    var begins: [(frame: Int, key: ByteView)] = []
    for (index, frame) in frames.enumerated() {
      guard starts[index + 1] > starts[index], let line = line(at: starts[index]) else {
        throw part.state.file.damaged("it does not begin with a key", frame: frame)
      }
      if index == 0 || KeyHash.beginsGroup(XXH64.hash(line.key)) {
        begins.append((index, line.key))
      }
    }
    for (index, begin) in begins.enumerated() {
      let next = index + 1 < begins.count ? begins[index + 1].frame : frames.count
      groups.append(
        Group(
          frames: frames.lowerBound + begin.frame..<frames.lowerBound + next,
          text: starts[begin.frame]..<starts[next], first: begin.key,
          end: index + 1 < begins.count ? begins[index + 1].key : end))
    }
  }

  /// The line that begins at `start`; nil when it has no key.
  mutating func line(at start: Int) -> Line? {
    let rest = text.view.dropFirst(start)
    guard let length = rest.firstIndex(of: UInt8(ascii: "\n")),
      let key = lineKey.key(of: rest[0..<length + 1])
    else { return nil }
    return Line(key: key, text: rest[0..<length + 1])
  }

  /// The text of a group.
  func text(of group: Group) -> ByteView { text[group.text] }
}

/// The published lines of a group, read one by one beside the lines of its state. For one thread.
struct PreviousProfiles: ~Copyable {
  private let reader: FrameFileReader
  private var text = ByteBuffer()
  private var place = 0

  init(_ reader: FrameFileReader) { self.reader = reader }

  /// Reads the profiles of `frames`.
  /// - Throws: `corrupt`, `io`.
  mutating func read(_ frames: Range<Int>, of part: PreviousPart) throws(Failure) {
    text.removeAll()
    place = 0
    for frame in frames {
      try reader.decode(frame: frame, of: part.profiles, into: &text)
    }
  }

  /// The next line, with its end, if it is the profile of the key with which the line of state `state`
  /// begins; moves behind it. Valid until the next reading.
  mutating func next(for state: ByteView, _ section: KeySection) -> ByteView? {
    let rest = text.view.dropFirst(place)
    guard let length = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let line = rest[0..<length + 1]
    let beginning: ByteView =
      section == .custom
      ? "{\"identifiers\":{\"custom_id\":\"" : "{\"identifiers\":{\"installation_id\":\""
    // The same text stands in both lines, with the same escapes.
    let id = state.dropFirst(8 + section.prefix.count)
    guard line.starts(with: beginning) else { return nil }
    let other = line.dropFirst(beginning.count)
    guard let end = Self.end(ofString: id), other.count >= end, other[0..<end] == id[0..<end] else {
      return nil
    }
    place += line.count
    return line
  }

  /// Behind the quote that ends the string at the beginning of `text`.
  private static func end(ofString text: ByteView) -> Int? {
    var start = 0
    while let quote = text.dropFirst(start).firstIndex(of: UInt8(ascii: "\"")) {
      var escapes = 0
      while start + quote - 1 - escapes >= 0,
        text[start + quote - 1 - escapes] == UInt8(ascii: "\\")
      {
        escapes += 1
      }
      if escapes.isMultiple(of: 2) { return start + quote + 1 }
      start += quote + 1
    }
    return nil
  }

  /// How many lines there are.
  var lineCount: Int { NewlineScan(text.view).count }
}
