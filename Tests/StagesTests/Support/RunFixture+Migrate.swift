@testable import Jobs
import Pipeline
import TestSupport
import Testing

extension RunFixture {
  /// Migrates `inputs` with what `change` says, publishes `output`, and verifies it; all are names
  /// in the directory.
  @discardableResult
  func migrate(
    _ inputs: [String], to output: String, verifies: Bool = false,
    control: JobControl = JobControl(),
    _ change: (inout RunOptions) -> Void = { _ in }
  ) throws(Failure) -> ArchiveReport {
    var options = options(inputs, to: output)
    change(&options)
    let summary = try MigrateJob(
      options.read, options.publish, verifies: verifies, control: control
    ).run()
    let problems = try problems(of: options.publish.output)
    #expect(problems.isEmpty, "\(output)")
    return summary
  }

  func migrateFailure(
    _ inputs: [String], to output: String, verifies: Bool = false,
    control: JobControl = JobControl(),
    _ change: (inout RunOptions) -> Void = { _ in }
  ) -> Failure? {
    Failure.of(try migrate(inputs, to: output, verifies: verifies, control: control, change))
  }

  func logs(_ archive: String) throws -> [String: [UInt8]] {
    try bytes(of: archive).filter { !RunFiles.ofArchive.contains($0.key) }
  }
}
