import Jobs
import Pipeline
import Stages

/// The table of options: the only place that says which command takes which option. Parsing, help
/// and suggestions follow it.
extension Option {
  private static let readers: Set<Command> = [
    .run, .partial, .count, .validate, .migrate, .redrive, .explain,
  ]
  private static let readingJobs: Set<Command> = [
    .run, .partial, .count, .validate, .migrate, .redrive,
  ]
  /// Those that make profiles.
  private static let mergers: Set<Command> = [.run, .merge]
  private static let everywhere = Set(Command.allCases)

  /// What there is to know about the option.
  var facts: OptionFacts {
    switch self {
    case .out:
      OptionFacts(
        "DIR", [.run, .migrate, .redrive, .partial, .merge, .erase, .generate],
        "write to this directory; it appears complete or not at all")
    case .previous:
      OptionFacts(
        "DIR", Option.mergers.union([.partial]),
        "go on from the state in the output of an earlier run; partial only takes from it who is erased"
      )
    case .replace:
      OptionFacts(
        nil, [.run, .migrate, .redrive, .partial, .merge, .erase, .generate],
        "replace --out if it exists; without it that is refused")
    case .partitions:
      OptionFacts(
        "N", [.run, .partial], "publish profiles and state in N parts (default 1)")
    case .partition:
      OptionFacts(
        "N", [.merge], hasVariable: false, "merge this partition of the partials, counted from 0")
    case .finish:
      OptionFacts(
        nil, [.merge], hasVariable: false,
        "make one output of all merged partitions: those in the directories named, or in --out")
    case .resume:
      OptionFacts(
        nil, [.run, .migrate],
        "go on from the inputs that a run or migration had finished when it died; run keeps them only with this option"
      )
    case .dryRun:
      OptionFacts(
        nil, [.migrate], hasVariable: false,
        "do everything but write: what would be migrated, rejected and lost, how much and how long")
    case .verify:
      OptionFacts(
        nil, [.migrate],
        "publish only what is proven: logs read again and written again, events counted in inputs and logs"
      )
    case .erase:
      OptionFacts(
        "FILE", [.run, .partial, .merge], hasVariable: false,
        "erase the people and installations that this file names, one JSON object per line")
    case .honorOptOut:
      OptionFacts(
        nil, [.run],
        "keep back what comes of installations while they have opted out; reads inputs twice")
    case .ids:
      OptionFacts(
        "FILE", [.erase], hasVariable: false,
        "the people and installations to erase, one JSON object per line")
    case .absent:
      OptionFacts(
        "FILE", [.verify], hasVariable: false,
        "check as well that nobody whom this file names is in the output any more")
    case .noValues:
      OptionFacts(nil, Option.mergers, "leave the attributes of latest events out of the profiles")
    case .stitch:
      OptionFacts(
        "first|none", Option.mergers,
        "fold an installation into the custom id of its earliest link (default first)")
    case .dedupeDays:
      OptionFacts(
        "N", Option.mergers,
        "remember event ids for N days, so that later runs know duplicates (default 0)"
      )
    case .reingest:
      OptionFacts(nil, Option.mergers, "read inputs that an earlier night has read once more")
    case .level:
      OptionFacts(
        "N", [.run, .migrate, .redrive, .partial, .merge, .bench, .generate],
        "zstd level, \(ZstdEncoder.levels.lowerBound) to \(ZstdEncoder.levels.upperBound) (default: \(RunOptions().publish.level), generate \(GenerateOptions.defaultLevel))"
      )
    case .v1:
      OptionFacts(
        "strict|lenient", Option.readers,
        "reject a v1 event that breaks a limit, or drop the bad part only (default strict)")
    case .dialect:
      OptionFacts(
        "NAME", Option.readers.union([.bench, .generate]),
        "lines of this dialect only: \(Dialect.allCases.map(\.name).joined(separator: ", ")) (default auto: each line by its own form; bench and generate: v1 and v2)"
      )
    case .foreign:
      OptionFacts(
        "tolerant|strict", Option.readers,
        "cut what breaks a limit in an event of a foreign dialect, or reject the event (default tolerant)"
      )
    case .identityKeys:
      OptionFacts(
        "LISTS", Option.readers,
        "members of foreign events that say whose they are, such as custom:userId,uid;installation:deviceId"
      )
    case .realmObjects:
      OptionFacts(
        "all|none", Option.readers,
        "keep the database objects that realm records hold, or only how many (default all)")
    case .repair:
      OptionFacts(
        nil, Option.readers,
        "read a line that is no JSON without its trailing commas; on with --dialect pulse")
    case .defaultTime:
      OptionFacts("TIME", Option.readers, "stands in for a missing event or record time")
    case .notBefore: OptionFacts("TIME", Option.readers, "reject events before this time")
    case .notAfter: OptionFacts("TIME", Option.readers, "reject events after this time")
    case .since:
      OptionFacts(
        "TIME", Option.readers,
        "leave out events before this time or date; they are counted as outside, not rejected")
    case .until:
      OptionFacts(
        "TIME", Option.readers, "leave out events at this time or date and later, as --since does")
    case .maxLine:
      OptionFacts("SIZE", Option.readers, "longest line that is accepted (default 16M; realm 64M)")
    case .unknownFields:
      OptionFacts(
        "drop|keep|reject", Option.readers,
        "fields that no rule reads: leave them out and say so, make them attributes of their event, or reject for them (default drop)"
      )
    case .maxNames:
      OptionFacts(
        "N", [.run, .partial, .merge, .count],
        "most different event names, and as many attribute keys (default 1M); with more the run fails"
      )
    case .maxRejects:
      OptionFacts(
        "N|P%", [.run, .partial, .merge, .count, .validate, .migrate],
        "fail with exit code 3 if more lines, or a greater share, have a rejected part (default \(RejectLimit.usual.text), validate none); 100% also takes inputs that are not logs; of the two halves of a run merge --finish decides"
      )
    case .keepGoing:
      OptionFacts(nil, Option.readingJobs, "take what can be read of a damaged input")
    case .allowEmpty:
      OptionFacts(
        nil, Option.readers.subtracting([.redrive]),
        "a directory without logs, or no input at all, is not an error")
    case .metrics:
      OptionFacts(
        "FILE", [.run],
        "write figures of the run to this file, as Prometheus reads them; also when it fails")
    case .stage:
      OptionFacts(
        "NAME", [.bench], hasVariable: false,
        "measure only this stage or job (default: all)")
    case .runs:
      OptionFacts(
        "N", [.bench], hasVariable: false,
        "how often to measure, warm-up aside (default \(BenchOptions().runs))")
    case .baseline:
      OptionFacts(
        "FILE", [.bench], hasVariable: false,
        "compare with the result that an earlier --save or --json left in this file")
    case .save:
      OptionFacts(
        "FILE", [.bench], hasVariable: false, "write the result to this file, as --json prints it")
    case .lines:
      OptionFacts(
        "N", [.bench, .generate], hasVariable: false, "log lines to make, in all (bench: 200K)")
    case .users:
      OptionFacts(
        "N", [.bench, .generate], hasVariable: false, "people who appear in them (bench: 20K)")
    case .seed:
      OptionFacts(
        "N", [.bench, .generate], hasVariable: false,
        "the same seed makes the same bytes (bench: 1)")
    case .nights:
      OptionFacts(
        "N", [.generate], hasVariable: false,
        "spread the lines over N days; with --out, a folder for each (default 1)")
    case .years:
      OptionFacts(
        "N", [.generate], hasVariable: false,
        "spread them over N years instead; with --out, an archive of v1 logs that went over to v2 in its last year"
      )
    case .bad:
      OptionFacts(
        "P%", [.generate], hasVariable: false,
        "share of lines with a fault; faults of all kinds take turns (default 0%)")
    case .format:
      OptionFacts(
        "mixed|v1|v2", [.generate], hasVariable: false,
        "which of v1 and v2 the lines are written in (default mixed)")
    case .start:
      OptionFacts(
        "DATE", [.generate], hasVariable: false, "the first day (default 2024-06-01)")
    case .jobs:
      OptionFacts(
        "N", Option.readers.union([.merge, .erase, .verify, .bench]),
        "how many blocks to work on at a time (default: the cores)")
    case .memory:
      OptionFacts(
        "SIZE", [.run, .partial, .merge, .erase, .count, .migrate],
        "about how much memory to take (default: half of what there is); what does not fit goes to disk, or ends a count and a --verify"
      )
    case .quiet:
      OptionFacts(
        nil, Option.everywhere,
        "no summary, notes or progress; errors, warnings and results (tables, JSON, findings) are still printed"
      )
    case .json: OptionFacts(nil, Option.everywhere, "results and errors as JSON")
    case .logFormat:
      OptionFacts(
        "text|json", Option.everywhere, "messages as text or as JSON, one per line (default text)")
    case .noProgress: OptionFacts(nil, Option.everywhere, "show no progress")
    case .color:
      OptionFacts(
        "auto|always|never", Option.everywhere, "colours (default auto; NO_COLOR is respected)")
    case .help: OptionFacts(nil, Option.everywhere, hasVariable: false, "this text")
    case .version:
      OptionFacts(nil, Option.everywhere, hasVariable: false, "version, commit, libzstd version")
    }
  }
}
