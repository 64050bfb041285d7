@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Runs of the two halves of a run, beside runs in one process, over the same logs.
struct PartialRuns {
  let fixture: RunFixture

  init() throws { self.init(try RunFixture()) }

  init(_ fixture: RunFixture) { self.fixture = fixture }

  /// Publishes a partial of `inputs` as `output`; both are names in the directory.
  @discardableResult
  func partial(
    _ inputs: [String], to output: String, control: JobControl = JobControl(),
    _ change: (inout RunOptions) -> Void = { _ in }
  ) throws(Failure) -> ReadSummary {
    var options = fixture.options(inputs, to: output)
    change(&options)
    return try PartialJob(options, control: control).run()
  }

  /// Does a step of merging a partition of `partials` into the directory `output`.
  @discardableResult
  func merge(
    _ partition: Int, step: MergeStep = .installations, _ partials: [String], to output: String,
    control: JobControl = JobControl(), _ change: (inout RunOptions) -> Void = { _ in }
  ) throws(Failure) -> MergeSummary {
    var options = fixture.options(partials, to: output)
    change(&options)
    return try MergeJob(options, step, partition: partition, control: control).run()
  }

  /// Does all steps of merging all `partitions` of `partials` but the finish, the last one first.
  func mergeSteps(
    _ partials: [String], partitions: Int, to output: String,
    _ change: (inout RunOptions) -> Void = { _ in }
  ) throws(Failure) {
    var options = fixture.options(partials, to: output)
    change(&options)
    for step in MergeStep.allCases where step != .unchanged || options.merge.previous != nil {
      for partition in (0..<partitions).reversed() {
        try merge(partition, step: step, partials, to: output, change)
      }
    }
  }

  /// Finishes the partitions in `output`, or in the directories `inputs`, and verifies what was
  /// published.
  @discardableResult
  func finish(
    _ output: String, of inputs: [String] = [], control: JobControl = JobControl(),
    _ change: (inout RunOptions) -> Void = { _ in }
  ) throws(Failure) -> RunReport? {
    var options = fixture.options(inputs, to: output)
    change(&options)
    let summary = try FinishJob(options, control: control).run()
    #expect(try fixture.problems(of: options.publish.output) == [], "\(output)")
    return summary
  }

  /// Merges all `partitions` of `partials`, the last one first, and finishes.
  func mergeAll(
    _ partials: [String], partitions: Int, to output: String,
    _ change: (inout RunOptions) -> Void = { _ in }
  ) throws(Failure) {
    try mergeSteps(partials, partitions: partitions, to: output, change)
    try finish(output) { $0.read.jobs = 2 }
  }

  /// What of a report is the same each time: all but times, threads and rates.
  func facts(ofReport output: String) throws -> [NaiveJSON?] {
    let report = try fixture.json("\(output)/report.json")
    return Self.sameInReports.map { name in
      guard name == "inputs", case .array(let inputs)? = report[name] else { return report[name] }
      return .array(inputs.map(Self.withoutNightsBefore))
    } + [report["night_before"]?["profile_changes"]]
  }

  /// An input without what only a reader that knows the nights before can say; partials do not.
  private static func withoutNightsBefore(_ input: NaiveJSON) -> NaiveJSON {
    guard case .object(let members) = input else { return input }
    return .object(members.filter { $0.name != "begins_with" })
  }

  private static let sameInReports = [
    "ledger", "inputs", "rejects", "losses", "unknown_fields", "dialects", "profiles",
    "event_names", "array_overflow", "hot_ids", "erased_straddling", "erasures", "top_events",
    "lateness", "events_per_hour",
  ]

  /// How many events of each input a report says were dropped. For which delivery may differ: of
  /// three, two may have met before they met the one that counts.
  private func dropped(_ output: String) throws -> [String: Int] {
    let duplicates = try #require(try fixture.json("\(output)/report.json")["duplicates"])
    var dropped = ["": duplicates["total"]?.integer ?? -1]
    for item in duplicates.each("inputs") {
      dropped[item["path"]?.text ?? "?", default: 0] += item["events"]?.integer ?? 0
    }
    return dropped
  }

  /// Checks that two outputs are the same in every byte, and their reports in what can be compared.
  func expectSame(_ one: String, _ other: String, _ how: Comment) throws {
    let (found, expected) = (try fixture.repeatable(one), try fixture.repeatable(other))
    let different = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
    #expect(different.sorted() == [], how)
    let (facts, wanted) = (try self.facts(ofReport: one), try self.facts(ofReport: other))
    for (name, pair) in zip(Self.sameInReports, zip(facts, wanted)) where pair.0 != pair.1 {
      Issue.record("\(name) of the report differs, \(how): \(pair)")
    }
    #expect(try dropped(one) == dropped(other), how)
  }
}
