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
  ///
  /// - Throws: `usage`, `io`, `corrupt`, the failure that is earliest in input order; `limit`, when
  ///   there are too many names for a plan.
  package func infer() throws(Failure) -> (plan: TrackingPlan, read: ReadSummary) {
    let lanes = Locked<[Locked<TrackingTally>]>([])
    let rules = options.rules
    let summary = try read { _ in
      {
        let tally = Locked(TrackingTally())
        lanes.withLock { $0.append(tally) }
        return Chains.trackingInfer(rules, tally)
      }
    }
    var all = TrackingTally()
    for lane in lanes.withLock({ $0 }) { all.merge(lane.withLock { $0 }) }
    if let failure = all.failure { throw failure }
    return (TrackingPlan(all), summary)
  }

  /// Reads all inputs; returns the differences of their events from `plan`.
  ///
  /// - Throws: as ``infer()``, except for `limit`.
  package func check(
    _ plan: TrackingPlan
  ) throws(Failure) -> (found: TrackingCheck, read: ReadSummary) {
    let rules = options.rules
    var checking: TrackingChecking?
    let summary = try read { inputs in
      let lanes = TrackingChecking(plan, inputs: inputs, showsValues: true)
      checking = lanes
      return { Chains.trackingCheck(rules, lanes.stage()) }
    }
    guard let checking else { preconditionFailure("the chain of a flow is made before it runs") }
    return (checking.result(), summary)
  }

  /// Reads all inputs through the chains that `stages` makes for each lane.
  private func read(
    _ stages: ([InputFile]) -> () -> sending Chains.Lane
  ) throws(Failure) -> ReadSummary {
    let clock = StopWatch()
    let survey = try InputDiscovery.survey(options, control)
    return try ReadSummary(
      reading: survey, options, nonLogs: options.nonLogs, clock, control,
      through: stages(survey.inputs))
  }
}

/// Compares the events of a flow with a plan, on several lanes. One per flow.
struct TrackingChecking: Sendable {
  private let plan: TrackingPlan
  let compiled: CompiledPlan
  /// The paths of the inputs.
  let paths: [String]
  /// Whether findings have values, and not only their types.
  let showsValues: Bool
  private let lanes = Locked<[Locked<TrackingFindings>]>([])

  /// A comparison with `plan`; `showsValues` if the findings are for those who have the logs, not
  /// for a report, which outlives the logs.
  init(_ plan: TrackingPlan, inputs: [InputFile], showsValues: Bool) {
    (self.plan, self.showsValues) = (plan, showsValues)
    (compiled, paths) = (CompiledPlan(plan), inputs.map(\.path))
  }

  /// The last stage of a lane; called once for each.
  func stage() -> TrackingCheckStage {
    let findings = Locked(TrackingFindings())
    lanes.withLock { $0.append(findings) }
    return TrackingCheckStage(self, findings)
  }

  /// The findings, when the flow has ended.
  func result() -> TrackingCheck {
    var all = TrackingFindings()
    for lane in lanes.withLock({ $0 }) {
      let found = lane.withLock { $0 }
      all.merge(found.rows.values, found.totals.map { (kind: $0.key, count: $0.value) })
    }
    return TrackingCheck(all, plan: plan, showsValues: showsValues)
  }
}
