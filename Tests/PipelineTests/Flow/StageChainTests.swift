import Testing

@testable import Pipeline

@Suite struct StageChainTests {
  private final class Word {
    var text = ""
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
  }

  @Test func timesAdd() {
    var time = StageTime(name: "a")
    time.nanoseconds = 5
    time.units = 1
    var other = StageTime(name: "a")
    other.nanoseconds = 7
    other.units = 2
    time.add(other)
    #expect(time.nanoseconds == 12 && time.units == 3)
  }
}
