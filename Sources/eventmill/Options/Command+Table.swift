import Jobs

/// The table of commands: the only definition of their names, operands and requirements. Parsing,
/// help and messages are derived from it; ``Option/facts`` lists the options of each.
extension Command {
  /// The row of the command.
  var facts: CommandFacts {
    switch self {
    case .run:
      CommandFacts(
        request: RunCommand.self, help: PackageResources.run_txt, requiredOptions: [.out])
    case .night:
      CommandFacts(
        request: NightCommand.self, help: PackageResources.night_txt, operands: "",
        requiredOptions: [.logs, .out])
    case .count:
      CommandFacts(
        request: CountCommand.self, help: PackageResources.count_txt, operands: "[FILE|DIR|-…]")
    case .validate:
      CommandFacts(
        request: ValidateCommand.self, help: PackageResources.validate_txt,
        operands: "[FILE|DIR|-…]")
    case .migrate:
      CommandFacts(request: MigrateCommand.self, help: PackageResources.migrate_txt)
    case .redrive:
      CommandFacts(
        request: RedriveCommand.self, help: PackageResources.redrive_txt,
        operands: "REJECTS|DIR|-…",
        operandAdvice:
          "name rejects files, or directories that run, migrate or redrive has published",
        requiredOptions: [.out])
    case .explain:
      CommandFacts(
        request: ExplainCommand.self, help: PackageResources.explain_txt, operands: "[FILE|DIR|-…]")
    case .plan:
      CommandFacts(
        request: PlanCommand.self, help: PackageResources.plan_txt, requiredOptions: [.tasks])
    case .partial:
      CommandFacts(
        request: PartialCommand.self, help: PackageResources.partial_txt, requiredOptions: [.out])
    case .merge:
      CommandFacts(
        request: MergeCommand.self, help: PackageResources.merge_txt, operands: "[DIR…]",
        operandAdvice: "name the directories that eventmill partial published with --out",
        requiredOptions: [.out])
    case .erase:
      CommandFacts(
        request: EraseCommand.self, help: PackageResources.erase_txt, operands: "[DIR…]",
        operandAdvice: EraseCommand.advice, requiredOptions: [.ids, .out])
    case .verify:
      CommandFacts(
        request: VerifyCommand.self, help: PackageResources.verify_txt, operands: "DIR",
        operandAdvice: "name the directory that a run published with --out")
    case .inspect:
      CommandFacts(
        request: InspectCommand.self, help: PackageResources.inspect_txt, operands: "DIR [ID…]",
        operandAdvice: "name the directory that a run published with --out")
    case .diff:
      CommandFacts(
        request: DiffCommand.self, help: PackageResources.diff_txt, operands: "DIR DIR",
        operandAdvice: "name two directories that runs published with --out")
    case .export:
      CommandFacts(
        request: ExportCommand.self, help: PackageResources.export_txt, operands: "DIR",
        operandAdvice: "name the directory that a run published with --out", requiredOptions: [.to])
    case .trackingInfer:
      CommandFacts(
        request: TrackingInferCommand.self, help: PackageResources.tracking_infer_txt,
        operands: "[FILE|DIR|-…]")
    case .trackingCheck:
      CommandFacts(
        request: TrackingCheckCommand.self, help: PackageResources.tracking_check_txt,
        operands: "PLAN FILE|DIR|-…",
        operandAdvice: "name the plan, then files or directories, or - for standard input")
    case .trackingDiff:
      CommandFacts(
        request: TrackingDiffCommand.self, help: PackageResources.tracking_diff_txt,
        operands: "FILE FILE", operandAdvice: "name two tracking plans")
    case .mappings:
      CommandFacts(
        request: MappingsCommand.self, help: PackageResources.mappings_txt, operands: "[NAME]")
    case .mappingInfer:
      CommandFacts(
        request: MappingInferCommand.self, help: PackageResources.mapping_infer_txt,
        operands: "[FILE|DIR|-…]")
    case .mappingTest:
      CommandFacts(
        request: MappingTestCommand.self, help: PackageResources.mapping_test_txt,
        operands: "MAPPING [FILE|DIR|-…]",
        operandAdvice: "name the mapping, then files or directories, or - for standard input")
    case .bench:
      CommandFacts(
        request: BenchCommand.self, help: PackageResources.bench_txt, operands: "[FILE|DIR…]")
    case .generate:
      CommandFacts(
        request: GenerateCommand.self, help: PackageResources.generate_txt, operands: "",
        requiredOptions: [.lines, .users, .seed])
    case .completions:
      CommandFacts(
        request: CompletionsCommand.self, help: PackageResources.completions_txt,
        operands: "bash|zsh|fish", operandAdvice: "name the shell: bash, zsh or fish")
    case .man:
      CommandFacts(request: ManCommand.self, help: PackageResources.man_txt, operands: "[COMMAND]")
    case .version:
      CommandFacts(request: VersionRequest.self, help: PackageResources.version_txt, operands: "")
    }
  }
}

extension CommandGroup {
  /// The topic of its sub-commands, in one line.
  var summary: String {
    switch self {
    case .tracking: "make tracking plans from logs, check logs, compare plans"
    case .mapping: "propose and test mappings for logs of an unknown form"
    }
  }
}

/// A row of the table of commands.
struct CommandFacts: Sendable {
  /// The type that reads its command line and executes it.
  let request: any Request.Type
  /// Its text in `Help`: what it does, examples and notes, separated by blank lines.
  let help: [UInt8]
  /// The operands after the command and its options.
  var operands = "FILE|DIR|-…"
  /// Advice when they are missing.
  var operandAdvice = "name files or directories, or - for standard input"
  /// Required options.
  var requiredOptions: [Option] = []

  /// The number of operands; at least one where they may be missing only because there is a pipe.
  var operandCount: ClosedRange<Int> {
    let words = operands.split(separator: " ")
    let least = readsStandardInput ? 1 : words.count { !$0.hasPrefix("[") }
    return least...(operands.contains("…") ? Int.max : words.count)
  }
  /// Whether it reads a pipe or a file on standard input without operands.
  var readsStandardInput: Bool { operands == "[FILE|DIR|-…]" }

  /// What it does, in one line.
  var summary: String { part(0) }
  /// Pairs of a line with the purpose of an example and a line with the command.
  var examples: String { part(1) }
  /// Notes beside the options; a line `{directories}` is the meaning of a directory as input.
  var notes: String {
    part(2).replacing("{directories}", with: Self.text(PackageResources.directories_txt))
  }

  private func part(_ number: Int) -> String {
    let parts = Self.text(help).split(separator: "\n\n", maxSplits: 2)
    return number < parts.count ? String(parts[number]) : ""
  }

  /// A text without the line end of its file.
  private static func text(_ file: [UInt8]) -> String {
    String(decoding: file.dropLast(), as: UTF8.self)
  }
}
