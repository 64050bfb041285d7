import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct RunCursorTests {
  private static let value = quoted(String(repeating: "x", count: 900))

  private static func part(people: Int) throws -> PreviousFixture {
    try PreviousFixture(
      (0..<people).map {
        Step(
          kind: .set, key: "custom:\($0 % 7 == 0 ? "\"" : "")\($0)", name: "k",
          time: RandomHistory.start, value: value)
      })
  }

  private static func keys(_ part: SortedRun) throws -> [String] {
    let cursor = try RunCursor(names: RunNames())
    var keys: [String] = []
    for number in part.stretches(.custom) {
      try cursor.begin(stretch: number, of: part)
      while let key = try cursor.next() { keys.append(key.key.text) }
    }
    return keys
  }

  /// A cursor that decodes every frame, one that passes those which are in the range as a whole,
  /// and the keys of the part say the same of any range.
  @Test func rangesHaveTheirKeys() throws {
    let fixture = try Self.part(people: 3000)
    let part = try #require(fixture.part)
    let keys = try Self.keys(part)
    #expect(keys.count == 3000 && keys == keys.sorted(by: less))
    var limits: [String?] = [nil, "custom:", "custom:zz", keys[0], keys[2999]]
    limits += stride(from: 5, to: keys.count, by: 463).map { keys[$0] }
    limits += [keys[1400] + "x"]
    var passed = 0
    for lower in limits {
      for upper in limits {
        if let lower, let upper, !less(lower, upper) { continue }
        let wanted = keys.filter { key in
          !(lower.map { less(key, $0) } ?? false) && (upper.map { less(key, $0) } ?? true)
        }
        let text = "\(lower ?? "-") to \(upper ?? "-")"
        let (all, _) = try Self.read(part, lower, upper, passesFrames: false)
        #expect(all == wanted, "\(text)")
        let (rest, lines) = try Self.read(part, lower, upper, passesFrames: true)
        #expect(rest.count + lines == wanted.count, "\(text)")
        #expect(Set(rest).isSubset(of: wanted), "\(text)")
        passed += lines
      }
    }
    #expect(passed > 1000)
  }

  /// The keys of a range that were decoded, and how many keys the frames had that were passed.
  private static func read(
    _ part: SortedRun, _ lower: String?, _ upper: String?, passesFrames: Bool
  ) throws -> (keys: [String], passed: Int) {
    let low = ByteBuffer(text: lower ?? "")
    let high = ByteBuffer(text: upper ?? "")
    let cursor = try RunCursor(names: RunNames())
    try cursor.begin(
      .custom, of: part,
      in: KeyRange(lower: lower.map { _ in low.view }, upper: upper.map { _ in high.view }))
    var keys: [String] = []
    var passed = 0
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

  @Test func keysAreFound() throws {
    let fixture = try Self.part(people: 2000)
    let part = try #require(fixture.part)
    let cursor = try RunCursor(names: RunNames())
    for key in try Self.keys(part) {
      let text = ByteBuffer(text: key)
      let found = try cursor.find(text.view, in: part)
      #expect(found?.key.text == key)
      let other = ByteBuffer(text: key + "!")
      #expect(try cursor.find(other.view, in: part) == nil)
    }
    for key in ["custom:", "custom:~", "install:1", "", "x"] {
      let text = ByteBuffer(text: key)
      #expect(try cursor.find(text.view, in: part) == nil, "\(key)")
    }
  }
}
