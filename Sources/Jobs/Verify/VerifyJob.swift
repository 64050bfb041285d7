package import Pipeline
import Stages

/// Checks an output against its manifest, and for consistency (`eventmill verify`).
///
/// Every byte is read once, those of a state's totals twice. Memory does not depend on the number
/// of profiles: files are walked frame by frame, and only counts per event name, day and input are
/// kept.
package struct VerifyJob {
  private let output: String
  private let absent: String?
  private let jobs: Int
  private let control: JobControl

  /// A check of the output in the directory `output`, with `jobs` lanes; also that it contains none
  /// of the people in the request file `absent`.
  package init(_ output: String, absent: String? = nil, jobs: Int, control: JobControl) {
    self.output = control.system.settled(output)
    (self.absent, self.jobs, self.control) = (absent, jobs, control)
  }

  /// Runs all checks, whatever their results.
  /// - Throws: `usage` when the directory does not exist, or the requests are invalid; the failure
  ///   that the job was cancelled with. All problems of the directory are in the outcome.
  package func run() throws(Failure) -> VerifyOutcome {
    let clock = StopWatch()
    func refusal(_ why: String, _ advice: String) -> Failure {
      Failure(.usage, doing: FrameWalk.doing, path: output, why: why, advice: advice)
    }
    let kind = try control.system.statusIfAny(of: output, doing: FrameWalk.doing)?.kind
    guard kind == .directory else {
      throw refusal(
        kind.map { "it is \($0.words), not a directory" } ?? "it does not exist",
        OutputKind.output.advice)
    }
    let made = try? Manifest.kind(of: output, doing: FrameWalk.doing, system: control.system)
    let absent = try absent.map { path throws(Failure) in
      let manifest = made.flatMap { try? Manifest(output, kind: $0, doing: FrameWalk.doing) }
      return try ErasureRequests(
        reading: path, placeholders: manifest?.placeholders ?? .standard, system: control.system)
    }
    let ids = absent.flatMap { $0.requests.isEmpty ? nil : AbsentIDs($0) }
    if let (why, advice) = made?.facts.unverifiable { throw refusal(why, advice) }
    guard made != .export || absent == nil else {
      throw refusal(
        "it contains tables made from an output",
        "look for people in the output with --requests, and make the tables again")
    }
    var verification = Verification(
      VerifiedFiles(output: output, jobs: jobs, control: control), made ?? .output, absent: ids)
    try verification.run()
    if made?.beside.contains(RunFiles.page) ?? false { verification.files.checkPage() }
    let files = verification.files
    var logs = Ledger()
    for log in verification.found { logs.add(log.ledger) }
    let contents: VerifyOutcome.Contents =
      switch made {
      case .export: .tables
      case .migration, .redrive:
        .logs(
          verification.found.count, lines: logs.lines, events: logs.accepted + logs.duplicates,
          operations: logs.applied)
      default: .profiles(verification.profiles)
      }
    return VerifyOutcome(
      problems: files.problems.reported, problemCount: files.problems.count,
      files: files.count, bytes: files.bytes, contents: contents, absent: absent?.requests.count,
      onlyHoldsAbsent: files.problems.count > 0 && files.problems.areAboutAbsent,
      elsewhere: files.elsewhere, seconds: clock.seconds)
  }
}

package struct VerifyOutcome: Sendable {
  /// The figures of what was read, by the kind of the output.
  package enum Contents: Sendable, Equatable {
    case profiles(Int)
    /// The logs of a migration or a redrive: their number, lines, events and operations.
    case logs(Int, lines: Int, events: Int, operations: Int)
    /// The tables of an export; only their files are checked.
    case tables
  }

  /// The first problems, in the order of the checks.
  package let problems: [VerifyProblem]
  package let problemCount: Int
  /// Files that were read, of those that the manifest lists.
  package let files: Int
  package let bytes: Int
  package let contents: Contents
  /// Number of requests whose people should be absent; nil without requests.
  package let absent: Int?
  /// Whether the output is intact, and only has people who should be absent.
  package let onlyHoldsAbsent: Bool
  /// Uses of the bytes of their ids as something else, which are not problems.
  package let elsewhere: [AbsentElsewhere]
  package let seconds: Double
}
