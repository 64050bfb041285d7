import Jobs
import Pipeline

/// What `eventmill merge` is asked to do.
struct MergeRequest: Sendable {
  /// The step of the merge.
  enum Step: Sendable, Equatable {
    /// Merge this partition of the partials.
    case partition(Int)
    /// Make one output of all partitions.
    case finish
  }

  let step: Step
  /// What the output is made with; its inputs are the directories named.
  var options: RunOptions
}

extension MergeRequest {
  /// What was decided when the partitions were merged.
  private static let ofPartitions: [Option] = [
    .previous, .stitch, .dedupeDays, .noValues, .reingest, .level,
  ]

  /// Reads the values of the options.
  ///
  /// - Throws: `usage`, for a value that is not allowed, or options that do not go together.
  init(_ values: OptionValues, operands: [String]) throws(Failure) {
    options = try RunOptions(values, operands: operands, limit: .usual)
    let partition = try values.number(
      .partition, in: 0...Option.partitionsBounds.upperBound - 1, example: 0)
    let isFinish = try values.isOn(.finish)
    switch (partition, isFinish) {
    case (let partition?, false): step = .partition(partition)
    case (nil, true): step = .finish
    case (nil, false):
      throw RawArguments.usage(
        "merge needs --partition N or --finish",
        "merge every partition first, then finish: see eventmill help merge")
    case (_?, true):
      throw RawArguments.usage(
        "--partition and --finish do not go together",
        "merge every partition first, then finish: see eventmill help merge")
    }
    if case .partition = step, operands.isEmpty {
      throw RawArguments.usage(
        "merge --partition needs partials",
        "name the directories that eventmill partial published with --out")
    }
    if isFinish, let option = Self.ofPartitions.first(where: values.isOnCommandLine) {
      throw RawArguments.usage(
        "--\(option.rawValue) does not go with --finish",
        "the partitions know what they were merged with")
    }
  }
}
