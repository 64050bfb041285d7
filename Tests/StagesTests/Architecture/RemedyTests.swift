import TestSupport
import Testing

@testable import Jobs
@testable import Pipeline

/// No message names an option that the command lacks: of alternatives those are left out
/// (``Command/canFollow(_:)``), and one remains.
@Suite struct RemedyTests {
  private static let all = Set(Command.allCases)
  private static let readers = Option.v1.facts.commands
  private static let mergers = Option.stitch.facts.commands

  /// Who says what is in a file or folder, if it is not the command that has its name, or without
  /// one all of them; the longest path counts.
  private static let speakers: [String: Set<Command>] = [
    "Stages/Aggregation/EventCountStage.swift": [.count, .migrate],
    // Reasons of `inspect` and `verify` are those of the job that has read the line.
    "Stages/Record/Reason.swift": readers, "Stages/Reader/RepairAdvice.swift": readers,
    // What is advised to be explained is explained there already.
    "Stages/Reader/InputShape.swift": all.subtracting([.explain]),
    // Of its texts, only those of `erase` name an option without an alternative.
    "Jobs/Outputs/OutputKind.swift": [.erase],
    "Jobs/Erase/ErasurePhase.swift": [.merge],
    "Jobs/Flow/RunTally.swift": Option.maxRejects.facts.commands,
    "Jobs/Flow/LogGuard.swift": Option.maxRejects.facts.commands,
    "Jobs/Flow/InputSelection.swift": Option.reingest.facts.commands,
    "Jobs/Mappings": [.mappingList, .mappingShow, .mappingTest],
    // `merge` repeats what partials have counted.
    "Jobs/Outputs/Ledger.swift": readers,
    "Jobs/Outputs/MergeSources.swift": [.run, .night, .merge, .partial, .erase],
    "Jobs/Partial": [.partial, .merge], "Jobs/Run": [.run, .night],
    "Jobs/Tracking": [.trackingInfer, .trackingCheck, .trackingDiff],
    "eventmill/Commands/CommandResult.swift": Option.maxRejects.facts.commands,
    "eventmill/Commands/DocumentCommands.swift": [.man],
    "eventmill/Commands/Summary.swift": mergers, "eventmill/Commands/RunCommand.swift": mergers,
    "eventmill/Commands/WhyText.swift": [.inspect],
    // Options that were given.
    "eventmill/Options/Request.swift": [.run], "eventmill/Options/Inputs.swift": [.run],
  ]

  private static func speakers(of path: String) -> Set<Command> {
    let listed = speakers.filter { path.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }
    let name = path.replacing("eventmill/Commands/", with: "Jobs/").split(separator: "/")[1]
      .lowercased()
    let named = all.filter {
      name == "\($0)".lowercased() || name.hasPrefix("\($0)command".lowercased())
    }
    return listed?.value ?? (named.isEmpty ? all : named)
  }

  /// Texts of the help and of documents, where options of several commands are described.
  private static let help = [
    "Jobs/Options/Option.swift", "eventmill/Options/Command+Table.swift",
    "eventmill/Options/OptionConflict.swift", "eventmill/Documents/",
    "eventmill/Shell/ExitCode.swift", "eventmill/Shell/Help.swift", "Jobs/Outputs/Report/",
    "Jobs/Migrate/ArchivePage.swift", "Jobs/Outputs/HotIDs+JSON.swift",
    "eventmill/Metrics/Metrics.swift", "eventmill/Options/FormerNames.swift",
  ]

  /// What is wrong with the texts of a file, which these commands say.
  private static func faults(
    in choices: [SourceTexts.Choice], saidBy commands: Set<Command>
  ) -> [String] {
    choices.compactMap { choice in
      let lacking = commands.filter { command in !choice.texts.contains(where: command.canFollow) }
      guard !lacking.isEmpty else { return nil }
      return "\(choice.line): \(choice.texts), by \(lacking.map(\.rawValue).sorted())"
    }
  }

  @Test func everyCommandCanFollowAdvice() throws {
    let files = try SourceFiles.literals()
    let read = files.filter { !Self.help.contains(where: $0.key.hasPrefix) }
    for (path, choices) in read {
      let faults = Self.faults(in: choices, saidBy: Self.speakers(of: path))
      #expect(faults.isEmpty, "\(path):\(faults.joined(separator: "\n"))")
    }
    #expect(read.count > 250)
    for path in Self.speakers.keys {
      #expect(files.keys.contains { $0.hasPrefix(path) }, "\(path)")
    }
  }

  /// The test above finds a remedy that a command lacks, wherever it is written.
  @Test func aWrongRemedyIsFound() {
    for (code, isWrong) in [
      (#"f(advice: "use --keep-going")"#, true),
      (#"f(advice: ["fetch it", "use --keep-going"])"#, false),
      (#"f(advice: ["use --keep-going", "use " + "--reingest"])"#, true),
      (#"f(why: "it is", "start " + "without --previous")"#, true),
      (#"f("make it with eventmill cluster partial --previous")"#, false),
      (#"f("\(isThere ? "use --previous" : "fetch it")")"#, true),
      ("// use --keep-going\nf(#\"jq --seq\"#)", false),
    ] {
      let choices = SourceTexts(of: code).choices
      #expect(Self.faults(in: choices, saidBy: [.inspect]).isEmpty != isWrong, "\(code)")
    }
  }

  @Test func advicePassesOverOptionsThatACommandLacks() {
    let failure = Failure(
      .corrupt, doing: "reading", path: "a", why: "damaged",
      advice: ["fetch it again", "use --keep-going to use the rest", "see eventmill run --help"])
    #expect(
      failure.message(for: .run)
        == "reading a: damaged; fetch it again, or use --keep-going to use the rest, or see "
        + "eventmill run --help")
    #expect(
      failure.message(for: .inspect)
        == "reading a: damaged; fetch it again, or see eventmill run --help")
    #expect(!Command.explain.canFollow("use (--keep-going)"))
    #expect(Command.explain.canFollow("eventmill tracking check --fail-on all, not --fail-fast"))
  }
}
