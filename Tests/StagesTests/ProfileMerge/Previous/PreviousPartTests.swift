import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct PreviousPartTests {
  private static func keys(_ part: PreviousPart, _ frames: Range<Int>) throws -> [String] {
    var stretch = PreviousStretch(try FrameFileReader())
    try stretch.read(frames, end: nil, of: part)
    var keys: [String] = []
    for group in stretch.groups {
      var place = group.text.lowerBound
      while place < group.text.upperBound {
        let found = stretch.line(at: place)
        let line = try #require(found)
        keys.append(line.key.text)
        place += line.text.count
      }
    }
    return keys
  }

  @Test(arguments: [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (3000, 2100, 200)])
  func sectionsAreFound(people: Int, installations: Int, ids: Int) throws {
    var steps = (0..<people).map {
      Step(kind: .touch, key: "custom:\($0 % 7 == 0 ? "\"" : "")\($0)")
    }
    steps += (0..<installations).map { Step(kind: .touch, key: "install:\($0)") }
    steps += (0..<ids).map {
      Step(kind: .event, key: "", name: "a", time: RandomHistory.start, id: "\($0)")
    }
    let fixture = try PreviousFixture(steps, days: 1)
    let part = try #require(fixture.part)
    var end = 1
    for (section, count) in zip(KeySection.allCases, [ids, people, installations]) {
      let frames = part.frames(section)
      #expect(frames.lowerBound == end)
      end = frames.upperBound
      let keys = try Self.keys(part, frames)
      #expect(keys.count == count)
      #expect(keys.allSatisfy { $0.hasPrefix(section.prefix.text) })
      #expect(keys == keys.sorted(by: less))
      guard section != .anonymous else { continue }
      try Self.expectRanges(of: part, section, keys)
    }
    #expect(end == part.state.frames.count)
  }

  /// Among the frames of any range are all that hold its keys, and the key told is that of the frame
  /// behind them.
  private static func expectRanges(
    of part: PreviousPart, _ section: KeySection, _ keys: [String]
  ) throws {
    var cuts: [String] = []
    part.forEachCut(section) { key, _ in cuts.append(key.text) }
    #expect(cuts == cuts.sorted(by: less) && cuts.allSatisfy(keys.contains))
    if keys.count > 2000 { #expect(!cuts.isEmpty) }
    var limits: [String?] = [nil, "\(section.prefix.text)", "\(section.prefix.text)~"]
    limits += cuts.map { $0 }
    limits += stride(from: 0, to: keys.count, by: 977).map { keys[$0] }
    for lower in limits {
      for upper in limits {
        if let lower, let upper, !less(lower, upper) { continue }
        var text = ByteBuffer()
        text.append(text: lower ?? "")
        let place = text.count
        text.append(text: upper ?? "")
        let range = KeyRange(
          lower: lower.map { _ in text[0..<place] },
          upper: upper.map { _ in text.view.dropFirst(place) })
        let (frames, end) = part.frames(section, range)
        let found = frames.isEmpty ? [] : try Self.keys(part, frames)
        let wanted = keys.filter { key in
          !(lower.map { less(key, $0) } ?? false) && (upper.map { less(key, $0) } ?? true)
        }
        #expect(Set(wanted).isSubset(of: found), "\(lower ?? "-") to \(upper ?? "-")")
        if let end {
          #expect(end.text == (keys.first { !less($0, end.text) }))
          #expect(found.last.map { less($0, end.text) } ?? true)
        } else {
          #expect(frames.isEmpty || frames.upperBound == part.frames(section).upperBound)
        }
      }
    }
  }

  @Test func filesThatDoNotBelongTogetherAreCorrupt() throws {
    let one = try MergeRun()
    try one.apply((0..<500).map { Step(kind: .touch, key: "custom:\($0)") })
    let two = try MergeRun()
    try two.apply([Step(kind: .touch, key: "custom:1")])
    let (first, second) = (try one.publish(), try two.publish())
    let state = "\(first.path)/\(RunFiles.part(0, of: 1, in: RunFiles.state))"
    let profiles = "\(second.path)/\(RunFiles.part(0, of: 1, in: RunFiles.profiles))"
    let failure = #expect(throws: Failure.self) {
      try PreviousPart(state: state, profiles: profiles, jobs: 2)
    }
    #expect(failure?.kind == .corrupt && failure?.path == profiles)
  }

  /// State and profiles the wrong way round: frames that do not begin with keys.
  @Test func aFrameWithoutAKeyIsCorrupt() throws {
    let run = try MergeRun()
    try run.apply([Step(kind: .touch, key: "custom:1")])
    let published = try run.publish()
    let state = "\(published.path)/\(RunFiles.part(0, of: 1, in: RunFiles.state))"
    let profiles = "\(published.path)/\(RunFiles.part(0, of: 1, in: RunFiles.profiles))"
    let failure = #expect(throws: Failure.self) {
      try PreviousPart(state: profiles, profiles: state, jobs: 1)
    }
    #expect(failure?.kind == .corrupt && failure?.path == profiles && failure?.frame == 1)
  }
}
