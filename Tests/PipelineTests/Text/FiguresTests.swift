import Testing

@testable import Pipeline

@Suite struct FiguresTests {
  @Test func thousandsAreGrouped() {
    #expect(Figures.grouped(0) == "0")
    #expect(Figures.grouped(999) == "999")
    #expect(Figures.grouped(1000) == "1,000")
    #expect(Figures.grouped(-1_234_567) == "-1,234,567")
  }

  @Test func bytesHaveAUnit() {
    #expect(Figures.bytes(0) == "0 B")
    #expect(Figures.bytes(999) == "999 B")
    #expect(Figures.bytes(1000) == "1.0 kB")
    #expect(Figures.bytes(1_540_000) == "1.5 MB")
    #expect(Figures.bytes(999_600_000) == "1.0 GB")
    #expect(Figures.bytes(Int.max) == "9.2 EB")
  }

  @Test func durationsAreShort() {
    #expect(Figures.duration(-1) == "0 s")
    #expect(Figures.duration(59.4) == "59 s")
    #expect(Figures.duration(200) == "3 min 20 s")
    #expect(Figures.duration(7500) == "2 h 5 min")
    #expect(Figures.duration(.infinity) == "168 h 0 min")
  }

  @Test func tenthsAreRounded() {
    #expect(Figures.tenths(3.25) == "3.3")
    #expect(Figures.tenths(0) == "0.0")
  }

  @Test(arguments: [
    (0, "0"), (7, "7"), (999, "999"), (1000, "1 k"), (1500, "1.5 k"), (12_000, "12 k"),
    (250_000, "250 k"), (2_000_000, "2 M"), (.max, "9.2 E"),
  ])
  func aScaleIsShort(_ number: Int, _ text: String) { #expect(Figures.short(number) == text) }

  @Test func aShareThatIsNotAllNeverLooksLikeAll() {
    #expect(Figures.percent(0) == "0.0 %" && Figures.percent(1) == "100.0 %")
    #expect(Figures.percent(0.125) == "12.5 %")
    #expect(Figures.percent(1e-9) == "< 0.1 %" && Figures.percent(0.999_999) == "> 99.9 %")
  }
}
