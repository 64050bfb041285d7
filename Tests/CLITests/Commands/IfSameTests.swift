import TestSupport
import Testing

/// `--if-same`: an existing output that equals what the command would make.
@Suite struct IfSameTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    for (name, user) in [("a", "u"), ("b", "w")] {
      try directory.write(Self.log(user), to: "logs/\(name).ndjson")
    }
    try directory.write("{\"custom_id\":\"u\"}\n", to: "ids")
  }

  private static func log(_ user: String) -> [UInt8] {
    let lines = (0..<3).map {
      #"{"id":"\#(user)\#($0)","custom_id":"\#(user)","name":"seen","time":"2024-06-01T00:00:0\#($0)"}"#
    }
    return Array((lines.joined(separator: "\n") + "\n{\n").utf8)
  }

  private static let erase = "--requests ids --erased-at 2024-07-01"

  private func expectFinished(_ line: String) throws {
    let result = try run("\(line) --if-same --json")
    #expect(result.status == 0, "\(line): \(result.errors)")
    #expect(try NaiveJSON(parsing: result.text)["already_finished"] == .bool(true), "\(line)")
    let words = try run("\(line) --if-same")
    #expect(words.output.isEmpty && words.errors.contains(" is finished already"), "\(line)")
  }

  private func expectRefused(_ line: String) throws {
    let result = try run("\(line) --if-same")
    #expect(result.status == 2 && result.errors.contains(": it exists"), "\(line)")
  }

  @Test func aRunThatIsThere() throws {
    try succeed("run --if-same --out n-1 logs")
    try expectFinished("run --out n-1 logs/b.ndjson logs/a.ndjson --jobs 1")
    let before = try directory.bytes("n-1/report.json")
    try expectFinished("run --out n-1 --replace logs")
    #expect(try directory.bytes("n-1/report.json") == before)
    for other in [
      "logs/a.ndjson", "logs ids", "logs --no-values", "logs --since 2024-01-01",
      "logs --requests ids", "logs --previous n-1 --reingest", "-",
    ] { try expectRefused("run --out n-1 \(other)") }
    // The same names and lengths, but other content.
    try directory.write(Self.log("v"), to: "logs/a.ndjson")
    try expectRefused("run --out n-1 logs")
    try directory.write(Self.log("u"), to: "logs/a.ndjson")
    try expectFinished("run --out n-1 logs")
    #expect(try run("run --out n-1 logs").status == 2)
  }

  /// The inputs of an earlier night are compared, too.
  @Test func aNightAfterAnother() throws {
    try succeed("run --out n-1 logs/a.ndjson")
    let night = "run --out n-2 --previous n-1 --requests ids logs"
    #expect(try run(night).status == 0)
    try expectFinished(night)
    try expectRefused("run --out n-2 --previous n-1 logs")
    try expectRefused("run --out n-2 --previous n-1 --requests ids logs/b.ndjson")
    try expectRefused("run --out n-2 --previous n-1 --requests ids --reingest logs")
    let partial = "cluster partial --out p --previous n-1 logs"
    #expect(try run(partial).status == 0)
    try expectFinished(partial)
    try expectRefused("cluster partial --out p logs")
    try expectRefused("cluster partial --out p --previous n-1 \(Self.erase) logs")
  }

  @Test func partialsAndStepsOfAMerge() throws {
    try succeed("run --out n-1 logs/a.ndjson --partitions 2")
    let partial =
      "cluster partial --out p --previous n-1 --partitions 2 \(Self.erase) logs/b.ndjson"
    #expect(try run(partial).status == 0)
    try expectFinished(partial)
    try expectRefused(
      "cluster partial --out p --partitions 2 \(Self.erase) logs/b.ndjson --v1 lenient")
    for step in ["installations", "unchanged", "people"] {
      for partition in 0..<2 {
        let line =
          "cluster merge --step \(step) --partition \(partition) --previous n-1 \(Self.erase) --out m p"
        #expect(try run(line).status == 0)
        try expectFinished(line)
      }
    }
    // A step that is not the same is done again, as without the option.
    let other = try run(
      "cluster merge --step installations --partition 0 --previous n-1 \(Self.erase) --out m p --if-same --level 3"
    )
    #expect(other.status == 0 && other.text.hasPrefix("merged installations of partition 0"))
    #expect(
      try run(
        "cluster merge --step installations --partition 0 --previous n-1 \(Self.erase) --out m p --if-same"
      ).status
        == 0)
    let finish = "cluster merge --step finish \(Self.erase) --out out m"
    #expect(try run(finish).status == 0)
    try expectFinished(finish)
    try expectFinished("run --out out --previous n-1 --partitions 2 \(Self.erase) logs/b.ndjson")
    #expect(try run(finish).status == 2)
    #expect(try run("cluster merge --step finish --out out m --if-same").status == 2)
  }
}
