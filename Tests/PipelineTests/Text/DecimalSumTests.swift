import TestSupport
import Testing

@testable import Pipeline

@Suite struct DecimalSumTests {
  private static func sum(_ numbers: [(String, Int)]) throws -> DecimalSum {
    var sum = DecimalSum()
    for (text, times) in numbers {
      let isAdded = withByteView(of: Array(text.utf8)) { sum.add($0, times: times) }
      #expect(isAdded)
    }
    return sum
  }

  @Test(
    arguments: [
      ([("0.1", 1), ("0.2", 1)], "0.3"), ([("19.99", 3)], "59.97"), ([("-1.5", 2), ("3", 1)], "0"),
      ([("-0.25", 1)], "-0.25"), ([("9007199254740993", 2)], "18014398509481986"),
      ([("0.000000001", 1_000_000_000)], "1"), ([("1e3", 2)], "2000"),
      ([("9007199254740993", 1), ("1e0", 1), ("2e3", 1)], "9007199254742994"),
      ([("1e308", 1), ("1.5e308", 1), ("-1.7e308", 1), ("-1.6e308", 1)], "-8e307"),
      ([("1e308", 9)], "9e308"), ([("1e-300", 3)], "3e-300"),
      ([("1e30", 1), ("1e-30", 1)], "1e+30"),
      ([("-1e-3", 1), ("1", 1)], "0.999"), ([("-0", 5)], "0"), ([("0.5e1", 1)], "5"), ([], "0"),
    ] as [([(String, Int)], String)])
  func sumsAreExact(_ numbers: [(String, Int)], _ text: String) throws {
    #expect(try Self.sum(numbers).text == text)
  }

  @Test func aSumDoesNotDependOnTheOrder() throws {
    var random = RepeatableRandom(seed: 4)
    let numbers: [(String, Int)] = (0..<200).map { _ -> (String, Int) in
      (
        "\(Int.random(in: -9999...9999, using: &random)).\(Int.random(in: 10...99, using: &random))"
          + "e\(Int.random(in: -12...12, using: &random))",
        Int.random(in: 1...5, using: &random)
      )
    }
    let sum = try Self.sum(numbers)
    #expect(try Self.sum(numbers.shuffled(using: &random)).text == sum.text)
    #expect(sum.count == numbers.reduce(0) { $0 + $1.1 })
  }

  @Test func whatIsNoNumberIsLeftOut() throws {
    var sum = DecimalSum()
    for text in ["", "x", "1e999", "nan"] {
      let isAdded = withByteView(of: Array(text.utf8)) { sum.add($0, times: 1) }
      #expect(!isAdded)
    }
    #expect(sum.count == 0 && sum.minimum == nil)
    sum = try Self.sum([("2", 1), ("-3.5", 1), ("1e1", 1)])
    #expect(sum.minimum == "-3.5" && sum.maximum == "1e1")
    sum = try Self.sum([("9007199254740992", 1), ("9007199254740993", 1), ("-1e2", 1), ("-99", 1)])
    #expect(sum.minimum == "-1e2" && sum.maximum == "9007199254740993")
  }
}
