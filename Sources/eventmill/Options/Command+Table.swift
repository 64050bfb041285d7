import Jobs

/// The table of commands: the only definition of their names, operands and requirements. Parsing,
/// help and messages are derived from it; ``Option/facts`` lists the options of each.
extension Command {
  /// The row of the command.
  var facts: CommandFacts {
    switch self {
    case .run:
      CommandFacts(
        request: RunCommand.self,
        summary: "the nightly job: read, validate, migrate, merge, count, publish",
        requiredOptions: [.out],
        examples: """
          Last night's logs, continuing from the night before
          eventmill run --previous out/06-01 --out out/06-02 logs/06-02
          The first night; more than 1 % bad lines is a failure
          eventmill run --max-rejects 1% --out out/06-01 logs/06-01
          From another program
          ssh app-1 cat events.ndjson.zst | eventmill run --out out/06-01 -
          """, notes: directories)
    case .night:
      CommandFacts(
        request: NightCommand.self,
        summary:
          "make all nights that are missing, and remove old ones",
        operands: "", operandCount: 0...0, requiredOptions: [.logs, .out],
        examples: """
          Every night, from cron or systemd: all nights up to yesterday
          eventmill night --logs 'logs/%Y-%m-%d' --out 'out/%Y-%m-%d'
          The first time, from the first day with logs
          eventmill night --first 2024-06-01 --logs 'logs/%Y-%m-%d' --out 'out/%Y-%m-%d'
          What would it do?
          eventmill night --dry-run --logs 'logs/%Y-%m-%d' --out 'out/%Y-%m-%d'
          Keep two weeks, and one night of older weeks and months
          eventmill night --keep-daily 14 --keep-weekly 8 --keep-monthly 12 --logs …
          """,
        notes: """
          A night is a day in UTC. In the paths %Y, %m and %d are its date, and %% is a
          percent sign. It finds the newest published night, makes those after it in order
          up to --date, each from the one before, and verifies each. The first night that
          fails stops those after it; its exit code is that of run. Run it again at any
          time: published nights are kept.

          Missing logs are an error, unless --allow-empty is given; a directory without
          logs is a day without events.

          Beside the nights it keeps a link, current, to the newest one, and a lock: a
          second concurrent night ends with exit code 5. It removes only nights that
          contain only files of eventmill, and never the newest one or the one that it
          continues from. With --metrics a.prom it also writes a_night.prom.
          """)
    case .count:
      CommandFacts(
        request: CountCommand.self,
        summary: "count events by name; writes no files", operands: "[FILE|DIR|-…]",
        readsStandardInput: true,
        examples: """
          How often did what happen?
          eventmill count logs/06-02
          For a script
          eventmill count --json logs/06-02 | head -5
          By day, for a spreadsheet
          eventmill count --by day --csv logs > events.csv
          Which pairs of an attribute's value and an event are the most frequent ones?
          eventmill count --by attribute:plan --top 5 logs/06-02
          """,
        notes: """
          GROUP is day, hour (both UTC), dialect, file or attribute:KEY, where KEY is
          written as in outputs; $label is possible. Rows are sorted by group, then name.
          Events without a time or without the attribute are in the group none. An event
          delivered twice counts once, in the group that sorts first.
          \(directories)
          """)
    case .validate:
      CommandFacts(
        request: ValidateCommand.self,
        summary: "check logs: totals and most frequent reasons, with examples",
        operands: "[FILE|DIR|-…]", readsStandardInput: true,
        examples: """
          What is wrong with these logs?
          eventmill validate logs/06-02
          A gate in a pipeline: exit code 3 if a line is bad
          eventmill validate --max-rejects 0 --quiet events.ndjson
          """, notes: directories)
    case .migrate:
      CommandFacts(
        request: MigrateCommand.self,
        summary: "convert v1 and v2 logs to canonical v2 logs, one for each",
        examples: """
          What would happen to five years of logs?
          eventmill migrate --dry-run archive/v1
          Do it; after a crash the same command with --resume continues
          eventmill migrate --out archive/v2 archive/v1
          Keep v1 events that break a limit, without the bad part
          eventmill migrate --v1 lenient --out archive/v2 archive/v1
          Publish only what is proven to be complete
          eventmill migrate --verify --out archive/v2 archive/v1
          """,
        notes: """
          Every input becomes one log below --out, under its path below the named
          directory, as NAME.ndjson.zst: canonical v2, one line for each line with an
          accepted part, in order. Beside them: rejects.ndjson.zst, losses.ndjson,
          report.json and manifest.json. v2 records are unchanged; migrating --out again
          changes no byte of its logs.
          --verify reads every log and every input again before --out appears: each line
          must be valid v2 and be written again with the same bytes, and each event name
          must have the same count, first and last time in inputs and logs. Otherwise exit
          code 1.
          \(directories)
          """)
    case .redrive:
      CommandFacts(
        request: RedriveCommand.self,
        summary: "reprocess rejected parts: after a fix, or with other options",
        operands: "REJECTS|DIR|-…",
        operandAdvice:
          "name rejects files, or directories that run, migrate or redrive has published",
        requiredOptions: [.out],
        examples: """
          Accept what strict rejected, without the invalid parts
          eventmill redrive --v1 lenient --out again out/06-01
          And merge it into the snapshot
          eventmill run --previous out/06-01 --out out/06-02 again
          After the raw lines were edited
          eventmill redrive --out again edited.ndjson
          """,
        notes: """
          REJECTS are rejects that run, migrate or redrive has written, or edited copies
          of them; DIR means the rejects.ndjson.zst in it.
          Only the rejected parts are reprocessed, with the given options.
          --out gets redriven.ndjson.zst, canonical v2 lines of the accepted parts, each
          with a note of its origin, and rejects.ndjson.zst, the remaining rejects, with
          their new reasons. Entries without their whole line are left unchanged; they are
          counted as kept.
          """)
    case .explain:
      CommandFacts(
        request: ExplainCommand.self,
        summary: "show what happens to each line, and why", operands: "[FILE|DIR|-…]",
        readsStandardInput: true,
        examples: """
          Why was this line rejected?
          grep user-17 events.ndjson | eventmill explain
          The same with the bad parts dropped
          eventmill explain --v1 lenient events.ndjson
          """)
    case .plan:
      CommandFacts(
        request: PlanCommand.self,
        summary: "divide the inputs of a night among tasks, as JSON",
        requiredOptions: [.tasks],
        examples: """
          Split logs among 13 tasks; each writes a partial
          eventmill plan --tasks 13 --previous out/06-01 logs/06-02
          """,
        notes: """
          Each of "tasks" has "inputs", sorted, and their "bytes" on disk; the tasks have
          about equal bytes, and there are fewer of them when there are fewer inputs.
          "skipped" are inputs that an earlier night has read. The same files give the
          same plan.
          """)
    case .partial:
      CommandFacts(
        request: PartialCommand.self,
        summary: "the first half of a run, for other machines to continue",
        requiredOptions: [.out],
        examples: """
          One machine's share of the logs, for a merge in 16 partitions
          eventmill partial --partitions 16 --out partials/app-1 logs/app-1
          To honor opt-outs, first collect them from every share
          eventmill partial --collect-opt-outs --out opt-outs/a logs/a
          Then make each partial with all of them
          eventmill partial --honor-opt-out --opt-outs opt-outs --out partials/a logs/a
          """,
        notes: """
          \(directories)
          --collect-opt-outs publishes the opt-outs in the inputs, and with
          --installations N also those in partition N of --previous. DIR of --opt-outs
          contains these directories: of all inputs of the night, and of all partitions of
          --previous. merge refuses partials made with anything else.
          """)
    case .merge:
      CommandFacts(
        request: MergeCommand.self,
        summary: "the second half: merge partials by partition, then finish", operands: "[DIR…]",
        operandCount: 0...Int.max,
        operandAdvice: "name the directories that eventmill partial published with --out",
        requiredOptions: [.out],
        examples: """
          Every partition by itself, on any machine, in any order
          eventmill merge --installations 0 --previous out/06-01 --out merged partials/*
          When all are there, and after a previous output
          eventmill merge --unchanged 0 --previous out/06-01 --out merged partials/*
          When all are there, again every partition
          eventmill merge --people 0 --previous out/06-01 --out merged partials/*
          When all are merged
          eventmill merge --finish --out out/06-02 merged
          """,
        notes: """
          --installations, --unchanged and --people do one step of merging one partition
          of all partials, and publish it in a directory of its own in --out; each
          replaces an earlier result, so it may be repeated. Each needs the earlier steps
          of all partitions: a person may have installations in any of them. --unchanged
          is only needed after a previous output.
          --finish takes all partitions, from the directories named or from --out, adds
          their counts up, checks the ledger, and publishes the output that eventmill run
          would have made; it replaces the partitions in --out. It opens none of their
          files. A partial that is named twice, or was made twice, is used once. For
          object storage, which cannot rename, --parts-elsewhere omits the parts: upload
          them first, each under its name with its hash, then the files in --out, and
          manifest.json last.
          """)
    case .erase:
      CommandFacts(
        request: EraseCommand.self,
        summary: "copy outputs without some people; reads no logs", operands: "[DIR…]",
        operandCount: 0...Int.max, operandAdvice: EraseCommand.advice,
        requiredOptions: [.ids, .out],
        examples: """
          A person has requested erasure
          eventmill erase --ids requests.ndjson --out out/06-01b out/06-01
          Prove it
          eventmill verify --absent requests.ndjson out/06-01b
          Replace all kept nights
          eventmill erase --ids ids.ndjson --nights 'out/%Y-%m-%d' --out out --replace
          """,
        notes: """
          FILE has a line for each: {"custom_id":"anna"} or {"installation_id":"7A0C…"},
          optionally with "time" (erase up to then) or "forever":true (also suppress later
          data). Without a time, a request covers what happened up to --erased-at, and
          everything that the output has. The installations of a person go with the
          person, up to the first login of another; with "installations":"keep" only
          their links do. Counts per event name stay: they contain no ids. Reject entries
          that name an erased person or installation lose the text of their line.
          With several DIRs, or --nights, --out is a directory that gets a copy of each
          under its name. All are prepared before the first is published.
          """)
    case .verify:
      CommandFacts(
        request: VerifyCommand.self,
        summary: "check an output against its manifest, and for consistency", operands: "DIR",
        operandCount: 1...1, operandAdvice: "name the directory that a run published with --out",
        examples: """
          Is last night's output complete?
          eventmill verify out/06-01
          Before continuing from a copy
          eventmill verify --quiet out/06-01 && eventmill run --previous out/06-01 …
          Is the migrated archive unchanged?
          eventmill verify archive/v2
          """,
        notes: """
          Reads every file of the output once and reports every problem: missing and extra
          files, wrong lengths and hashes, damaged frames, lines out of order or in the
          wrong part, counts and ledger that do not agree. In outputs of migrate and
          redrive every line is validated as v2, and compared with its canonical form.
          Exit code 0: no problems; 1: problems found.
          """)
    case .inspect:
      CommandFacts(
        request: InspectCommand.self,
        summary: "show profiles of an output, or its state", operands: "DIR [ID…]",
        operandCount: 1...Int.max,
        operandAdvice: "name the directory that a run published with --out",
        examples: """
          Who is user-1?
          eventmill inspect out/06-01 user-1
          The published lines of a person and of an installation's person
          eventmill inspect --json out/06-01 user-1 device-7
          Why does it have these values, and from which lines?
          eventmill inspect out/06-01 user-1 --why --logs logs/06-01
          What is in the logs about this person, and what happened to it?
          eventmill inspect out/06-01 user-1 --history logs/06-01
          The state of one person, which the next night continues
          eventmill inspect --state out/06-01 custom:user-1
          The state of all keys
          eventmill inspect --state out/06-01 | head -3
          """,
        notes: """
          ID is a custom id or an installation id, or one of them as custom:ID or
          install:ID. An installation that is part of a person shows that person. Times
          are UTC; ages count back from the newest time of the output. --json prints the
          published lines. Exit code 1: nothing is published of one of the ids.

          --why shows for each value the statement that won and those it won against.
          Without --logs it only has the state: the last statement of each key.
          --history shows events, operations and rejected lines in order of time. Both
          read the logs with the options of the output. Logs come last: --logs and
          --history take all words up to the next option.

          With --state, ID is a key: custom:ID, install:ID or, with --dedupe-days,
          anonymous:DIGITS. Without one every key is printed, part by part, sorted by
          bytes. Times are milliseconds since 1970. Exit code 1: the key is not in the
          state.
          """)
    case .diff:
      CommandFacts(
        request: DiffCommand.self,
        summary: "compare two outputs: counts, profiles, rejects",
        operands: "DIR DIR", operandCount: 2...2,
        operandAdvice: "name two directories that runs published with --out",
        examples: """
          What changed since last night?
          eventmill diff out/06-01 out/06-02
          Whose profile changed, and how?
          eventmill diff --profiles out/06-01 out/06-02 | less
          A gate in a script: exit code 6 if there are differences
          eventmill diff --json out/a out/b > changes.json
          """,
        notes: """
          Compares the published files: totals, event names, attribute names and types,
          profiles, and rejects by reason, but not the states. The outputs may have
          different numbers of partitions. Frames of profiles that are equal in both are
          not decompressed. --profiles --json prints a line for each profile that differs,
          then the line that --json prints.
          Exit code 0: no differences; 6: differences found.
          """)
    case .export:
      CommandFacts(
        request: ExportCommand.self,
        summary: "flat tables of an output, for DuckDB, Polars or Spark",
        operands: "DIR", operandCount: 1...1,
        operandAdvice: "name the directory that a run published with --out",
        requiredOptions: [.to],
        examples: """
          Tables of last night's profiles, attributes, events and counts
          eventmill export out/06-01 --to tables
          Into DuckDB, and as Parquet files
          cd tables && duckdb ../people.duckdb <load.sql
          As NDJSON, replacing those of the night before
          eventmill export out/06-02 --to tables --as ndjson --replace
          """,
        notes: """
          Makes profiles, profile_attributes, profile_events (a file per partition each),
          event_counts and daily_counts, compressed with zstd; schema.json describes the
          columns, load.sql makes typed tables of them. CSV follows RFC 4180; an empty
          field is null, "" is empty text. Columns of objects and lists hold JSON text.
          """)
    case .trackingInfer:
      CommandFacts(
        request: TrackingInferCommand.self,
        summary: "make a tracking plan from logs", operands: "[FILE|DIR|-…]",
        readsStandardInput: true,
        examples: """
          Which events are in the logs, with which attributes?
          eventmill tracking infer logs/06-01 > plan.json
          """,
        notes: """
          The plan has every event name, the types of its attributes, which of them are
          always present, their bounds and, if they are few, their values. Descriptions
          and owners are for you to fill in. See docs/guides/tracking.md for the other
          fields.
          \(directories)
          """)
    case .trackingCheck:
      CommandFacts(
        request: TrackingCheckCommand.self,
        summary: "compare the events of logs with a tracking plan",
        operands: "PLAN FILE|DIR|-…", operandCount: 2...Int.max,
        operandAdvice: TrackingCheckCommand.advice,
        examples: """
          Is anything new, missing or of another type?
          eventmill tracking check plan.json logs/06-02
          A gate in a pipeline: exit code 6 for events that are not in the plan
          eventmill tracking check --fail-on new-event,missing plan.json logs/06-02
          """,
        notes: """
          Prints a row for each event, attribute and kind of difference: count, first
          position, what the plan expects, and an example.
          \(directories)
          """)
    case .trackingDiff:
      CommandFacts(
        request: TrackingDiffCommand.self,
        summary: "show the differences between two tracking plans", operands: "FILE FILE",
        operandCount: 2...2, operandAdvice: "name two tracking plans",
        examples: """
          What has changed since the last release?
          eventmill tracking diff plan-v1.json plan-v2.json
          """,
        notes: "The first is the earlier one. Exit code 0: no differences; 6: differences.")
    case .mappings:
      CommandFacts(
        request: MappingsCommand.self,
        summary: "show the built-in mappings for logs of other systems",
        operands: "[NAME]", operandCount: 0...1,
        examples: """
          Which logs of other systems can be read?
          eventmill mappings
          The file of one of them, to be edited
          eventmill mappings segment > mine.json
          """)
    case .mappingInfer:
      CommandFacts(
        request: MappingInferCommand.self,
        summary: "propose a mapping for logs of an unknown form", operands: "[FILE|DIR|-…]",
        readsStandardInput: true,
        examples: """
          A first mapping, to be corrected
          eventmill mapping infer logs/06-01 > podcast.json
          How certain is each field?
          eventmill mapping infer logs/06-01 > /dev/null
          """,
        notes: """
          Reads the first lines to find a time, a name with few values, an id. The mapping
          goes to standard output, its certainty to standard error; with --json one object
          has both. Exit code 1: a part that a mapping needs was not found; the other
          parts are printed anyway.
          """)
    case .mappingTest:
      CommandFacts(
        request: MappingTestCommand.self,
        summary: "show which lines and fields of logs a mapping reads",
        operands: "MAPPING [FILE|DIR|-…]",
        operandAdvice: "name the mapping, then files or directories, or - for standard input",
        examples: """
          How many lines does it read, and what happens to the others?
          eventmill mapping test podcast.json logs/06-01
          A gate in a script: more than 1 % of the lines have a rejected part
          eventmill mapping test --max-rejects 1% podcast.json logs/06-01
          """,
        notes: """
          MAPPING is a file, or the name of a built-in one. For single lines: eventmill
          explain --mapping MAPPING.
          """)
    case .bench:
      CommandFacts(
        request: BenchCommand.self,
        summary: "measure the speed of each stage, and of whole jobs", operands: "[FILE|DIR…]",
        operandCount: 0...Int.max,
        examples: """
          How fast is each stage on this machine?
          eventmill bench
          On your own logs, one stage only
          eventmill bench --stage parse logs/06-02
          How fast are logs of the SDKs read?
          eventmill bench --dialect sdk --stage canonical
          Save the result
          eventmill bench --save before.json
          Did a change make anything slower?
          eventmill bench --baseline before.json
          """,
        notes: """
          Stages are measured one at a time, on one thread, on blocks in memory; cut and
          parse are parts of reader, and canonical is reader, validator and migration
          together. Jobs are measured whole, with --jobs lanes.
          Without files, --lines synthetic lines are made in a directory under TMPDIR.
          """)
    case .generate:
      CommandFacts(
        request: GenerateCommand.self,
        summary: "make realistic synthetic logs, to try out and for benchmarks", operands: "",
        operandCount: 0...0, requiredOptions: [.lines, .users, .seed],
        examples: """
          A million lines to try things out
          eventmill generate --lines 1M --users 50K --seed 1 | zstd > events.ndjson.zst
          Three nights of log files, for the nightly job
          eventmill generate --lines 90K --users 5K --seed 1 --nights 3 --out logs
          An archive of five years, to try a migration
          eventmill generate --lines 50K --users 5K --seed 1 --years 5 --out old
          Logs of another system
          eventmill generate --lines 5 --users 2 --seed 1 --dialect sdk
          Faults of every kind
          eventmill generate --lines 200 --users 10 --seed 1 --bad 100% | less
          """,
        notes: """
          Without --out the lines go to standard output. --dialect v1 and v2 are --format
          v1 and v2.
          """)
    case .completions:
      CommandFacts(
        request: CompletionsCommand.self,
        summary: "print completions for bash, zsh or fish", operands: "bash|zsh|fish",
        operandCount: 1...1, operandAdvice: "name the shell: bash, zsh or fish",
        examples: """
          In this bash; add the line to ~/.bashrc for all
          source <(eventmill completions bash)
          In this zsh, after compinit; or write it to a file _eventmill in $fpath
          source <(eventmill completions zsh)
          In every fish
          eventmill completions fish > ~/.config/fish/completions/eventmill.fish
          """)
    case .man:
      CommandFacts(
        request: ManCommand.self, summary: "print pages of the manual", operands: "[COMMAND]",
        operandCount: 0...1,
        examples: """
          Read the page of a command
          eventmill man run | man -l -
          Install the pages of all
          eventmill man --to /usr/local/share/man/man1
          """,
        notes: """
          Without COMMAND the page of the program is printed. --to only replaces files
          that are pages of eventmill; any other file of such a name is left unchanged,
          and is an error.
          """)
    case .version:
      CommandFacts(
        request: VersionRequest.self,
        summary: "print version, commit and libzstd version", operands: "", operandCount: 0...0,
        examples: """
          Which program is this?
          eventmill version
          For a bug report, or a script
          eventmill version --json
          """)
    }
  }

  /// The meaning of a directory as input.
  private var directories: String {
    """
    A directory means every *.ndjson, *.jsonl and *.json in it, with or without
    .zst, .gz, .bz2 or .xz, and every other file that begins with a line of JSON,
    recursively. - is standard input.
    """
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
  /// What it does, in one line.
  let summary: String
  /// The operands after the command and its options.
  var operands = "FILE|DIR|-…"
  /// The number of operands.
  var operandCount = 1...Int.max
  /// Advice when they are missing.
  var operandAdvice = "name files or directories, or - for standard input"
  /// Whether it reads a pipe or a file on standard input without operands.
  var readsStandardInput = false
  /// Required options.
  var requiredOptions: [Option] = []
  /// Examples: pairs of a line with the purpose and a line with the command.
  let examples: String
  /// Notes beside the options.
  var notes = ""
}
