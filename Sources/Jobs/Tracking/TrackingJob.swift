package import Pipeline
import Stages

/// Makes a tracking plan from logs, or compares logs with one (`eventmill tracking`).
package struct TrackingJob {
  private let options: ReadOptions
  private let control: JobControl

  package init(_ options: ReadOptions, control: JobControl) {
    (self.options, self.control) = (options, control)
  }

  /// Reads all inputs; returns a plan that fits their events.
  package func infer() throws(Failure) -> (plan: TrackingPlan, read: ReadSummary) {
    let (clock, rules) = (StopWatch(), options.rules)
    let lanes = TrackingLanes<TrackingTally>()
    let survey = try InputDiscovery.survey(options, control)
    let summary = try read(survey, clock) {
      Chains.trackingInfer(rules, lanes.add(TrackingTally()))
    }
    var all = TrackingTally()
    for lane in lanes.all { all.merge(lane) }
    if let failure = all.failure { throw failure }
    return (TrackingPlan(all), summary)
  }

  /// Reads all inputs; returns the differences of their events from `plan`.
  package func check(
    _ plan: TrackingPlan
  ) throws(Failure) -> (found: TrackingCheck, read: ReadSummary) {
    let (clock, rules) = (StopWatch(), options.rules)
    let survey = try InputDiscovery.survey(options, control)
    let checking = TrackingChecking(plan, inputs: survey.inputs, showsValues: true)
    let summary = try read(survey, clock) { Chains.trackingCheck(rules, checking.stage()) }
    return (checking.result(), summary)
  }

  private func read(
    _ survey: InputDiscovery.Survey, _ clock: StopWatch,
    through stages: @escaping () -> sending Chains.Lane
  ) throws(Failure) -> ReadSummary {
    try ReadSummary(
      reading: survey, options, nonLogs: options.nonLogs, clock, control, through: stages)
  }
}

/// The findings of each lane of a flow.
private struct TrackingLanes<Found: Sendable>: Sendable {
  private let lanes = Locked<[Locked<Found>]>([])

  func add(_ found: Found) -> Locked<Found> {
    let lane = Locked(found)
    lanes.withLock { $0.append(lane) }
    return lane
  }

  var all: [Found] { lanes.withLock { $0 }.map { lane in lane.withLock { $0 } } }
}

/// Compares the events of a flow with a plan, on several lanes. One per flow.
struct TrackingChecking: Sendable {
  private let plan: TrackingPlan
  let compiled: CompiledPlan
  let paths: [String]
  /// Whether findings have values, and not only their types.
  let showsValues: Bool
  private let lanes = TrackingLanes<TrackingFindings>()

  /// A comparison with `plan`; a report, which outlives the logs, does not show values.
  init(_ plan: TrackingPlan, inputs: [InputFile], showsValues: Bool) {
    (self.plan, self.showsValues) = (plan, showsValues)
    (compiled, paths) = (CompiledPlan(plan), inputs.map(\.path))
  }

  func stage() -> TrackingCheckStage { TrackingCheckStage(self, lanes.add(TrackingFindings())) }

  func result() -> TrackingCheck {
    var all = TrackingFindings()
    for found in lanes.all {
      all.merge(found.rows.values, found.totals.map { (kind: $0.key, count: $0.value) })
    }
    return TrackingCheck(all, plan: plan, showsValues: showsValues)
  }
}
