import Jobs
import Pipeline

/// Options of commands that cannot be used together, or that need others or operands.
struct OptionConflict: Sendable {
  let commands: Set<Command>
  private let isThere: @Sendable (CommandOptions) -> Bool
  let why: String
  let advice: String

  private init(
    _ commands: Set<Command>, _ why: String, _ advice: String,
    when isThere: @escaping @Sendable (CommandOptions) -> Bool
  ) { (self.commands, self.why, self.advice, self.isThere) = (commands, why, advice, isThere) }

  /// - Throws: `usage`, for the first conflict in the options of `command`.
  static func check(_ options: CommandOptions, of command: Command) throws(Failure) {
    for conflict in all where conflict.commands.contains(command) {
      guard conflict.isThere(options) else { continue }
      throw Failure.commandLine(conflict.why, conflict.advice)
    }
  }

  /// All of them, those of a command in the order in which they are checked.
  static let all: [OptionConflict] =
    [
      OptionConflict(
        [.count], "--format csv and --json cannot be used together", "omit one of them",
        when: { $0.format == .csv && $0.console.json }),
      OptionConflict(
        [.migrate], "--verify checks what a migration has written", "omit it with --dry-run",
        when: { $0.isDryRun && $0.verifies }),
      OptionConflict(
        [.migrate], "migrate needs --out DIR", "or --dry-run, to see what would happen",
        when: { !$0.isDryRun && $0.run.publish.output.isEmpty }),
      OptionConflict(
        [.erase], "erase needs something to read", Command.erase.facts.operandAdvice,
        when: { $0.operands.isEmpty && $0.nights == nil }),
      OptionConflict(
        [.trackingCheck], "tracking check needs a tracking plan",
        Command.trackingCheck.facts.operandAdvice, when: { $0.operands.isEmpty }),
      OptionConflict(
        [.mappingTest], "mapping test needs a mapping", Command.mappingTest.facts.operandAdvice,
        when: { $0.operands.isEmpty }),
      OptionConflict(
        [.rejects], "--raw prints lines and nothing else", "omit --json, --by and --top, or --raw",
        when: { $0.showsRaw && ($0.console.json || $0.rejectGrouping != nil || $0.top != nil) }),
      OptionConflict(
        [.rejects], "--by counts rejects, and --lines shows them", "omit one of them",
        when: { $0.rejectGrouping != nil && $0.lines != nil }),
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
      "cluster partial needs both --honor-opt-out and --opt-outs DIR, or neither: an opt-out may be "
        + "in the inputs of any other partial",
      "make DIR with eventmill cluster partial --collect-opt-outs, of all inputs of the night",
      when: { !$0.collectsOptOuts && $0.run.merge.honorsOptOut != ($0.run.merge.optOuts != nil) }),
    OptionConflict(
      [.partial], "--partition of cluster partial needs --collect-opt-outs and --previous",
      "see eventmill cluster partial --help",
      when: { $0.partition != nil && (!$0.collectsOptOuts || $0.run.merge.previous == nil) }),
  ]

  /// Options that were fixed when the partitions were merged.
  private static let ofPartitions: [Option] = [
    .previous, .stitch, .dedupeDays, .noValues, .reingest, .level,
  ]

  private static let steps =
    "do each step for every partition, then finish: see eventmill help cluster merge"

  private static let ofMerge =
    [
      OptionConflict(
        [.merge], "a step of a merge needs --partition N", steps,
        when: { $0.task != .finish && $0.partition == nil }),
      OptionConflict(
        [.merge], "--partition cannot be used with --step finish", "omit it",
        when: { $0.task == .finish && $0.partition != nil }),
      OptionConflict(
        [.merge], "--metrics cannot be used with a step of a merge", "use it with --step finish",
        when: { $0.task != .finish && $0.given.isOnCommandLine(.metrics) }),
      OptionConflict(
        [.merge], "a step of a merge needs partials",
        "name the directories that eventmill cluster partial published with --out",
        when: { $0.task != .finish && $0.operands.isEmpty }),
      // In their own directory the output replaces the parts.
      OptionConflict(
        [.merge], "--parts-elsewhere needs --step finish, and directories of partitions",
        "name the directories that the earlier steps have written to",
        when: { $0.run.publish.partsElsewhere && ($0.task != .finish || $0.operands.isEmpty) }),
    ]
    + ofPartitions.map { option in
      OptionConflict(
        [.merge], "\(option.flag) cannot be used with --step finish",
        "the partitions record the options that they were merged with",
        when: { $0.task == .finish && $0.given.isOnCommandLine(option) })
    }

  private static let questions =
    "write --why, --history, --where or --state, the first with logs behind it where there are any"

  private static let ofInspect = [
    OptionConflict(
      [.inspect], "inspect answers one question at a time", questions,
      when: {
        [$0.asksWhy, !$0.history.isEmpty, $0.showsState, $0.condition != nil].count { $0 } > 1
      }),
    OptionConflict(
      [.inspect], "inspect --where takes no id", "omit the id, or --where",
      when: { $0.condition != nil && $0.operands.count > 1 }),
    OptionConflict(
      [.inspect], "inspect needs the id of a person or of an installation",
      "name one after the directory, find one with --where KEY=VALUE, or write --state for the state "
        + "that the next night continues",
      when: { !$0.showsState && $0.condition == nil && $0.operands.count < 2 }),
    OptionConflict(
      [.inspect], "inspect --state takes one key", "leave it out for all keys, or run it for each",
      when: { $0.showsState && $0.operands.count > 2 }),
  ]
}
