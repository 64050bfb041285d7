import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct IndexEntryTests {
  private static func entry(_ key: ByteView, facts: ByteView = "") -> IndexEntry {
    IndexEntry(
      state: .init(compressed: 1, text: 2, lines: 3, hash: 4),
      profiles: .init(compressed: Int(UInt32.max), text: 5, lines: 6, hash: .max), key: key,
      facts: facts)
  }

  @Test func entriesComeBackAsTheyWere() throws {
    var bytes = ByteBuffer()
    let entries = [
      Self.entry(""), Self.entry("custom:u", facts: "facts"), Self.entry("install:é", facts: "f"),
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

  /// A forged index must not make its readers write what they would not read.
  @Test func framesOfOtherSizesAreNotPossible() {
    func isPossible(_ state: WrittenFrame, _ profiles: WrittenFrame) -> Bool {
      IndexEntry(state: state, profiles: profiles, key: "custom:u", facts: "").isPossible
    }
    let frame = WrittenFrame(compressed: 1, text: 0, lines: 1, hash: 0)
    let most = (FrameFileReader.longestFrame, FrameFileReader.longestText)
    let longest = WrittenFrame(compressed: most.0, text: most.1, lines: 1, hash: 0)
    #expect(isPossible(frame, longest) && isPossible(longest, frame))
    for other in [
      WrittenFrame(compressed: 0, text: 0, lines: 1, hash: 0),
      WrittenFrame(compressed: most.0 + 1, text: 0, lines: 1, hash: 0),
      WrittenFrame(compressed: 1, text: most.1 + 1, lines: 1, hash: 0),
    ] {
      #expect(!isPossible(frame, other) && !isPossible(other, frame))
    }
    #expect(!isPossible(frame, WrittenFrame(compressed: 1, text: 0, lines: 2, hash: 0)))
  }

  /// Cut at every byte, and with every byte another one: never more than there is.
  @Test func damagedEntriesEndWithinTheirBytes() {
    var facts = ByteBuffer()
    facts.append(word32: PersonMarks.number)
    facts.append(word32: 4)
    facts.append(word32: 7)
    var bytes = ByteBuffer()
    Self.entry("custom:u", facts: facts.view).append(to: &bytes)
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
          for fact in [OldestID.number, PersonMarks.number] {
            #expect(entry.fact(fact)?.count ?? 0 <= text.count)
          }
        }
      }
    }
  }

  @Test func factsTellWhoMayBeMeant() throws {
    let hash = XXH64.hash("custom:u")
    var text = IndexText()
    text.begin("custom:u")
    text.facts.begin("custom:u", hash)
    for time in [9, 7, 8] {
      text.facts.add(Mutation(EventID(high: 1, tail: 1), isEarlier: true, name: 0, time: time))
    }
    text.facts.end()
    let links = ByteBuffer(records: [Mutation(.link, time: 5, value: "custom:w")])
    text.facts.begin("install:i", 1)
    KeyState(key: "install:i", records: links.view).forEach { text.facts.add($0) }
    text.facts.end()
    let frame = WrittenFrame(compressed: 1, text: 1, lines: 1, hash: 0)
    text.end(state: frame, profiles: frame)
    var persons = DirtyPersonFilter()
    var count = 0
    try text.forEach { entry in
      count += 1
      #expect(!PersonMarks.mayHave(persons, in: entry))
      persons.insert(XXH64.hash("custom:v"))
      #expect(!PersonMarks.mayHave(persons, in: entry))
      persons.insert(XXH64.hash("custom:w"))
      #expect(PersonMarks.mayHave(persons, in: entry))
      persons = DirtyPersonFilter()
      persons.insert(hash)
      #expect(PersonMarks.mayHave(persons, in: entry))
      #expect(OldestID.isBefore(8, in: entry) && !OldestID.isBefore(7, in: entry))
    }
    #expect(count == 1)
  }
}
