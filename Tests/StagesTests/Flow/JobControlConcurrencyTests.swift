@testable import Jobs
import Pipeline
import Testing

@Suite struct JobControlConcurrencyTests {
  private static let stop = Failure(.interrupted, doing: "testing", why: "a signal came")

  @Test func whatIsAbandonedIsDiscarded() {
    let control = JobControl()
    let discarded = Locked(0)
    control.onAbandon { discarded.withLock { $0 += 1 } }
    control.cancel(Self.stop)
    #expect(control.abandon())
    #expect(discarded.withLock { $0 } == 1)
  }

  @Test func whatIsPublishingIsNotAbandoned() throws {
    let control = JobControl()
    let discarded = Locked(0)
    control.onAbandon { discarded.withLock { $0 += 1 } }
    try control.beginPublishing()
    control.cancel(Self.stop)
    #expect(!control.abandon())
    #expect(discarded.withLock { $0 } == 0)
  }

  @Test func whatIsCancelledDoesNotPublish() {
    let control = JobControl()
    control.cancel(Self.stop)
    #expect(throws: Self.stop) { try control.beginPublishing() }
    #expect(throws: Self.stop) { try control.check() }
  }
}
