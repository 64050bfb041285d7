@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct MergePlanTests {
  private static func steps(_ range: Range<Int>) -> [Step] {
    range.flatMap {
      [Step(kind: .touch, key: "custom:\($0)"), Step(kind: .touch, key: "install:\($0)")]
    }
  }

  /// The keys that all sources of a run know, and the pieces they are merged in: of several parts
  /// each is spilled.
  @Test(arguments: [
    ([0..<0], 1...1), ([0..<1], 1...1), ([0..<500], 1...1), ([0..<5000], 1...9),
    ([0..<4000, 3000..<7000, 6000..<10_000], 1...20),
  ]) func piecesHaveAllKeys(parts: [Range<Int>], pieces: ClosedRange<Int>) throws {
    let run = try MergeRun(MergeSettings(shards: 2))
    for part in parts {
      try run.apply(Self.steps(part))
      if parts.count > 1 { try run.spill() }
    }
    try #require(run.spills.files.count == (parts.count > 1 ? 3 : 0))
    let plan = try run.sources().plan
    let reader = try plan.makeReader()
    for section in KeySection.allCases {
      let found = try plan.pieces(0, section)
      let count = section == .anonymous ? 1...1 : pieces
      #expect(count ~= found.count, "\(found.count) pieces of \(section)")
      // Pieces follow each other without a gap, and begin where groups do.
      #expect(found[0].range.lower == nil && found[found.count - 1].range.upper == nil)
      for (piece, next) in zip(found, found.dropFirst()) {
        let (upper, lower) = (try #require(piece.range.upper), try #require(next.range.lower))
        #expect(upper == lower && KeyHash.beginsGroup(XXH64.hash(lower)))
        #expect(piece.range.lower.map { $0 < upper } ?? true)
      }
      var texts: [String] = []
      for piece in found {
        var merge = try plan.cursors(piece, isShared: true, reader)
        while let key = merge.key {
          #expect(!piece.range.startsAfter(key) && !piece.range.endsBefore(key))
          texts.append(key.text)
          try merge.advance()
        }
      }
      #expect(texts == Set(texts).sorted(by: less))
      #expect(texts.count == (section == .anonymous ? 0 : parts.last?.upperBound))
    }
  }

  @Test func aPreviousSnapshotIsCut() throws {
    let second = try MergeRun()
    try second.goOn(from: MergeRun.publish(Self.steps(0..<5000)))
    let plan = try second.sources().plan
    #expect(try 2...11 ~= plan.pieces(0, .custom).count)
  }
}
