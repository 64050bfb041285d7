import Testing

@testable import Stages

@Suite struct InputSourceIDTests {
  /// States contain the numbers, so they must never change.
  @Test func numbersAreTheFirst48BitsOfTheHash() {
    // XXH64 of nothing is ef46db3751d8e999.
    #expect(InputSourceID(path: "").number == 0xEF46_DB37_51D8)
    #expect(InputSourceID(path: "logs/a.ndjson") == InputSourceID(path: "logs/a.ndjson"))
    #expect(InputSourceID(path: "logs/a.ndjson") != InputSourceID(path: "logs/b.ndjson"))
    #expect(InputSourceID(number: .max).number == 1 << 48 - 1)
    #expect(InputSourceID.unknown.number == 0)
  }
}
