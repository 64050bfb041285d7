import Testing

@testable import Pipeline

@Suite struct WaitingTimeConcurrencyTests {
  @Test func addsUpWhoWaitsForHowLong() {
    var time = WaitingTime()
    #expect(time.total(now: 1000) == 0)
    time.change(to: 2, now: 1000)
    #expect(time.total(now: 1010) == 20)
    time.change(to: 1, now: 1010)
    time.change(to: 0, now: 1015)
    #expect(time.total(now: 2000) == 25)
    time.change(to: 3, now: 3000)
    #expect(time.total(now: 3001) == 28)
  }
}
