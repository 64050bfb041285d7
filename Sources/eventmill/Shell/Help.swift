/// The help texts. They begin with examples; options come from the table.
enum Help {
  /// An example and what it is good for.
  private typealias Example = (purpose: String, line: String)

  /// Columns of the longest line.
  private static let width = 80
  /// Column at which what an option does begins.
  private static let indent = 28

  /// The help for `command`, or for the whole program.
  static func text(for command: Command?) -> String {
    if let command { return text(command) }
    var lines = [
      "eventmill: streams app event logs into counts and profiles", "",
      "Usage: eventmill COMMAND [options] [FILE|DIR|-…]", "", "Examples:",
    ]
    lines += Command.allCases.compactMap { examples($0).first }.flatMap(render)
    lines += ["", "Commands:"]
    lines += Command.allCases.map { entry($0.rawValue, $0.summary) }
    lines.append(entry("help COMMAND", "examples and options of a command"))
    lines += ["", "Every command:"]
    lines += [Option.quiet, .json, .logFormat, .noProgress, .color, .help, .version].map(entry)
    lines += [
      "", "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 too many rejects,",
      "            4 damaged input, 5 output locked by another run,",
      "            130 or 143 interrupted",
    ]
    return lines.joined(separator: "\n")
  }

  private static func text(_ command: Command) -> String {
    var lines = ["eventmill \(command.rawValue): \(command.summary)", "", "Examples:"]
    lines += examples(command).flatMap(render)
    let required = command.requiredOptions.map { "\($0.flag) \($0.facts.value ?? "")" }
    let words = ["eventmill", command.rawValue] + required + ["[options]", command.operands]
    lines += ["", "Usage: " + words.filter { !$0.isEmpty }.joined(separator: " ")]
    lines += ["", "Options:"]
    lines += command.options.map(entry)
    lines += (notes(command) + [units(command), variables]).flatMap { $0.isEmpty ? [] : ["", $0] }
    return lines.joined(separator: "\n")
  }

  private static func examples(_ command: Command) -> [Example] {
    switch command {
    case .run:
      [
        (
          "Last night's logs, going on from the night before",
          "eventmill run --previous out/06-01 --out out/06-02 logs/06-02"
        ),
        (
          "The first night; more than 1 % bad lines is a failure",
          "eventmill run --max-rejects 1% --out out/06-01 logs/06-01"
        ),
        (
          "From another program",
          "ssh app-1 cat events.ndjson.zst | eventmill run --out out/06-01 -"
        ),
      ]
    case .partial:
      [
        (
          "One machine's share of the logs, for a merge in 16 partitions",
          "eventmill partial --partitions 16 --out partials/app-1 logs/app-1"
        )
      ]
    case .merge:
      [
        (
          "Every partition by itself, wherever and in whatever order",
          "eventmill merge --partition 0 --previous out/06-01 --out merged partials/*"
        ),
        ("When all are merged", "eventmill merge --finish --out out/06-02 merged"),
      ]
    case .count:
      [
        ("How often did what happen?", "eventmill count logs/06-02"),
        ("For a script", "eventmill count --json logs/06-02 | head -5"),
      ]
    case .validate:
      [
        ("What is wrong with these logs?", "eventmill validate logs/06-02"),
        (
          "A gate in a pipeline: exit code 3 if a line is bad",
          "eventmill validate --max-rejects 0 --quiet events.ndjson"
        ),
      ]
    case .migrate:
      [
        (
          "What would happen to five years of logs?",
          "eventmill migrate --dry-run archive/v1"
        ),
        (
          "Do it; after a crash the same line with --resume goes on",
          "eventmill migrate --out archive/v2 archive/v1"
        ),
        (
          "Keep v1 events that break a limit, without the bad part",
          "eventmill migrate --v1 lenient --out archive/v2 archive/v1"
        ),
        (
          "Publish only what is proven to be complete",
          "eventmill migrate --verify --out archive/v2 archive/v1"
        ),
      ]
    case .redrive:
      [
        (
          "Take what strict refused, without the bad parts",
          "eventmill redrive --v1 lenient --out again out/06-01"
        ),
        (
          "And merge it into the snapshot",
          "eventmill run --previous out/06-01 --out out/06-02 again"
        ),
        (
          "After the raw lines were edited",
          "eventmill redrive --out again edited.ndjson"
        ),
      ]
    case .explain:
      [
        ("Why was this line rejected?", "grep user-17 events.ndjson | eventmill explain"),
        ("The same with the bad parts dropped", "eventmill explain --v1 lenient events.ndjson"),
      ]
    case .erase:
      [
        (
          "Somebody asked to be forgotten",
          "eventmill erase --ids requests.ndjson --out out/06-01b out/06-01"
        ),
        (
          "And here is the proof",
          "eventmill verify --absent requests.ndjson out/06-01b"
        ),
      ]
    case .verify:
      [
        ("Is last night's output whole?", "eventmill verify out/06-01"),
        (
          "Before going on from a copy",
          "eventmill verify --quiet out/06-01 && eventmill run --previous out/06-01 …"
        ),
        ("Is the migrated archive still what was written?", "eventmill verify archive/v2"),
      ]
    case .version:
      [
        ("Which program is this?", "eventmill version"),
        ("For a bug report, or a script", "eventmill version --json"),
      ]
    case .bench:
      [
        ("How fast is each stage on this machine?", "eventmill bench"),
        ("On your own logs, one stage only", "eventmill bench --stage parse logs/06-02"),
        ("How fast are logs of the SDKs read?", "eventmill bench --dialect sdk --stage canonical"),
        ("Keep the figures", "eventmill bench --save before.json"),
        ("Did a change make anything slower?", "eventmill bench --baseline before.json"),
      ]
    case .generate:
      [
        (
          "A million lines to try things out on",
          "eventmill generate --lines 1M --users 50K --seed 1 | zstd > events.ndjson.zst"
        ),
        (
          "Three nights of log files, to run the job on",
          "eventmill generate --lines 90K --users 5K --seed 1 --nights 3 --out logs"
        ),
        (
          "An archive of five years, to try a migration on",
          "eventmill generate --lines 50K --users 5K --seed 1 --years 5 --out old"
        ),
        (
          "What the logs of another system look like",
          "eventmill generate --lines 5 --users 2 --seed 1 --dialect sdk"
        ),
        (
          "Faults of every kind",
          "eventmill generate --lines 200 --users 10 --seed 1 --bad 100% | less"
        ),
      ]
    }
  }

  private static let variables = """
    EVENTMILL_OPTION in the environment stands under --option (EVENTMILL_JOBS=4 is
    --jobs 4); a variable of that form that is no option is an error. Of an option
    given twice the last one counts. -- ends the options.
    """

  /// How the values of the command's options are written.
  private static func units(_ command: Command) -> String {
    let values = Set(command.options.compactMap(\.facts.value))
    var lines: [String] = []
    if values.contains("TIME") {
      lines.append("TIME is 2024-06-01T00:00:00Z, UTC unless it names a zone; a date is its start.")
    }
    if values.contains("SIZE") {
      lines.append("SIZE is in bytes: 512K, 16M, 1G and 16MiB count in 1024, 16MB in 1000.")
    }
    if !Set([Option.maxNames, .lines, .users]).isDisjoint(with: command.options) {
      lines.append("Numbers of names, lines and users may be 90K or 2M: 90,000 or 2,000,000.")
    }
    return lines.joined(separator: "\n")
  }

  private static func notes(_ command: Command) -> [String] {
    switch command {
    case .merge:
      return [
        """
        --partition N merges one partition of all partials and publishes it in a
        directory of its own in --out; it replaces what was there, so it may
        be repeated.
        --finish takes all of them, from the directories named or from --out, folds
        installations into people across partitions, checks the ledger, and publishes
        the output that eventmill run would have made; it replaces the partitions in
        --out. A partial that is named twice, or was made twice, is used once.
        """
      ]
    case .migrate:
      return [
        """
        Every input makes one log below --out, under its path below the directory that
        is named, as NAME.ndjson.zst: canonical v2, one line for each line of which
        something is left, in their order. Beside them: rejects.ndjson.zst,
        losses.ndjson, report.json and manifest.json. What is v2 already passes through;
        migrating --out again changes no byte of its logs.
        --verify reads every log and every input once more before --out appears: each
        line is valid v2 and is written again with the same bytes, and each event name
        has the same count, first and last time in inputs and logs. Else: exit code 1.
        A directory means every *.ndjson, *.jsonl and *.json in it, with or without
        .zst, .gz, .bz2 or .xz, recursively. - is standard input.
        """
      ]
    case .redrive:
      return [
        """
        REJECTS are rejects that run, migrate or redrive has written, or copies in which
        the raw lines were edited; DIR stands for the rejects.ndjson.zst in it.
        Only the parts that had been rejected are driven again, under the options given.
        --out gets redriven.ndjson.zst, canonical v2 lines of what is taken now, each
        with a note of where it comes from, and rejects.ndjson.zst, what is left, with
        its new reasons. Entries that do not hold their whole line stay as they are;
        they are counted as kept.
        """
      ]
    case .run, .partial, .count, .validate:
      return [
        """
        A directory means every *.ndjson, *.jsonl and *.json in it, with or without
        .zst, .gz, .bz2 or .xz, recursively. - is standard input.
        """
      ]
    case .erase:
      return [
        """
        FILE has a line for each: {"custom_id":"anna"} or {"installation_id":"7A0C…"},
        if need be with "time" (erase up to then) or "forever":true (keep back whatever
        comes later, too). Counts per event name stay: they name nobody. Reject entries
        that name somebody lose the text of their line.
        """
      ]
    case .verify:
      return [
        """
        Reads every file of the output once and names everything that is wrong: files
        that are missing or too many, lengths and hashes, damaged frames, lines out of
        order or in the wrong part, counts and ledger that do not agree. Of what migrate
        and redrive publish every line is validated as v2, and compared with what would
        be written of it. Exit code 0: nothing is wrong; 1: something is.
        """
      ]
    case .bench:
      return [
        """
        Stages are measured one at a time, on one thread, on blocks in memory; cut and
        parse are parts of reader, and canonical is reader, validator and migration
        together. Jobs are measured whole, with --jobs lanes.
        Without files, --lines synthetic lines are made in a directory under TMPDIR.
        """
      ]
    case .generate:
      return [
        """
        Without --out the lines go to standard output. --dialect v1 and v2 are --format
        v1 and v2.
        """
      ]
    case .explain, .version: return []
    }
  }

  private static func render(_ example: Example) -> [String] {
    ["  # \(example.purpose)", "  \(example.line)"]
  }

  private static func entry(_ option: Option) -> String {
    let value = option.facts.value.map { " \($0)" } ?? ""
    let letter = option.letter.map { "-\($0), " } ?? ""
    return entry(letter + option.flag + value, option.facts.summary)
  }

  /// A name and what it means, in two columns.
  private static func entry(_ name: String, _ meaning: String) -> String {
    let start = "  " + name
    let gap = max(0, indent - start.count)
    var lines = [start + String(repeating: " ", count: gap)]
    if start.count > indent - 2 {
      lines = [start, String(repeating: " ", count: indent)]
    }
    var isFirst = true
    for word in meaning.split(separator: " ") {
      let last = lines.count - 1
      if !isFirst, lines[last].count + 1 + word.count > width {
        lines.append(String(repeating: " ", count: indent) + word)
      } else {
        lines[last] += (isFirst ? "" : " ") + word
      }
      isFirst = false
    }
    return lines.joined(separator: "\n")
  }
}
