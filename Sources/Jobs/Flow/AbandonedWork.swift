import Pipeline

/// What a job has written that is given up (``JobControl/abandon()``).
final class AbandonedWork: @unchecked Sendable {
  // @unchecked because the job is stuck in a step that writes nothing, or ends with the process.
  private let staging: StagedDirectory

  init(_ staging: StagedDirectory) { self.staging = staging }

  func discard() { staging.discard() }
}

extension JobControl {
  /// Called by a job when it has begun to write to `staging`, which is removed when it is given up.
  func discardWhenAbandoned(_ staging: StagedDirectory) {
    let written = AbandonedWork(staging)
    onAbandon { written.discard() }
  }
}
