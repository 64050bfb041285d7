@testable import Jobs
import Pipeline
import Testing

@Suite struct SpillForecastTests {
  /// What is said of `forecast` with `free` bytes of disk; nil when that is too little.
  private func notes(_ forecast: SpillForecast, free: Int) -> [String]? {
    var notes: [String] = []
    do throws(Failure) {
      try forecast.check(free: free, at: "/") { notes.append($0) }
      return notes
    } catch { return nil }
  }

  @Test func aNightThatGoesOnSaysNothingOfDiskThatThereIs() {
    let forecast = SpillForecast(
      [InputFile(path: "a.ndjson", size: 1000)], memory: 1 << 30, previous: 5000)
    #expect(forecast.bytes == 5000)
    #expect(notes(forecast, free: 10_000) == [])
    #expect(notes(forecast, free: 9999)?.count == 1, "more than half of it")
    #expect(notes(forecast, free: 5000)?.count == 1)
    #expect(notes(forecast, free: 4999) == nil)
  }

  @Test func whatFitsIntoMemoryNeedsNoDisk() {
    let inputs = [InputFile(path: "a.ndjson", size: 1000)]
    #expect(SpillForecast(inputs, memory: 1000).bytes == 0)
    #expect(SpillForecast(inputs, memory: 849).bytes == 1100)
    #expect(SpillForecast([InputFile(path: "-", size: nil)], memory: 0).bytes == nil)
    #expect(notes(SpillForecast(inputs, memory: 1000), free: 0) == [])
  }
}
