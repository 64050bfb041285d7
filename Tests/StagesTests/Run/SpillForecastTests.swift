@testable import Jobs
import Pipeline
import TestSupport
import Testing

@Suite struct SpillForecastTests {
  /// What is said of a forecast with `free` bytes of disk; nil when that is too little.
  private func notes(_ forecast: SpillForecast, free: Int) -> Int? {
    let notes = Locked(0)
    let control = JobControl(notes: { _ in notes.withLock { $0 += 1 } })
    let failure = Failure.of(try forecast.check(at: "/", control: control, free: free))
    return failure == nil ? notes.withLock { $0 } : nil
  }

  @Test func whatFitsIntoMemoryNeedsNoDisk() {
    let inputs = [InputFile(path: "a.ndjson", size: 1000)]
    for (memory, previous, bytes) in [
      (1 << 30, 5000, 5000), (1000, 0, 0), (849, 0, 1100), (849, 5000, 6100),
    ] { #expect(SpillForecast(inputs, memory: memory, previous: previous).bytes == bytes) }
    #expect(SpillForecast([InputFile(path: "-", size: nil)], memory: 0).bytes == nil)
    #expect(notes(SpillForecast(inputs, memory: 1000), free: 0) == 0)
    // More than half of the disk is worth a note.
    let forecast = SpillForecast(inputs, memory: 1 << 30, previous: 5000)
    #expect([10_000, 9999, 5000, 4999].map { notes(forecast, free: $0) } == [0, 1, 1, nil])
  }
}
