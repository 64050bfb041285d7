import Jobs
import Pipeline

/// The request of `eventmill merge`.
struct MergeRequest: Sendable {
  /// The step of the merge.
  enum Step: Sendable, Equatable {
    /// Do a step of merging this partition of the partials.
    case partition(MergeStep, Int)
    /// Make one output of all partitions.
    case finish
  }

  let step: Step
  /// The file for the metrics of a finish.
  let metrics: String?
  /// The options of the output; the inputs are the named directories.
  var options: RunOptions
}

extension MergeRequest {
  private static let steps: [(Option, MergeStep)] = [
    (.installations, .installations), (.unchanged, .unchanged), (.people, .people),
  ]

  /// Options that were fixed when the partitions were merged.
  private static let ofPartitions: [Option] = [
    .previous, .stitch, .dedupeDays, .noValues, .reingest, .level,
  ]

  /// Reads the values of the options.
  ///
  /// - Throws: `usage`, for an invalid value, or options that cannot be combined.
  init(_ values: OptionValues, operands: [String]) throws(Failure) {
    options = try RunOptions(values, operands: operands, limit: .usual)
    var steps: [Step] = try values.isOn(.finish) ? [.finish] : []
    for (option, step) in Self.steps {
      let partition = try values.number(
        option, in: 0...Option.partitionsBounds.upperBound - 1, example: 0)
      if let partition { steps.append(.partition(step, partition)) }
    }
    guard steps.count == 1 else {
      throw RawArguments.usage(
        steps.isEmpty
          ? "merge needs --installations N, --unchanged N, --people N or --finish"
          : "the steps of a merge cannot be combined",
        "do each step for every partition, then finish: see eventmill help merge")
    }
    step = steps[0]
    metrics = try values.text(.metrics)
    if step != .finish, values.isOnCommandLine(.metrics) {
      throw RawArguments.usage(
        "--metrics cannot be used with a step of a merge", "use it with --finish")
    }
    if case .partition(let step, _) = step, operands.isEmpty {
      throw RawArguments.usage(
        "merge --\(step.rawValue) needs partials",
        "name the directories that eventmill partial published with --out")
    }
    // In their own directory the output replaces the parts.
    if options.publish.partsElsewhere, step != .finish || operands.isEmpty {
      throw RawArguments.usage(
        "--parts-elsewhere needs --finish, and directories of partitions",
        "name the directories that the earlier steps have written to")
    }
    if step == .finish, let option = Self.ofPartitions.first(where: values.isOnCommandLine) {
      throw RawArguments.usage(
        "--\(option.rawValue) cannot be used with --finish",
        "the partitions record the options that they were merged with")
    }
  }
}
