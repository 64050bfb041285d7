import TestSupport
import Testing

/// Too few open files (`ulimit -n`) end a run with a message that says so, and with nothing left.
@Suite struct OpenFilesTests {
  @Test func tooFewOpenFiles() throws {
    let scratch = try ScratchDirectory()
    let prepared = try RunProcess.bash(
      """
      for seed in 1 2 3; do
        "$eventmill" generate --quiet --lines 50 --users 5 --seed $seed > $seed.ndjson || exit 1
      done
      gzip 2.ndjson && zstd -q --rm 3.ndjson
      """, directory: scratch)
    try #require(prepared.status == 0, "\(prepared.errors)")
    let logs = try scratch.names()
    var failures = 0
    // Below that the libraries themselves cannot begin; 64 are plenty.
    for limit in Array(8..<32) + [64] {
      let result = try RunProcess.bash(
        "ulimit -n \(limit); exec \"$eventmill\" run --quiet --jobs 2 --out out *.ndjson*",
        directory: scratch)
      if result.status == 0 {
        try scratch.remove("out")
      } else {
        failures += 1
        #expect(result.status == 1, "\(limit): \(result.errors)")
        #expect(
          result.errors.contains(
            "Too many open files; raise the limit of open files (ulimit -n) and run again"),
          "\(limit): \(result.errors)")
        #expect(limit < 64)
      }
      #expect(try scratch.names() == logs, "\(limit): \(result.errors)")
    }
    #expect(failures > 0)
  }
}
