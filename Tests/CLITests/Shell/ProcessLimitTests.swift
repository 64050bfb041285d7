import TestSupport
import Testing

@testable import eventmill

/// A process with little memory, few or small files, or no reader either works or ends with a
/// message. It never hangs.
@Suite struct ProcessLimitTests: CommandSuite {
  /// Commands that read a log, in forms that leave nothing beside `out`.
  private static let commands = [
    "run --out out", "count", "validate", "explain", "migrate --out out",
    "cluster partial --out out", "bench --runs 1 --stage parse --lines 2K",
  ]

  let directory = ScratchDirectory.fresh
  private let logs: [String]

  init() throws {
    let made = try RunProcess.bash(
      "\"$eventmill\" generate --quiet --lines 3000 --users 50 --seed 1 | zstd -q -o log.ndjson.zst",
      directory: directory)
    try #require(made.status == 0, "\(made.errors)")
    logs = try directory.names()
  }

  /// Runs a command behind `limit`; one that hangs is killed after a minute, which is status 137.
  private func run(_ limit: String, _ command: String) throws -> RunProcess.Result {
    try bash(
      "\(limit) && exec timeout -s KILL 60 \"$eventmill\" \(command) --jobs 4 log.ndjson.zst")
  }

  /// Kibibytes of addresses, and of data. With the smaller ones the program's libraries hardly
  /// begin.
  @Test(
    arguments: Effort.first(
      3,
      of: [
        "ulimit -v 60000", "ulimit -v 256000", "ulimit -d 30000", "ulimit -v 40000",
        "ulimit -v 100000", "ulimit -v 1000000", "ulimit -d 100000",
      ]))
  func littleMemoryEndsInASentence(_ limit: String) throws {
    for command in Self.commands {
      let result = try run(limit, command)
      if result.status == 0 {
        if directory.has("out") { try directory.remove("out") }
        continue
      }
      #expect(result.status == 1, "\(limit) \(command): \(result.errors)")
      #expect(
        result.errors.contains("gives this process no more memory")
          || result.errors.contains("starting a thread"), "\(limit) \(command): \(result.errors)")
      #expect(try !directory.names().contains("out"))
    }
  }

  /// The thread that waits for signals removes what the job has written, before the process ends.
  @Test func littleMemoryLeavesNothingBehind() throws {
    let result = try bash(
      """
      "$eventmill" generate --quiet --lines 60K --users 30K --seed 1 | zstd -q -o large.ndjson.zst
      ulimit -v 100000
      exec timeout -s KILL 60 "$eventmill" run --jobs 4 --memory 64M --out out large.ndjson.zst
      """)
    #expect(result.status == 1, "\(result.status)")
    #expect(result.errors.contains("gives this process no more memory"), "\(result.errors)")
    #expect(try directory.names() == ["large.ndjson.zst"] + logs)
  }

  /// A job can end before its progress display has a thread. The end must not wait for that thread.
  @Test func theEndOfAJobWaitsForNoThreadOfItsProgress() throws {
    try succeed("run --quiet --out night log.ndjson.zst")
    for size in stride(from: 50_000, through: 72_000, by: 2000) {
      let result = try bash(
        "ulimit -v \(size) && exec timeout -s KILL 20 \"$eventmill\" verify night")
      #expect([0, 1].contains(result.status), "\(size): \(result.status) \(result.errors)")
    }
  }

  /// `ulimit -s`: the first thread has that stack, all others one of their own.
  @Test func aSmallStackIsEnough() throws {
    let result = try run("ulimit -s 64", "run --quiet --out out")
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func theSentenceIsJSONWhereErrorsAre() throws {
    let result = try run("ulimit -v 50000", "count --json")
    try #require(result.status == 1)
    #expect(result.errors.hasPrefix("{\"error\":{\"kind\":\"limit\""))
  }

  /// Too few open files (`ulimit -n`) end a run with a message that says so, and with nothing left.
  @Test func tooFewOpenFiles() throws {
    let packed = try bash(
      "zstd -dcq log.ndjson.zst | sed 1d >1.ndjson; sed 1d 1.ndjson | gzip >2.ndjson.gz")
    try #require(packed.status == 0, "\(packed.errors)")
    let logs = try directory.names()
    var failures = 0
    // Below that the libraries themselves cannot begin; 64 are plenty.
    for limit in Array(8..<32) + [64] {
      let result = try bash(
        "ulimit -n \(limit); exec \"$eventmill\" run --quiet --jobs 2 --out out *.ndjson*")
      if result.status == 0 {
        try directory.remove("out")
      } else {
        failures += 1
        #expect(result.status == 1 && limit < 64, "\(limit): \(result.errors)")
        #expect(
          result.errors.contains(
            "Too many open files; raise the limit of open files (ulimit -n) and run again"),
          "\(limit): \(result.errors)")
      }
      #expect(try directory.names() == logs, "\(limit): \(result.errors)")
    }
    #expect(failures > 0)
  }

  /// A copy of an output takes one descriptor until all are complete.
  @Test func manyCopiesWithFewDescriptors() throws {
    let made = try bash(
      """
      "$eventmill" run --quiet --out n01 log.ndjson.zst && for n in {02..12}; do cp -r n01 n$n; done
      echo '{"custom_id":"user-1"}' > requests.ndjson
      """)
    try #require(made.status == 0, "\(made.errors)")
    let names = try directory.names()
    for limit in [18, 24, 64] {
      let result = try bash(
        """
        ulimit -n \(limit); exec "$eventmill" erase --quiet --jobs 2 --requests requests.ndjson \
          --out copies n*
        """)
      #expect(result.status == (limit == 64 ? 0 : 1), "\(limit): \(result.errors)")
      #expect(
        result.errors.contains("raise the limit of open files (ulimit -n)") == (limit < 64),
        "\(limit): \(result.errors)")
      let published = limit == 64 ? ["copies"] : []
      #expect(try directory.names() == published + names, "\(limit): \(result.errors)")
    }
  }

  /// `ulimit -f`: as a full disk.
  @Test func aFileThatMayNotGrowIsAFailure() throws {
    let result = try run("ulimit -f 8", "run --quiet --out out")
    #expect(result.status == 1)
    #expect(
      result.errors.contains("File too large; raise the limit of file sizes (ulimit -f)"),
      "\(result.errors)")
    #expect(try directory.names() == logs)
    let output = try bash("ulimit -f 8; \"$eventmill\" explain log.ndjson.zst > lines")
    #expect(output.status == 1)
    #expect(output.errors.contains("File too large"))
  }

  /// What is ignored here, SIGPIPE and SIGXFSZ, is not ignored by programs that are started.
  @Test func decompressorsHaveTheUsualSignals() throws {
    let result = try bash(
      """
      mkdir bin && printf '#!/bin/sh\\nwhile read -r a b; do case $a in SigIgn:) echo "$b" > %s;; esac; \
      done < /proc/self/status\\nexec /bin/gzip "$@"\\n' "$PWD/ignored" > bin/gzip && chmod +x bin/gzip
      zstd -dcq log.ndjson.zst | /bin/gzip > log.gz
      PATH="$PWD/bin:$PATH" "$eventmill" count --quiet log.gz >/dev/null \
        && echo $(( 16#$(cat ignored) & 16#1001000 ))
      """)
    #expect(result.text == "0\n", "\(result.errors)")
  }

  @Test(arguments: ["generate --lines 2M --users 10 --seed 1", "explain log.ndjson.zst"])
  func aSignalEndsTheWriterToAnUnreadPipe(_ command: String) throws {
    let result = try signalled(
      EndingSignal.terminate.rawValue, command, isRead: false)
    #expect(result.text == "143\n", "\(result.errors)")
  }
}
