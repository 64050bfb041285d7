package import Pipeline
package import Stages

/// All options of a command line, and its operands.
package struct CommandOptions: Sendable {
  /// The options of `night` that are not those of a run.
  package struct Night: Sendable {
    /// The first night of all, and the newest to make: beginnings of days.
    package var first: Int?
    package var date: Int?
    /// Days after the end of a night from which on its events are rejected.
    package var maxAhead: Int?
    /// Number of days in whose folders late files are looked for.
    package var lateDays = 7
    package var verifies = true
    package var retention = Retention()
  }

  /// The options as they were written.
  package let given: OptionValues
  package let operands: [String]
  package var run: RunOptions
  package var night = Night()
  package var bench = BenchOptions()
  /// The file for the metrics of a run.
  package var metrics: String?
  package var isDryRun = false
  /// Whether an archive is proven before it is published (`--verify`).
  package var verifies = false
  /// The partitions of the steps of a merge.
  package var installations: Int?
  package var unchanged: Int?
  package var people: Int?
  package var finishes = false
  package var collectsOptOuts = false
  /// Number of tasks that a plan divides inputs among.
  package var tasks = 1
  /// The form of exported tables.
  package var format = ExportFormat.csv
  /// The file of people who should be absent.
  package var absent: String?
  /// What is shown of an output, and the logs read for that.
  package var showsState = false
  package var asksWhy = false
  package var history: [String] = []
  package var logs: [String] = []
  package var listsProfiles = false
  /// The second criterion, besides the name, by which events are counted.
  package var grouping: EventGrouping?
  /// Number of rows shown; nil for all.
  package var top: Int?
  package var isCSV = false
  /// The kinds of findings that make a check fail.
  package var failing: Set<TrackingFindings.Kind> = []

  package var steps: [(step: MergeStep, partition: Int)] {
    [(MergeStep.installations, installations), (.unchanged, unchanged), (.people, people)]
      .compactMap { step, partition in partition.map { (step, $0) } }
  }

  /// The options of a run that was given no others.
  init(_ run: RunOptions) { (given, operands, self.run) = (OptionValues(), [], run) }

  /// Sets a field, if there is a `value`; false without one.
  @discardableResult
  mutating func set<Value>(_ field: OptionSetting.Field<Value>, _ value: Value?) -> Bool {
    guard let value else { return false }
    self[keyPath: field] = value
    return true
  }
}

extension CommandOptions {
  /// The commands that fail when too many lines are rejected, unless `--max-rejects` allows it.
  private static let limited: Set<Command> = [
    .run, .night, .partial, .merge, .count, .migrate, .plan, .trackingInfer, .trackingCheck,
  ]

  /// Reads the options of `command`.
  ///
  /// - Throws: `usage`, for an invalid value.
  package init(
    _ command: Command, _ given: OptionValues, operands: [String]
  ) throws(Failure) {
    (self.given, self.operands, run) = (given, operands, RunOptions())
    run.read.inputs = operands
    run.read.jobs = min(System.processors, Option.jobsBounds.upperBound)
    run.read.memory = System.memory.map { $0 / 2 } ?? run.read.memory
    run.read.maxRejects = Self.limited.contains(command) ? .usual : nil
    run.read.rules.raisesMaxLine = !given.isGiven(.maxLine)
    if [.run, .night, .erase].contains(command) {
      run.merge.now = System.secondsSince1970 * 1000
    }
    // Its mapping describes a dialect that --dialect may name.
    if command == .mappingTest, let file = operands.first {
      run.read.rules.mappings = try MappingFiles.load([file])
    }
    for option in command.options {
      guard let value = given[option] else { continue }
      // The variable is for logs that are read; those of a benchmark are usually made.
      if option == .dialect, command == .bench, !value.isOnCommandLine { continue }
      try option.facts.setting?.put(value, &self)
    }
    let rules = run.read.rules
    for (option, end, other, start) in [
      (Option.notAfter, rules.notAfter, Option.notBefore, rules.notBefore),
      (.until, rules.until, .since, rules.since),
    ] {
      guard let end, let start, start > end else { continue }
      throw given.bad(
        option, allowed: "it must not be before \(other.flag), \(Timestamp.text(start))")
    }
  }
}
