import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

@testable import eventmill

/// Command lines that are right, and what they mean.
@Suite struct RequestTests {
  private func invocation(
    _ arguments: [String], _ variables: [String: String] = [:], input: StandardInput = .nothing
  ) throws -> Invocation {
    try Invocation(RawArguments(arguments, variables: variables, input: input))
  }

  private func run(_ arguments: [String], _ variables: [String: String] = [:]) throws -> RunOptions
  {
    let request = try invocation(["run", "--out", "out"] + arguments, variables).request
    guard let run = request as? RunCommand else { throw Unexpected() }
    return run.options.run
  }

  private struct Unexpected: Error {}

  @Test func defaultsAreThoseOfTheJob() throws {
    let options = try run(["logs"])
    let (read, publish, snapshot) = (options.read, options.publish, options.snapshot)
    let usual = RunOptions()
    #expect(read.inputs == ["logs"] && publish.output == "out")
    #expect(read.rules == usual.read.rules && publish.level == usual.publish.level)
    #expect(snapshot.partitions == 1 && snapshot.stitch == .first && snapshot.dedupeDays == 0)
    #expect(snapshot.withValues && !publish.replace && !read.keepGoing && !options.merge.reingest)
    #expect(options.merge.previous == nil && read.maxRejects == .usual)
    #expect(read.jobs >= 1 && read.memory <= ReadOptions.usualMemory)
  }

  @Test func everyOptionOfARunArrives() throws {
    let options = try run([
      "a", "--previous=old", "--replace", "--partitions", "7", "--no-values", "--stitch", "none",
      "--dedupe-days", "3", "--level", "9", "--v1=lenient", "--dialect", "v2", "--default-time",
      "2024-06-01T00:00:00Z", "--not-before", "2024-01-01 00:00:00", "--not-after",
      "2025-01-01T00:00:00+01:00", "--max-line", "1M", "--max-rejects", "0.5%", "--max-names", "2K",
      "--keep-going", "--reingest", "--jobs", "2", "--jobs=3", "--memory", "2G", "-", "--", "--odd",
    ])
    let (read, publish, snapshot) = (options.read, options.publish, options.snapshot)
    #expect(read.inputs == ["a", "-", "--odd"])
    #expect(options.merge.previous == "old" && publish.replace && snapshot.partitions == 7)
    #expect(!snapshot.withValues && snapshot.stitch == Stitch.none && snapshot.dedupeDays == 3)
    #expect(publish.level == 9 && read.jobs == 3 && read.keepGoing && options.merge.reingest)
    #expect(try run(["a", "--jobs", "512", "--memory", "9G"]).read.jobs == CoreQueues.most)
    #expect(read.maxRejects == .percent(0.5) && read.maxNames == 2000)
    #expect(read.rules.v1 == .lenient && read.rules.dialect == .v2)
    #expect(read.rules.defaultTime == 1_717_200_000_000)
    #expect(read.rules.notBefore == 1_704_067_200_000)
    #expect(read.rules.notAfter == 1_735_686_000_000)
    #expect(read.rules.maxLine == 1 << 20)
  }

  @Test func aLinkIsFollowedOnce() throws {
    let scratch = try ScratchDirectory()
    try scratch.makeDirectory("night")
    try scratch.link("current", to: "night")
    for path in [scratch("current"), scratch("current/"), scratch("night")] {
      #expect(try run(["a", "--previous", path]).merge.previous == scratch("night"))
    }
  }

  @Test func datesAreTakenForTimes() throws {
    for (option, time) in [
      ("--default-time", \Rules.defaultTime), ("--not-before", \Rules.notBefore),
      ("--not-after", \Rules.notAfter), ("--since", \Rules.since), ("--until", \Rules.until),
    ] {
      let date = try run(["a", option, "2024-06-01"])
      #expect(date.read.rules[keyPath: time] == 1_717_200_000_000, "\(option)")
      let moment = try run(["a", option, "2024-06-01T00:00:00.001Z"])
      #expect(moment.read.rules[keyPath: time] == 1_717_200_000_001, "\(option)")
    }
  }

  @Test func aTimeOfLogsIsBefore2100() throws {
    let last = try run(["a", "--default-time", "2099-12-31T23:59:59.999Z"])
    #expect(last.read.rules.defaultTime == Rules.endOfTime - 1)
    #expect(throws: Failure.self) { try run(["a", "--default-time", "2100-01-01"]) }
  }

  @Test func variablesStandUnderOptions() throws {
    let variables = ["EVENTMILL_JOBS": "4", "EVENTMILL_V1": "lenient", "EVENTMILL_REPLACE": "no"]
    let options = try run(["a", "--v1", "strict"], variables)
    #expect(options.read.jobs == 4 && options.read.rules.v1 == .strict && !options.publish.replace)
    #expect(try run(["a"], ["EVENTMILL_KEEP_GOING": "1"]).read.keepGoing)
    #expect(try run(["a"], ["EVENTMILL_JOBS": ""]).read.jobs >= 1, "empty counts as none")
    for (words, variables) in [
      (["--metrics", "a.prom"], [:]), ([], ["EVENTMILL_METRICS": "a.prom"]),
    ] {
      let run = try invocation(["run", "--out", "out", "logs"] + words, variables).request
      #expect((run as? RunCommand)?.options.metrics == "a.prom")
    }
    _ = try invocation(["explain", "x"], ["EVENTMILL_MEMORY": "x", "EVENTMILL_MAX_NAMES": "x"])
  }

  @Test func optionsMayStandBeforeTheCommand() throws {
    let console = try invocation(["--quiet", "--json", "count", "--no-progress", "x"]).console
    #expect(console.quiet && console.json && !console.progress && console.color == .auto)
    #expect(console.logFormat == .text && !console.endsWithParent)
    #expect(try invocation(["--log-format=json", "count", "x"]).console.logFormat == .json)
  }

  @Test func repeatedListsAddUp() throws {
    let words = ["inspect", "out", "u", "--history", "a", "b", "--history", "c", "--mapping"]
    let options = try invocation(words + ["segment", "--mapping=snowplow"]).options
    #expect(options.history == ["a", "b", "c"] && options.operands == ["out", "u"])
    #expect(options.run.read.rules.mappings.all.map(\.dialect.name) == ["segment", "snowplow"])
  }

  /// The inputs of a command that reads logs, or nil when it is refused.
  private func inputs(_ arguments: [String], _ input: StandardInput) -> [String]? {
    (try? invocation(arguments, input: input))?.inputs
  }

  @Test(arguments: ["explain", "count", "validate"])
  func aPipeOnStandardInputNeedsNoDash(_ command: String) {
    #expect(inputs([command], .data) == ["-"])
    #expect(inputs([command, "a"], .data) == ["a"], "what is named is read, and nothing else")
    #expect(inputs([command], .nothing) == nil, "/dev/null is no night without logs")
    #expect(inputs([command], .terminal) == (command == "explain" ? ["-"] : nil))
    #expect(inputs([command, "-"], .terminal) == ["-"])
  }

  @Test func aRunNamesItsInputs() {
    #expect(inputs(["run", "--out", "out"], .data) == nil)
    #expect(inputs(["run", "--out", "out", "--allow-empty"], .data) == [])
    #expect(inputs(["count", "--allow-empty"], .nothing) == [])
  }

  @Test(arguments: [
    ["-o", "out", "-j", "3", "-q"], ["-oout", "-j3", "-q"], ["-qj3", "-o=out"], ["-qj=3", "-oout"],
    ["--out", "out", "-qj", "3"],
  ]) func shortFormsAreTheLongOnes(_ words: [String]) throws {
    let invocation = try invocation(["run"] + words + ["logs"])
    let options = invocation.options.run
    #expect(options.publish.output == "out" && options.read.jobs == 3 && invocation.console.quiet)
    #expect(options.read.inputs == ["logs"])
  }

  @Test(arguments: [[], ["help"], ["version"], ["--version"], ["count", "-V"], ["run", "-h"]])
  func helpAndVersionMindNoVariables(_ words: [String]) throws {
    let request = try invocation(words, ["EVENTMILL_BASE": "x"]).request
    #expect(request is HelpRequest || request is VersionRequest, "\(words)")
  }

  /// A user of a command can follow what it says about options that cannot be combined.
  @Test func conflictsNameOptionsOfTheirCommand() {
    for conflict in OptionConflict.all {
      for command in conflict.commands {
        #expect(command.canFollow(conflict.why) && command.canFollow(conflict.advice))
      }
    }
  }

  @Test func quantitiesMayBeWrittenShort() throws {
    let arguments = ["generate", "--lines", "90K", "--users", "2M", "--seed", "0", "--bad", "0.25"]
    let request = try invocation(arguments).request
    guard let options = (request as? GenerateCommand)?.options else { throw Unexpected() }
    #expect(options.lines == 90_000 && options.users == 2_000_000)
    #expect(options.faultsPerMillion == 2500)
    // Limits of rejects are lines or a share.
    #expect(try run(["a", "--max-rejects", "0"]).read.maxRejects == .lines(0))
    #expect(try run(["a", "--max-rejects", "100%"]).read.maxRejects == .percent(100))
  }

  @Test(
    arguments: [
      ("0", 0), ("4096", 4096), ("512M", 512 << 20), ("16MiB", 16 << 20), ("1G", 1 << 30),
      ("1g", 1 << 30), ("2KB", 2000), ("3kib", 3072), ("1T", 1 << 40), ("7B", 7),
      // Numbers, but too large.
      ("9999999999G", .max), ("99999999999999999999", .max), ("", nil), ("M", nil), ("-1", nil),
      ("1.5G", nil), ("1 G", nil), ("16X", nil), ("1MiBs", nil), ("１２", nil), ("1P", nil),
    ] as [(String, Int?)]) func sizesAreRead(_ text: String, _ bytes: Int?)
  { #expect(ByteSize.parse(text) == bytes) }

  @Test(arguments: [(0, "0"), (1000, "1000"), (1024, "1K"), (16 << 20, "16M"), (1 << 50, "1024T")])
  func sizesAreWritten(_ bytes: Int, _ text: String) { #expect(ByteSize.text(bytes) == text) }
}
