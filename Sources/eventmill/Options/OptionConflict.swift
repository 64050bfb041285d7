import Jobs
import Pipeline

/// Options of commands that cannot be used together, or that need others or operands.
struct OptionConflict: Sendable {
  let commands: Set<Command>
  private let isThere: @Sendable (CommandOptions) throws(Failure) -> Bool
  let why: String
  let advice: String

  private init(
    _ commands: Set<Command>, _ why: String, _ advice: String,
    when isThere: @escaping @Sendable (CommandOptions) throws(Failure) -> Bool
  ) {
    (self.commands, self.why, self.advice, self.isThere) = (commands, why, advice, isThere)
  }

  /// - Throws: `usage`, for the first conflict in the options of `command`.
  static func check(_ options: CommandOptions, of command: Command) throws(Failure) {
    for conflict in all where conflict.commands.contains(command) {
      guard try conflict.isThere(options) else { continue }
      throw Failure.commandLine(conflict.why, conflict.advice)
    }
  }

  /// All of them, those of a command in the order in which they are checked.
  static let all: [OptionConflict] =
    [
      OptionConflict(
        [.run, .night],
        "--tracking and --resume cannot be used together: a run that continues does not read all "
          + "logs", "omit --tracking, and run eventmill tracking check",
        when: { $0.run.tracking != nil && $0.run.publish.resumes }),
      OptionConflict(
        [.count], "--csv and --json cannot be used together", "omit one of them",
        when: { options throws(Failure) in
          options.isCSV ? try options.given.isOn(.json) : false
        }),
      OptionConflict(
        [.migrate], "--verify checks what a migration has written", "omit it with --dry-run",
        when: { $0.isDryRun && $0.verifies }),
      OptionConflict(
        [.migrate], "migrate needs --out DIR", "or --dry-run, to see what would happen",
        when: { !$0.isDryRun && $0.run.publish.output.isEmpty }),
      OptionConflict(
        [.erase], "erase needs something to read", Command.erase.facts.operandAdvice,
        when: { $0.operands.isEmpty && !$0.given.isGiven(.nights) }),
      OptionConflict(
        [.trackingCheck], "tracking check needs a tracking plan",
        Command.trackingCheck.facts.operandAdvice, when: { $0.operands.isEmpty }),
      OptionConflict(
        [.mappingTest], "mapping test needs a mapping", Command.mappingTest.facts.operandAdvice,
        when: { $0.operands.isEmpty }),
    ] + ofPartial + ofMerge + ofInspect

  private static let ofPartial = [
    OptionConflict(
      [.partial], "--collect-opt-outs cannot be used with --honor-opt-out and --opt-outs",
      "first collect the opt-outs of all inputs, then make partials with them",
      when: {
        $0.collectsOptOuts
          && ($0.run.merge.optOuts != nil || $0.given.isOnCommandLine(.honorOptOut))
      }),
    OptionConflict(
      [.partial],
      "partial needs both --honor-opt-out and --opt-outs DIR, or neither: an opt-out may be "
        + "in the inputs of any other partial",
      "make DIR with eventmill partial --collect-opt-outs, of all inputs of the night",
      when: {
        !$0.collectsOptOuts && $0.run.merge.honorsOptOut != ($0.run.merge.optOuts != nil)
      }),
    OptionConflict(
      [.partial], "--installations of partial needs --collect-opt-outs and --previous",
      "see eventmill partial --help",
      when: { $0.installations != nil && (!$0.collectsOptOuts || $0.run.merge.previous == nil) }),
  ]

  /// Options that were fixed when the partitions were merged.
  private static let ofPartitions: [Option] = [
    .previous, .stitch, .dedupeDays, .noValues, .reingest, .level,
  ]

  private static let steps =
    "do each step for every partition, then finish: see eventmill help merge"

  private static let ofMerge =
    [
      OptionConflict(
        [.merge], "merge needs --installations N, --unchanged N, --people N or --finish", steps,
        when: { $0.steps.isEmpty && !$0.finishes }),
      OptionConflict(
        [.merge], "the steps of a merge cannot be combined", steps,
        when: { $0.steps.count + ($0.finishes ? 1 : 0) > 1 }),
      OptionConflict(
        [.merge], "--metrics cannot be used with a step of a merge", "use it with --finish",
        when: { !$0.finishes && $0.given.isOnCommandLine(.metrics) }),
    ]
    + MergeStep.allCases.map { step in
      OptionConflict(
        [.merge], "merge --\(step.rawValue) needs partials",
        "name the directories that eventmill partial published with --out",
        when: { $0.operands.isEmpty && $0.steps.first?.step == step })
    } + [
      // In their own directory the output replaces the parts.
      OptionConflict(
        [.merge], "--parts-elsewhere needs --finish, and directories of partitions",
        "name the directories that the earlier steps have written to",
        when: { $0.run.publish.partsElsewhere && (!$0.finishes || $0.operands.isEmpty) })
    ]
    + ofPartitions.map { option in
      OptionConflict(
        [.merge], "\(option.flag) cannot be used with --finish",
        "the partitions record the options that they were merged with",
        when: { $0.finishes && $0.given.isOnCommandLine(option) })
    }

  private static let questions =
    "write --why, --history or --state, the first with --logs where there are any"

  private static let ofInspect = [
    OptionConflict(
      [.inspect], "inspect answers one question at a time", questions,
      when: { [$0.asksWhy, !$0.history.isEmpty, $0.showsState].count { $0 } > 1 }),
    OptionConflict(
      [.inspect], "--logs are read for --why only", questions,
      when: { !$0.logs.isEmpty && !$0.asksWhy && $0.history.isEmpty }),
    OptionConflict(
      [.inspect], "inspect needs the id of a person or of an installation",
      "name one after the directory, or write --state for the state that the next night continues",
      when: { !$0.showsState && $0.operands.count < 2 }),
    OptionConflict(
      [.inspect], "inspect --state takes one key", "leave it out for all keys, or run it for each",
      when: { $0.showsState && $0.operands.count > 2 }),
  ]
}
