import Testing

@testable import eventmill

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
}
