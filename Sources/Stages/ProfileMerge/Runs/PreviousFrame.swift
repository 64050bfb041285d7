package import Pipeline

/// A frame of the previous state, and the frame of profiles that belongs to it, line by line. Made
/// to be used again and again; for one thread.
package struct PreviousFrame: ~Copyable {
  /// A line of the state and its key.
  package struct Line {
    let key: ByteView
    /// The line with its end.
    package let text: ByteView
  }

  private let reader: FrameFileReader
  private var state = ByteBuffer()
  private var profiles = ByteBuffer()
  /// Where the next line of the state begins,
  private var place = 0
  /// and the next profile.
  private var profile = 0
  private var lineKey = StateLineKey()

  package init(_ reader: FrameFileReader) { self.reader = reader }

  /// Reads the frame of the state that `entry` of `part` is of.
  /// - Throws: `corrupt`, `io`.
  package mutating func readState(_ entry: PreviousEntry, of part: PreviousPart) throws(Failure) {
    state.removeAll()
    state.shrink(to: RetainedCapacity.bytes)
    lineKey.removeAll()
    place = 0
    try reader.decode(
      entry.state, of: part.state, content: entry.entry.state.text, frame: nil, into: &state)
  }

  /// Reads the frame of profiles that `entry` of `part` is of.
  /// - Throws: `corrupt`, `io`.
  mutating func readProfiles(_ entry: PreviousEntry, of part: PreviousPart) throws(Failure) {
    profiles.removeAll()
    profiles.shrink(to: RetainedCapacity.bytes)
    profile = 0
    try reader.decode(
      entry.profiles, of: part.profiles, content: entry.entry.profiles.text, frame: nil,
      into: &profiles)
  }

  /// The next line of the state, and moves behind it; nil at the end. Valid until the next reading.
  /// - Throws: `corrupt`, when it has no key.
  package mutating func nextLine(of part: PreviousPart) throws(Failure) -> Line? {
    let rest = state.view.dropFirst(place)
    if rest.isEmpty { return nil }
    guard let length = rest.firstIndex(of: UInt8(ascii: "\n")),
      let key = lineKey.key(of: rest[0..<length + 1])
    else { throw part.state.damaged("a line of it has no key") }
    place += length + 1
    return Line(key: key, text: rest[0..<length + 1])
  }

  /// The next profile, with its end, if it is that of the key with which the line of state `line`
  /// begins; moves behind it. Valid until the next reading.
  mutating func nextProfile(for line: ByteView, _ section: KeySection) -> ByteView? {
    let rest = profiles.view.dropFirst(profile)
    guard let length = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let found = rest[0..<length + 1]
    let beginning: ByteView = "{\"id\":\""
    let kind: ByteView =
      section == .custom ? ",\"kind\":\"person\"" : ",\"kind\":\"installation\""
    // Both lines have the same text for the id, with the same escapes.
    let id = line.dropFirst(8 + section.prefix.count)
    guard found.starts(with: beginning) else { return nil }
    let other = found.dropFirst(beginning.count)
    guard let end = Self.end(ofString: id), other.count >= end, other[0..<end] == id[0..<end],
      other.dropFirst(end).starts(with: kind)
    else { return nil }
    profile += found.count
    return found
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
}
