@testable import Jobs
import Pipeline
import TestSupport

@testable import Stages

/// What a run after another one has of it.
final class PreviousFixture {
  private let published: Published
  let run: MergeRun
  let plan: MergePlan

  /// A run over `steps` went before, and `next` come now.
  init(
    _ steps: [Step], next: [Step] = [], days: Int = 0, withValues: Bool = true
  ) throws {
    var settings = MergeSettings()
    settings.snapshot.withValues = withValues
    settings.snapshot.dedupeDays = days
    let first = try MergeRun(settings)
    try first.apply(steps)
    published = try first.publish()
    run = try MergeRun(settings)
    try run.goOn(from: published)
    try run.apply(next)
    plan = try run.sources().plan
  }

  var part: SortedRun? { plan.previous?.parts[0] }
}
