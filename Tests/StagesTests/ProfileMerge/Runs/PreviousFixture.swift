@testable import Jobs
@testable import Stages

/// The part of an output that a next run continues from.
final class PreviousFixture {
  private let published: Published
  private let run: MergeRun
  var part: SortedRun? { run.previous?.snapshot?[0] }

  /// The output is that of a run over `steps`.
  init(_ steps: [Step], days: Int = 0, withValues: Bool = true) throws {
    var settings = MergeSettings()
    settings.snapshot.withValues = withValues
    settings.snapshot.dedupeDays = days
    published = try MergeRun.publish(steps, settings)
    run = try MergeRun(settings)
    try run.goOn(from: published)
  }
}
