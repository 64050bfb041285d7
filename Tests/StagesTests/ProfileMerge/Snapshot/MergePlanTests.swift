@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct MergePlanTests {
  /// The keys that all sources of a run know, and the pieces they are merged in.
  private static func expectPieces(_ run: MergeRun, keys: Int, pieces: ClosedRange<Int>) throws {
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
      #expect(texts.count == (section == .anonymous ? 0 : keys))
    }
  }

  private static func steps(_ range: Range<Int>) -> [Step] {
    range.flatMap {
      [Step(kind: .touch, key: "custom:\($0)"), Step(kind: .touch, key: "install:\($0)")]
    }
  }

  @Test(arguments: [0, 1, 500])
  func fewKeysAreOnePiece(keys: Int) throws {
    let run = try MergeRun(shards: 2)
    try run.apply(Self.steps(0..<keys))
    try Self.expectPieces(run, keys: keys, pieces: 1...1)
  }

  @Test func manyKeysAreManyPieces() throws {
    let run = try MergeRun(shards: 2)
    try run.apply(Self.steps(0..<5000))
    try Self.expectPieces(run, keys: 5000, pieces: 1...9)
  }

  @Test func spillsAreCut() throws {
    let run = try MergeRun()
    for start in [0, 3000, 6000] {
      try run.apply(Self.steps(start..<start + 4000))
      try run.spill()
    }
    try #require(run.spills.files.count == 3)
    try Self.expectPieces(run, keys: 10_000, pieces: 1...20)
  }

  @Test func aPreviousSnapshotIsCut() throws {
    let first = try MergeRun()
    try first.apply(Self.steps(0..<5000))
    let second = try MergeRun()
    try second.goOn(from: first.publish())
    let plan = try second.sources().plan
    #expect(try 2...11 ~= plan.pieces(0, .custom).count)
  }
}
