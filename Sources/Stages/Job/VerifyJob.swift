package import Pipeline

/// Checks an output against its manifest and in itself (`eventmill verify`).
///
/// Every byte is read once. Memory does not depend on the number of profiles: files are walked frame
/// by frame, and only what is counted per event name and per input is kept.
package struct VerifyJob {
  private let output: String
  private let jobs: Int
  private let control: JobControl

  /// A check of the output in the directory `output`, with so many lanes.
  package init(_ output: String, jobs: Int, control: JobControl) {
    self.output = output
    self.jobs = jobs
    self.control = control
  }

  /// Checks everything there is to check, whatever is wrong.
  ///
  /// - Throws: `usage` when there is no such directory; what the job was cancelled with. All that is
  ///   wrong in the directory is in the outcome.
  package func run() throws(Failure) -> VerifyOutcome {
    let clock = StopWatch()
    let kind = try control.system.statusIfAny(of: output, doing: FrameWalk.doing)?.kind
    guard kind == .directory else {
      throw Failure(
        .usage, doing: FrameWalk.doing, path: output, why: "there is no such directory",
        advice: "name the directory that a run published with --out")
    }
    var verification = Verification(output: output, jobs: jobs, control: control)
    try verification.run()
    return VerifyOutcome(
      problems: verification.problems.told, problemCount: verification.problems.count,
      files: verification.files, bytes: verification.bytes, profiles: verification.profiles,
      seconds: clock.seconds)
  }
}

/// What verifying found.
package struct VerifyOutcome: Sendable {
  /// The first problems, in the order of the checks.
  package let problems: [VerifyProblem]
  /// How many there are in all.
  package let problemCount: Int
  /// Files that were read, of those the manifest lists.
  package let files: Int
  /// Their bytes as they lie on disk.
  package let bytes: Int
  /// Profiles that were read.
  package let profiles: Int
  /// Wall-clock seconds.
  package let seconds: Double
}
