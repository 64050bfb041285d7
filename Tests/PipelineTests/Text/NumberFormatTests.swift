import Testing

@testable import Pipeline

@Suite struct NumberFormatTests {
  @Test func thousandsAreGrouped() {
    #expect(NumberFormat.grouped(0) == "0")
    #expect(NumberFormat.grouped(999) == "999")
    #expect(NumberFormat.grouped(1000) == "1,000")
    #expect(NumberFormat.grouped(-1_234_567) == "-1,234,567")
  }

  @Test func bytesHaveAUnit() {
    #expect(NumberFormat.bytes(0) == "0 B")
    #expect(NumberFormat.bytes(999) == "999 B")
    #expect(NumberFormat.bytes(1000) == "1.0 kB")
    #expect(NumberFormat.bytes(1_540_000) == "1.5 MB")
    #expect(NumberFormat.bytes(999_600_000) == "1.0 GB")
    #expect(NumberFormat.bytes(Int.max) == "9.2 EB")
  }

  @Test func durationsAreShort() {
    #expect(NumberFormat.duration(-1) == "0 s")
    #expect(NumberFormat.duration(59.4) == "59 s")
    #expect(NumberFormat.duration(200) == "3 min 20 s")
    #expect(NumberFormat.duration(7500) == "2 h 5 min")
    #expect(NumberFormat.duration(.infinity) == "168 h 0 min")
  }

  @Test func tenthsAreRounded() {
    #expect(NumberFormat.tenths(3.25) == "3.3")
    #expect(NumberFormat.tenths(0) == "0.0")
  }

  @Test(arguments: [
    (0, "0"), (7, "7"), (999, "999"), (1000, "1 k"), (1500, "1.5 k"), (12_000, "12 k"),
    (250_000, "250 k"), (2_000_000, "2 M"), (.max, "9.2 E"),
  ])
  func aScaleIsShort(_ number: Int, _ text: String) { #expect(NumberFormat.short(number) == text) }

  @Test func aNumberOfThingsAgreesWithTheirName() {
    #expect(NumberFormat.count(1, "line") == "1 line" && NumberFormat.count(0, "line") == "0 lines")
    #expect(NumberFormat.count(2000, "entry", "entries") == "2,000 entries")
  }

  @Test func aShareThatIsNotAllNeverLooksLikeAll() {
    #expect(NumberFormat.percent(0) == "0.0 %" && NumberFormat.percent(1) == "100.0 %")
    #expect(NumberFormat.percent(0.125) == "12.5 %")
    #expect(
      NumberFormat.percent(1e-9) == "< 0.1 %" && NumberFormat.percent(0.999_999) == "> 99.9 %")
  }
}
