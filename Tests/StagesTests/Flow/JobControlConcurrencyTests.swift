@testable import Jobs
import Pipeline
import TestSupport
import Testing

@Suite struct JobControlConcurrencyTests {
  /// Whether the job was abandoned, and how often its output was discarded.
  private func abandon(_ control: JobControl) -> (Bool, Int) {
    let discarded = Locked(0)
    control.onAbandon { discarded.withLock { $0 += 1 } }
    control.cancel(Sample.stop)
    let isAbandoned = control.abandon()
    return (isAbandoned, discarded.withLock { $0 })
  }

  @Test func coresAreThoseOfTheJob() throws {
    let control = JobControl()
    #expect(try control.cores(2) === control.cores(2))
  }

  @Test func whatIsCancelledIsDiscardedUnlessItIsPublishing() throws {
    let control = JobControl()
    let (isAbandoned, discarded) = abandon(control)
    #expect(isAbandoned && discarded == 1)
    #expect(throws: Sample.stop) { try control.beginPublishing() }
    #expect(throws: Sample.stop) { try control.check() }
    let publishing = JobControl()
    try publishing.beginPublishing()
    let (isEnded, removed) = abandon(publishing)
    #expect(!isEnded && removed == 0)
  }
}
