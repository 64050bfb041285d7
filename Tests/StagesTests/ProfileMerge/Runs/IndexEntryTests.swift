import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct IndexEntryTests {
  private static func entry(
    _ key: ByteView, marks: ByteView = "", oldestID: Int = .max
  ) -> IndexEntry {
    IndexEntry(
      state: .init(compressed: 1, text: 2, lines: 3),
      profiles: .init(compressed: Int(UInt32.max), text: 5, lines: 6), key: key,
      oldestID: oldestID, marks: marks)
  }

  @Test func entriesComeBackAsTheyWere() throws {
    var marks = ByteBuffer()
    marks.append(word32: 7)
    marks.append(word32: .max)
    var bytes = ByteBuffer()
    let entries = [
      Self.entry(""), Self.entry("custom:u", marks: marks.view, oldestID: -1),
      Self.entry("install:é", oldestID: 1),
    ]
    for entry in entries { entry.append(to: &bytes) }
    var offset = 0
    for entry in entries {
      let found = try #require(IndexEntry(bytes.view, at: &offset))
      #expect(found == entry)
    }
    #expect(offset == bytes.count)
    #expect(IndexEntry(bytes.view, at: &offset) == nil)
    #expect(!(entries[0] == entries[1]))
  }

  /// Cut at every byte, and with every byte another one: never more than there is.
  @Test func damagedEntriesEndWithinTheirBytes() {
    var marks = ByteBuffer()
    marks.append(word32: 7)
    var bytes = ByteBuffer()
    Self.entry("custom:u", marks: marks.view).append(to: &bytes)
    for length in 0..<bytes.count {
      var offset = 0
      #expect(IndexEntry(bytes[0..<length], at: &offset) == nil && offset == 0)
    }
    let whole = bytes.view.array
    for position in whole.indices {
      for change in [0x01, 0x80, 0xff] as [UInt8] {
        var changed = whole
        changed[position] ^= change
        var text = ByteBuffer()
        text.append(contentsOf: changed)
        var offset = 0
        if let entry = IndexEntry(text.view, at: &offset) {
          #expect(offset <= text.count && entry.key.count <= text.count)
        }
      }
    }
  }

  @Test func marksTellWhoMayBeMeant() throws {
    let hash = XXH64.hash("custom:u")
    var text = IndexText()
    text.begin("custom:u")
    text.mark(hash)
    text.mark(hash)
    text.note(oldestID: 9)
    text.note(oldestID: .max)
    text.note(oldestID: 5)
    let frame = IndexEntry.Frame(compressed: 1, text: 1, lines: 1)
    text.end(state: frame, profiles: frame)
    var persons = DirtyPersonFilter()
    var count = 0
    try text.forEach { entry in
      count += 1
      #expect(!entry.mayHave(persons))
      persons.insert(XXH64.hash("custom:v"))
      #expect(!entry.mayHave(persons))
      persons.insert(hash)
      #expect(entry.mayHave(persons))
      #expect(entry.oldestID == 5 && entry.hasIDs(before: 6) && !entry.hasIDs(before: 5))
    }
    #expect(count == 1)
  }
}
