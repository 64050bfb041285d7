import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Keys and ranges of a part that a run continues from.
@Suite struct RunCursorTests {
  private static func fixture(people: Int, installations: Int, ids: Int) throws -> PreviousFixture {
    // Long enough for frames of few keys.
    let value = quoted(String(repeating: "x", count: 900))
    let start = RandomHistory.start
    return try PreviousFixture(
      (0..<people).map {
        let key = "custom:\($0 % 7 == 0 ? "\"" : "")\($0)"
        return Step(kind: .set, key: key, name: "k", time: start, value: value)
      } + (0..<installations).map { Step(kind: .touch, key: "install:\($0)") }
        + (0..<ids).map { Step(kind: .event, key: "", name: "a", time: start, id: "\($0)") },
      days: 1)
  }

  private static func keys(_ part: SortedRun, _ stretches: Range<Int>) throws -> [String] {
    let cursor = try RunCursor(names: RunNames())
    var keys: [String] = []
    for number in stretches {
      try cursor.begin(stretch: number, of: part)
      while let key = try cursor.next() { keys.append(key.key.text) }
    }
    return keys
  }

  /// The keys of a range that were decoded, and how many keys the frames had that were passed.
  private static func read(
    _ part: SortedRun, _ section: KeySection, _ lower: String?, _ upper: String?, passesFrames: Bool
  ) throws -> (keys: [String], passed: Int) {
    let low = ByteBuffer(text: lower ?? "")
    let high = ByteBuffer(text: upper ?? "")
    let cursor = try RunCursor(names: RunNames())
    let range = KeyRange(lower: lower.map { _ in low.view }, upper: upper.map { _ in high.view })
    try cursor.begin(section, of: part, in: range)
    var (keys, passed): ([String], Int) = ([], 0)
    while true {
      if let entry = cursor.begunFrame {
        if passesFrames, cursor.frameIsInRange {
          passed += entry.entry.state.lines
          try cursor.passFrame()
        } else {
          try cursor.decode()
        }
      } else if let head = cursor.head {
        keys.append(head.key.text)
        try cursor.advance()
      } else {
        return (keys, passed)
      }
    }
  }

  /// A cursor that decodes every frame, one that passes those which are in the range as a whole,
  /// and the keys of the part say the same of any range.
  @Test(arguments: [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (3000, 2100, 200)])
  func rangesHaveTheirKeys(people: Int, installations: Int, ids: Int) throws {
    let fixture = try Self.fixture(people: people, installations: installations, ids: ids)
    let part = try #require(fixture.part)
    var (end, passed) = (1, 0)
    for (section, count) in zip(KeySection.allCases, [ids, people, installations]) {
      let stretches = part.stretches(section)
      #expect(stretches.lowerBound == end)
      end = stretches.upperBound
      let keys = try Self.keys(part, stretches)
      #expect(keys.count == count && keys == keys.sorted(by: less))
      #expect(keys.allSatisfy { $0.hasPrefix(section.prefix.text) })
      var cuts: [String] = []
      part.forEachCut(section) { key, _ in cuts.append(key.text) }
      #expect(cuts == cuts.sorted(by: less) && cuts.allSatisfy(keys.contains))
      if section == .anonymous || keys.isEmpty { continue }
      if section == .custom, count > 1 { #expect(!cuts.isEmpty) }
      var limits: [String?] = [
        nil, section.prefix.text, "\(section.prefix.text)~", keys[count - 1],
      ]
      limits += [keys[count / 2] + "x"] + cuts
      limits += stride(from: 0, to: keys.count, by: 977).map { keys[$0] }
      for lower in limits {
        for upper in limits {
          if let lower, let upper, !less(lower, upper) { continue }
          let wanted = keys.filter { key in
            !(lower.map { less(key, $0) } ?? false) && (upper.map { less(key, $0) } ?? true)
          }
          let text = "\(lower ?? "-") to \(upper ?? "-")"
          let (all, _) = try Self.read(part, section, lower, upper, passesFrames: false)
          #expect(all == wanted, "\(text)")
          let (rest, lines) = try Self.read(part, section, lower, upper, passesFrames: true)
          #expect(rest.count + lines == wanted.count, "\(text)")
          #expect(Set(rest).isSubset(of: wanted), "\(text)")
          passed += lines
        }
      }
    }
    #expect(people < 1000 || passed > 1000)
  }

  @Test func keysAreFound() throws {
    let fixture = try Self.fixture(people: 2000, installations: 0, ids: 0)
    let part = try #require(fixture.part)
    let cursor = try RunCursor(names: RunNames())
    let keys = try Self.keys(part, part.stretches(.custom))
    let known = Set(keys)
    for key in keys + keys.map({ $0 + "!" }) + ["custom:", "custom:~", "install:1", "", "x"] {
      let text = ByteBuffer(text: key)
      let found = try cursor.find(text.view, in: part)?.key.text
      #expect(found == (known.contains(key) ? key : nil), "\(key)")
    }
  }
}
