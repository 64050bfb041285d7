package import Pipeline

/// Iterates over the published profiles of a part in key order, without their states.
///
/// A frame is decoded when its turn comes, so that it can be skipped before. For one thread.
package final class ProfileCursor {
  private let run: SortedRun
  private let reader: FrameFileReader
  private var block: IndexBlock
  /// The blocks after the current one.
  private var left: Range<Int>
  /// The frame of the block at the cursor.
  private var entry = -1
  private var text = ByteBuffer(capacity: 0)
  /// The range of the line at the cursor, with its line end.
  private var range = 0..<0
  /// The key text of that line, and of the previous line in the frame.
  private var name = ByteBuffer(capacity: 64)
  private var last = ByteBuffer(capacity: 64)
  private let tape = Tape(numbersNames: false)
  private var isEnd = false
  /// Whether there is a line at the cursor; else a frame begins there, or it is at the end.
  private(set) var isDecoded = false

  /// A cursor at the first frame of `run`, a part of a state with its profiles.
  /// - Throws: `corrupt`, `io`.
  package init(_ run: SortedRun) throws(Failure) {
    self.run = run
    reader = try FrameFileReader()
    block = IndexBlock(reader)
    left = run.stretches(.custom).lowerBound..<run.stretches(.install).upperBound
    try beginFrame()
  }

  /// The key text of the line at the cursor, or the first key of a frame that is not decoded, a
  /// lower bound of its profiles; nil at the end. Valid until the cursor moves.
  var key: ByteView? { isEnd ? nil : isDecoded ? name.view : block.entries[entry].entry.key }

  /// The line at the cursor, with its line end.
  var line: ByteView { text[range] }

  /// The frame of profiles at the cursor, which is not decoded.
  var frame: FrameEntry { block.entries[entry] }

  /// The next line with its line end, from the first one on; nil at the end.
  /// - Throws: `corrupt`, `io`.
  package func next() throws(Failure) -> ByteView? {
    if isDecoded { try advance() }
    while !isEnd, !isDecoded { try decode() }
    return isEnd ? nil : line
  }

  /// Decodes the frame at the cursor.
  /// - Throws: `corrupt`, `io`.
  func decode() throws(Failure) {
    guard let profiles = run.profiles else { preconditionFailure("a state has profiles") }
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
    try reader.decode(
      frame.profiles, of: profiles, content: frame.entry.profiles.text, frame: nil, into: &text)
    range = 0..<0
    name.removeAll()
    isDecoded = true
    try advance()
  }

  /// Moves past the line at the cursor.
  /// - Throws: `corrupt`, `io`.
  func advance() throws(Failure) {
    let rest = text.view.dropFirst(range.upperBound)
    if rest.isEmpty { return try beginFrame() }
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { throw damaged }
    range = range.upperBound..<range.upperBound + end + 1
    swap(&name, &last)
    name.removeAll()
    guard readKey(), last.view < name.view else { throw damaged }
  }

  /// Moves past the frame at the cursor.
  /// - Throws: `corrupt`, `io`.
  func pass() throws(Failure) { try beginFrame() }

  /// Appends the compressed frame at the cursor to `bytes`.
  /// - Throws: `corrupt`, `io`.
  func readFrame(into bytes: inout ByteBuffer) throws(Failure) {
    try run.profiles?.read(frame.profiles, into: &bytes)
  }

  /// Moves to the next frame that has profiles.
  private func beginFrame() throws(Failure) {
    isDecoded = false
    repeat {
      entry += 1
      while entry >= block.entries.count {
        guard let number = left.popFirst() else {
          isEnd = true
          return
        }
        entry = 0
        try block.read(number, of: run)
      }
    } while frame.entry.profiles.lines == 0
  }

  /// Appends the key text of the line at the cursor to ``name``; false when it is not a profile.
  private func readKey() -> Bool {
    let prefix: ByteView = "{\"id\":\""
    let rest = line.starts(with: prefix) ? line.dropFirst(prefix.count) : ""
    // Nearly all ids are written without escapes, and the kind follows.
    if let end = rest.firstIndex(of: UInt8(ascii: "\"")), end > 0,
      rest[0..<end].firstIndex(of: UInt8(ascii: "\\")) == nil
    {
      let behind = rest.dropFirst(end)
      if behind.starts(with: "\",\"kind\":\"person\",") { return setKey(.custom, rest[0..<end]) }
      if behind.starts(with: "\",\"kind\":\"installation\",") {
        return setKey(.install, rest[0..<end])
      }
    }
    tape.bind(to: line)
    guard case .value(let root) = Scanner.scan(line: 0..<range.count - 1, into: tape),
      let id = tape.string(at: tape.member("id", of: root)),
      let kind = tape.string(at: tape.member("kind", of: root)),
      kind == "person" || kind == "installation"
    else { return false }
    return setKey(kind == "person" ? .custom : .install, id)
  }

  private func setKey(_ section: KeySection, _ id: ByteView) -> Bool {
    name.append(section.prefix)
    name.append(id)
    return true
  }

  private var damaged: Failure {
    run.damaged("it does not contain profiles in the order of their keys", inProfiles: true)
  }
}
