import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The entries of the index of a part, and their frames.
@Suite struct IndexEntryTests {
  /// A forged index must not make its readers write what they would not read.
  @Test func framesOfOtherSizesAreNotPossible() {
    func isPossible(_ state: WrittenFrame, _ profiles: WrittenFrame) -> Bool {
      IndexEntry(state: state, profiles: profiles, key: "custom:u", facts: "").isPossible
    }
    let frame = WrittenFrame(compressed: 1, text: 0, lines: 1, hash: 0)
    let (compressed, text) = (FrameFileReader.longestFrame, FrameFileReader.longestText)
    for (compressed, text, mayBe) in [
      (compressed, text, true), (0, 0, false), (compressed + 1, 0, false), (1, text + 1, false),
    ] {
      let other = WrittenFrame(compressed: compressed, text: text, lines: 1, hash: 0)
      #expect(isPossible(frame, other) == mayBe && isPossible(other, frame) == mayBe)
    }
    #expect(!isPossible(frame, WrittenFrame(compressed: 1, text: 0, lines: 2, hash: 0)))
  }

  @Test func theFailureOfALongFrameNamesTheIndex() {
    let failure = #expect(throws: Failure.self) {
      try FrameText.check(FrameFileReader.longestText + 1, isIndex: true)
    }
    #expect(failure?.doing == "writing an index")
  }

  /// Cut at every byte, and with every byte another one: never more than there is.
  @Test func damagedEntriesEndWithinTheirBytes() {
    var facts = ByteBuffer()
    for word in [FrameFacts.persons, 4, 7] { facts.append(word32: word) }
    let frame = WrittenFrame(compressed: 1, text: 2, lines: 3, hash: 4)
    var bytes = ByteBuffer()
    IndexEntry(state: frame, profiles: frame, key: "custom:u", facts: facts.view).append(to: &bytes)
    for length in 0..<bytes.count {
      var offset = 0
      #expect(IndexEntry(bytes[0..<length], at: &offset) == nil && offset == 0)
    }
    let whole = bytes.view.array
    for position in whole.indices {
      for change in [0x01, 0x80, 0xff] as [UInt8] {
        var changed = whole
        changed[position] ^= change
        withByteView(of: changed) { text in
          var offset = 0
          guard let entry = IndexEntry(text, at: &offset) else { return }
          #expect(offset <= text.count && entry.key.count <= text.count)
          for fact in [FrameFacts.oldestID, FrameFacts.persons] {
            #expect(entry.fact(fact)?.count ?? 0 <= text.count)
          }
        }
      }
    }
  }

  /// Bytes of an entry with a key of eight bytes and no facts.
  private static let entryLength = 48

  /// Keys of eight bytes with which a group begins, or none does.
  private static func key(beginning: Bool) throws -> String {
    let keys = (1000..<9999).lazy.map { "key-\($0)" }
    return try #require(keys.first { KeyHash.beginsGroup(hash($0)) == beginning })
  }

  /// How many entries each frame has.
  private static func counts(_ begins: [Bool]) throws -> [Int] {
    let frames = KeptFrames()
    let writer = try IndexWriter(frames)
    let frame = WrittenFrame(compressed: 1, text: 1, lines: 1, hash: 0)
    let (group, other) = (try key(beginning: true), try key(beginning: false))
    for begin in begins {
      try withByteView(of: begin ? group : other) {
        try writer.append(IndexEntry(state: frame, profiles: frame, key: $0, facts: ""))
      }
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
    for (begins, expected) in [
      ([], []), ([true] + inside(62) + [true], [64]), ([true] + inside(63) + [true], [64, 1]),
      ([true] + inside(99) + [true, true], [100, 2]), (inside(2500), [1024, 1024, 452]),
    ] { #expect(try Self.counts(begins) == expected) }
  }
}
