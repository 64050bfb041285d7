import Pipeline
import Testing

@testable import Stages

@Suite struct ConsentHistoryTests {
  /// Times are those that logs may have.
  @Test(
    arguments: [
      (Rules.earliestTime, 1, true), (Rules.endOfTime - 1, 1, true),
      (Rules.earliestTime - 1, 1, false), (Rules.endOfTime, 1, false),
      (Rules.earliestTime, 2, false),
    ] as [(Int, UInt64, Bool)])
  func whatIsNotARecordIsRefused(_ time: Int, _ flag: UInt64, _ isRecord: Bool) {
    var record = ByteBuffer()
    for word in [7, 7, UInt64(time), flag] { record.append(word64: word) }
    var history = ConsentHistory()
    let isAdded = history.add(record.view, optOuts: true)
    let isCut = !history.add(record.view.dropFirst(8), optOuts: true)
    #expect(isAdded == isRecord && isCut && history.count == (isRecord ? 1 : 0))
  }
}
