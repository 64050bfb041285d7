import Pipeline
@testable import Stages
import Testing

@Suite struct SnapshotPieceTests {
  private static func plan(people: Int, singles: Int, ids: Int) -> SnapshotPlan {
    var options = SnapshotOptions()
    options.dedupeDays = 1
    let run = MergeRun(shards: 2, options: options)
    var steps: [Step] = []
    for (kind, count) in [("custom", people), ("install", singles)] {
      steps += (0..<count).map { Step(kind: .touch, key: "\(kind):\($0)") }
    }
    steps += (0..<ids).map {
      Step(kind: .event, key: "", name: "n\($0 % 7)", time: RandomHistory.start, id: "\($0)")
    }
    run.apply(steps)
    return SnapshotPlan(shards: run.shards, names: run.names, options: options)
  }

  @Test(arguments: [
    (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (10, 0, 0), (10, 10, 0), (11, 4, 0), (9, 25, 3),
    (20, 1, 30), (5, 5, 5),
  ])
  func piecesCoverEverythingInOrder(people: Int, singles: Int, ids: Int) {
    let plan = Self.plan(people: people, singles: singles, ids: ids)
    let pieces = plan.pieces(partition: 0, of: 10)
    let part = plan.parts[0]
    #expect(pieces.flatMap(\.anonymous) == Array(0..<ids))
    #expect(pieces.flatMap(\.persons) == Array(0..<people))
    #expect(pieces.flatMap(\.installations) == Array(0..<singles))
    #expect(pieces.flatMap(\.singles) == Array(0..<singles))
    #expect(pieces.flatMap(\.totals) == Array(part.totals.indices))
    #expect(pieces.map(\.hasHeader) == pieces.indices.map { $0 == 0 })
    #expect(pieces.allSatisfy { $0.profileLines <= 10 && $0.stateLines <= 11 })
    // Profiles fill their pieces, wherever people end.
    let counts = pieces.map(\.profileLines).filter { $0 > 0 }
    #expect(counts.dropLast().allSatisfy { $0 == 10 })
  }

  @Test func aPieceKnowsItsLines() {
    let plan = Self.plan(people: 25, singles: 13, ids: 12)
    for piece in plan.pieces(partition: 0, of: 10) {
      var profiles = ByteBuffer()
      var state = ByteBuffer()
      var tally = SnapshotTally()
      plan.render(piece, profiles: &profiles, state: &state, tally: &tally)
      #expect(NewlineScan(profiles.view).count == piece.profileLines)
      #expect(NewlineScan(state.view).count == piece.stateLines)
      #expect(tally.lines == piece.profileLines)
    }
  }
}
