import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct IndexWriterTests {
  /// Bytes of an entry with a key of eight bytes and no facts.
  private static let entryLength = 48

  /// Keys of eight bytes with which a group begins, or none does.
  private static func key(beginning: Bool) -> [UInt8] {
    var number = 10
    while true {
      var text = ByteBuffer()
      text.append("key-")
      text.append(decimal: 1000 + number)
      if KeyHash.beginsGroup(XXH64.hash(text.view)) == beginning { return text.view.array }
      number += 1
    }
  }

  /// How many entries each frame has.
  private static func counts(_ begins: [Bool]) throws -> [Int] {
    let frames = KeptFrames()
    let writer = try IndexWriter(frames)
    let keys = [false: key(beginning: false), true: key(beginning: true)]
    for begin in begins {
      var text = ByteBuffer()
      text.append(contentsOf: keys[begin] ?? [])
      let frame = WrittenFrame(compressed: 1, text: 1, lines: 1, hash: 0)
      try writer.append(
        IndexEntry(state: frame, profiles: frame, key: text.view, facts: ""))
    }
    try writer.endFrame()
    try writer.endFrame()
    return frames.frames.map { frame in
      #expect(frame.written.text.isMultiple(of: entryLength) && frame.written.lines == 0)
      return frame.written.text / entryLength
    }
  }

  @Test func framesEndWhereGroupsBegin() throws {
    func inside(_ count: Int) -> [Bool] { Array(repeating: false, count: count) }
    #expect(try Self.counts([]) == [])
    #expect(try Self.counts([true] + inside(62) + [true]) == [64])
    #expect(try Self.counts([true] + inside(63) + [true]) == [64, 1])
    #expect(try Self.counts([true] + inside(99) + [true, true]) == [100, 2])
    #expect(try Self.counts(inside(2500)) == [1024, 1024, 452])
  }
}
