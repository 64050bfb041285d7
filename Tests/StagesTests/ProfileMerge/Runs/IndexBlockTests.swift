import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct IndexBlockTests {
  /// The entries of all stretches are the frames of the files, in order and without gaps, and each
  /// knows the key behind it.
  @Test func entriesCoverTheFrames() throws {
    // Long enough for frames of few keys.
    let value = quoted(String(repeating: "x", count: 900))
    let steps = (0..<6000).map {
      Step(
        kind: .set, key: "custom:\($0 % 13 == 0 ? "\\" : "")\($0)", name: "k",
        time: RandomHistory.start, value: value)
    }
    let fixture = try PreviousFixture(steps)
    let part = try #require(fixture.part)
    let reader = try FrameFileReader()
    var stretch = IndexBlock(reader)
    let keyReader = try fixture.plan.makeReader()
    var frame = KeyFrame()
    let numbers = part.stretches(.custom)
    #expect(numbers.count > 2)
    var (state, profiles): (Int?, Int?)
    var expectedKey: String?
    var keys: [String] = []
    for number in numbers {
      try stretch.read(number, of: part)
      #expect(stretch.entries.count >= 64 || number == numbers.last)
      for (index, entry) in stretch.entries.enumerated() {
        #expect(entry.state.lowerBound == state ?? entry.state.lowerBound)
        #expect(entry.profiles.lowerBound == profiles ?? entry.profiles.lowerBound)
        (state, profiles) = (entry.state.upperBound, entry.profiles.upperBound)
        #expect(entry.entry.key.text == expectedKey ?? entry.entry.key.text)
        expectedKey = stretch.end(of: index)?.text
        try keyReader.read(entry, of: part, into: &frame)
        var count = 0
        var position = KeyFrame.Position()
        while let key = frame.next(&position) {
          if count == 0 { #expect(key.key == entry.entry.key) }
          count += 1
          keys.append(key.key.text)
        }
        let isEnd = frame.isEnd(position)
        #expect(isEnd)
        #expect(count == entry.entry.state.lines && count == entry.entry.profiles.lines)
      }
      #expect(number == numbers.last || KeySection(of: stretch.entries[0].entry.key) == .custom)
    }
    #expect(expectedKey == nil)
    #expect(keys.count == 6000 && keys == keys.sorted(by: less))
  }
}
