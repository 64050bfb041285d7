import Dispatch
import Pipeline
import Testing

@Suite struct SystemClockTests {
  /// The time of a thread grows with its work, and never faster than that of the world.
  @Test func aThreadsTimeIsThatOfItsWork() {
    let start = DispatchTime.now().uptimeNanoseconds
    let before = System.threadNanoseconds
    var sum: UInt64 = 0
    var last = before
    // As long as it takes until the clock has moved.
    while last == before {
      for number in 0..<10_000 { sum = sum &* 31 &+ UInt64(number) }
      last = System.threadNanoseconds
    }
    #expect(sum != 0 && last > before)
    #expect(last - before <= DispatchTime.now().uptimeNanoseconds - start + 10_000_000)
  }
}
