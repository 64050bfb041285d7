import TestSupport
import Testing

@testable import Pipeline

@Suite struct PlainListSortTests {
  @Test func itSortsWhatStandsBehindTheStart() {
    var random = RepeatableRandom(seed: 7)
    for length in 0..<70 {
      var list = PlainList<Int32>()
      let values = (0..<length).map { _ in Int32.random(in: 0..<40, using: &random) }
      for value in values { list.append(value) }
      let start = length == 0 ? 0 : Int.random(in: 0...length, using: &random)
      list.sort(from: start, by: <)
      let sorted = Array(values[..<start]) + values[start...].sorted()
      #expect(list.indices.map { list[$0] } == sorted, "seed 7, length \(length)")
    }
  }
}
