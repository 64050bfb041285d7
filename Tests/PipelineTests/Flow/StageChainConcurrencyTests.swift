import Testing

@testable import Pipeline

@Suite struct StageChainConcurrencyTests {
  private final class Word: MeasuredUnit {
    var text = ""
    var measuredBytes: Int { text.utf8.count }
    var measuredItems: Int { 3 }
  }

  private struct First: Stage {
    static let name = "first"
    var count = 0

    mutating func process(_ unit: Word) {
      count += 1
      unit.text += "a\(count)"
    }
  }

  private struct Second: Stage {
    static let name = "second"

    mutating func process(_ unit: Word) { unit.text += "b" }
  }

  @Test func stagesWorkInOrderAndKeepTheirState() {
    let chain = StageChain<Word>([First(), Second()])
    let word = Word()
    chain.process(word)
    chain.process(word)
    #expect(word.text == "a1ba2b")
    #expect(chain.times.map(\.name) == ["first", "second"])
    #expect(chain.times.map(\.units) == [2, 2])
    // A unit's content is measured after all stages.
    #expect(chain.times.map(\.bytes) == [9, 9] && chain.times.map(\.items) == [6, 6])
  }

  @Test func timesAdd() {
    var time = StageTime(name: "a")
    (time.nanoseconds, time.units) = (5, 1)
    var other = StageTime(name: "a")
    (other.nanoseconds, other.units, other.stalled) = (7, 2, 11)
    (other.bytes, other.items) = (13, 17)
    time.add(other)
    time.add(other)
    #expect(time.nanoseconds == 19 && time.units == 5 && time.stalled == 22)
    #expect(time.bytes == 26 && time.items == 34)
  }
}
