import Jobs

/// The table of commands: the only definition of their names, operands and requirements. Parsing,
/// help and messages are derived from it; ``Option/facts`` lists the options of each.
extension Command {
  private typealias Row = CommandFacts
  private typealias Texts = PackageResources

  var facts: CommandFacts {
    switch self {
    case .run: Row(.nights, RunCommand.self, Texts.run_txt, needs: [.out])
    case .night: Row(.nights, NightCommand.self, Texts.night_txt, "", needs: [.logs, .out])
    case .nightList: Row(.nights, NightListCommand.self, Texts.night_list_txt, "", needs: [.out])
    case .count: Row(.logs, CountCommand.self, Texts.count_txt, Row.logsOrPipe)
    case .validate: Row(.logs, ValidateCommand.self, Texts.validate_txt, Row.logsOrPipe)
    case .migrate: Row(.archives, MigrateCommand.self, Texts.migrate_txt)
    case .redrive:
      Row(
        .archives, RedriveCommand.self, Texts.redrive_txt, "REJECTS|DIR|-…",
        "name rejects files, or directories that run, migrate or redrive has published",
        needs: [.out])
    case .rejects:
      Row(
        .nights, RejectsCommand.self, Texts.rejects_txt, "DIR|FILE",
        "name a directory that run, migrate or redrive has published, or its rejects")
    case .explain: Row(.logs, ExplainCommand.self, Texts.explain_txt, Row.logsOrPipe)
    case .plan: Row(.tools, PlanCommand.self, Texts.cluster_plan_txt, needs: [.tasks])
    case .partial: Row(.tools, PartialCommand.self, Texts.cluster_partial_txt, needs: [.out])
    case .merge:
      Row(
        .tools, MergeCommand.self, Texts.cluster_merge_txt, "[DIR…]",
        "name the directories that eventmill cluster partial published with --out",
        needs: [.out, .step])
    case .erase:
      Row(
        .nights, EraseCommand.self, Texts.erase_txt, "[DIR…]",
        "name the directories that runs published with --out, or all nights with --nights",
        needs: [.requests, .out])
    case .verify: Row(.nights, VerifyCommand.self, Texts.verify_txt, "DIR…", Row.output)
    case .inspect: Row(.nights, InspectCommand.self, Texts.inspect_txt, "DIR [ID…]", Row.output)
    case .diff:
      Row(
        .nights, DiffCommand.self, Texts.diff_txt, "DIR DIR",
        "name two directories that runs published with --out")
    case .export:
      Row(.nights, ExportCommand.self, Texts.export_txt, "DIR", Row.output, needs: [.out])
    case .trackingInfer:
      Row(.logs, TrackingInferCommand.self, Texts.tracking_infer_txt, Row.logsOrPipe)
    case .trackingCheck:
      Row(
        .logs, TrackingCheckCommand.self, Texts.tracking_check_txt, "PLAN FILE|DIR|-…",
        "name the plan, then files or directories, or - for standard input")
    case .trackingDiff:
      Row(
        .logs, TrackingDiffCommand.self, Texts.tracking_diff_txt, "FILE FILE",
        "name two tracking plans")
    case .mappingList: Row(.archives, MappingsCommand.self, Texts.mapping_list_txt, "")
    case .mappingShow:
      Row(
        .archives, MappingsCommand.self, Texts.mapping_show_txt, "NAME",
        "name a mapping: see eventmill mapping list")
    case .mappingTest:
      Row(
        .archives, MappingTestCommand.self, Texts.mapping_test_txt, "MAPPING [FILE|DIR|-…]",
        "name the mapping, then files or directories, or - for standard input")
    case .bench: Row(.tools, BenchCommand.self, Texts.bench_txt, "[FILE|DIR…]")
    case .generate:
      Row(.tools, GenerateCommand.self, Texts.generate_txt, "", needs: [.lines, .users, .seed])
    case .completions:
      Row(
        .tools, CompletionsCommand.self, Texts.completions_txt, "bash|zsh|fish",
        "name the shell: bash, zsh or fish")
    case .man: Row(.tools, ManCommand.self, Texts.man_txt, "[COMMAND…]")
    case .version: Row(.tools, VersionRequest.self, Texts.version_txt, "")
    }
  }
}

/// The purposes of commands: the parts of the help.
enum CommandSection: String, CaseIterable {
  case nights = "Every night"
  case logs = "Inspect logs"
  case archives = "Migrate and reprocess"
  case tools = "Clusters and tools"
}

extension CommandGroup {
  /// The topic of its sub-commands, in one line.
  var summary: String {
    switch self {
    case .cluster: "make a night on many machines: plan, read, merge"
    case .tracking: "make tracking plans, check logs, compare plans"
    case .mapping: "show and test mappings for logs of other forms"
    }
  }
}

/// A row of the table of commands.
struct CommandFacts: Sendable {
  let section: CommandSection
  /// The type that reads its command line and executes it.
  let request: any Request.Type
  /// Its text in `Help`: what it does, examples and notes, separated by blank lines.
  let help: [UInt8]
  /// The operands after the command and its options.
  let operands: String
  let operandAdvice: String
  let requiredOptions: [Option]

  /// Logs, or a pipe on standard input.
  fileprivate static let logsOrPipe = "[FILE|DIR|-…]"
  fileprivate static let output = "name the directory that a run published with --out"

  fileprivate init(
    _ section: CommandSection, _ request: any Request.Type, _ help: [UInt8],
    _ operands: String = "FILE|DIR|-…",
    _ operandAdvice: String = "name files or directories, or - for standard input",
    needs requiredOptions: [Option] = []
  ) {
    (self.section, self.request, self.help) = (section, request, help)
    self.operands = operands
    (self.operandAdvice, self.requiredOptions) = (operandAdvice, requiredOptions)
  }

  /// The number of operands; at least one where they may be missing only because there is a pipe.
  var operandCount: ClosedRange<Int> {
    let words = operands.split(separator: " ")
    let least = readsStandardInput ? 1 : words.count { !$0.hasPrefix("[") }
    return least...(operands.contains("…") ? Int.max : words.count)
  }
  var takesStandardInput: Bool { operands.contains("-") }
  /// Whether it reads a pipe or a file on standard input without operands.
  var readsStandardInput: Bool { operands == Self.logsOrPipe }

  /// Its purpose, in one line.
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
