import Testing

@testable import eventmill

@Suite struct ProgressTests {
  private struct Sample: ProgressSource {
    var bytesRead = 250_000_000
    var totalBytes: Int? = 1_000_000_000
    var records = 1_200_000
    var rejects = 17
  }

  @Test func aLineTellsEverything() {
    #expect(
      ProgressLine(Sample(), seconds: 10).text
        == "progress: 25 %, 250 MB at 25 MB/s, 30 s left, 1,200,000 lines, 17 rejected")
  }

  @Test func withoutATotalThereIsNoShare() {
    let line = ProgressLine(Sample(totalBytes: nil), seconds: 10)
    #expect(line.text == "progress: 250 MB at 25 MB/s, 1,200,000 lines, 17 rejected")
    #expect(line.bar(width: 200) == String(line.text.dropFirst("progress: ".count)))
  }

  @Test func nothingReadYetIsNoDivisionByZero() {
    let line = ProgressLine(Sample(bytesRead: 0, totalBytes: 0, records: 0, rejects: 0), seconds: 0)
    #expect(line.text == "progress: 0 B at 0 B/s, 0 lines, 0 rejected")
  }

  @Test(arguments: 1...200)
  func theBarStaysInItsLine(_ width: Int) {
    #expect(ProgressLine(Sample(), seconds: 10).bar(width: width).count < width)
  }

  @Test func theBarShowsTheShare() {
    let bar = ProgressLine(Sample(), seconds: 10).bar(width: 200)
    #expect(
      bar.hasPrefix(
        "[" + String(repeating: "=", count: 10) + String(repeating: " ", count: 30) + "] "))
  }
}
