import Testing

@testable import eventmill

@Suite struct TerminalTests {
  @Test func countsAreHighOrLow() {
    #expect(Sparkline.text([]) == "")
    #expect(Sparkline.text([0, 0]) == "  ")
    #expect(Sparkline.text([0, 1, 4, 8, 5]) == " ▁▄█▅")
    #expect(Sparkline.text([1, 1_000_000, .max]) == "▁▁█")
  }

  @Test func linesAreBrokenBetweenWords() {
    #expect(
      TextFill.lines(ofSummary: "events      1 \u{1B}[1m2 three\u{1B}[0m four", width: 19) == [
        "events      1 \u{1B}[1m2", "            three\u{1B}[0m", "            four",
      ])
    #expect(
      TextFill.lines(ofSummary: "published a/b c", width: 13) == ["published a/b", "            c"])
    #expect(
      TextFill.lines(ofSummary: "rejects     1 in", width: 5) == [
        "rejects     1", "            in",
      ])
  }
}
