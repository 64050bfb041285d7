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

  private static func log(_ user: String) -> String {
    (0..<3).map {
      #"{"id":"\#(user)\#($0)","custom_id":"\#(user)","name":"seen","time":"2024-06-01T00:00:0\#($0)"}"#
        + "\n"
    }.joined() + "{\n"
  }

  private static let erase = "--requests ids --erased-at 2024-07-01"

  private func expectFinished(_ line: String) throws {
    #expect(try json("\(line) --if-same")["already_finished"] == .bool(true), "\(line)")
    #expect(try expect(0, "\(line) --if-same", " is finished already").output.isEmpty, "\(line)")
  }

  private func expectRefused(_ line: String) throws {
    try expect(2, "\(line) --if-same", ": it exists")
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
    try expect(2, "run --out n-1 logs")
  }

  /// The inputs of an earlier night are compared, too.
  @Test func aNightAfterAnother() throws {
    let night = "run --out n-2 --previous n-1 --requests ids"
    try succeed("run --out n-1 logs/a.ndjson", "\(night) logs")
    try expectFinished("\(night) logs")
    for other in [
      "run --out n-2 --previous n-1 logs", "\(night) logs/b.ndjson", "\(night) --reingest logs",
    ] { try expectRefused(other) }
    let partial = "cluster partial --out p --previous n-1"
    try succeed("\(partial) logs")
    try expectFinished("\(partial) logs")
    try expectRefused("cluster partial --out p logs")
    try expectRefused("\(partial) \(Self.erase) logs")
  }

  @Test func partialsAndStepsOfAMerge() throws {
    let partial = "cluster partial --out p --partitions 2 \(Self.erase) logs/b.ndjson"
    try succeed("run --out n-1 logs/a.ndjson --partitions 2", "\(partial) --previous n-1")
    try expectFinished("\(partial) --previous n-1")
    try expectRefused("\(partial) --v1 lenient")
    let merge = "cluster merge --previous n-1 \(Self.erase) --out m p --step"
    for step in ["installations", "unchanged", "people"] {
      for partition in 0..<2 {
        try succeed("\(merge) \(step) --partition \(partition)")
        try expectFinished("\(merge) \(step) --partition \(partition)")
      }
    }
    // A step that is not the same is done again, as without the option.
    let again = "\(merge) installations --partition 0 --if-same"
    #expect(
      try succeed("\(again) --level 3").text.hasPrefix("merged installations of partition 0"))
    try succeed(again)
    let finish = "cluster merge --step finish --out out m"
    try succeed("\(finish) \(Self.erase)")
    try expectFinished("\(finish) \(Self.erase)")
    try expectFinished("run --out out --previous n-1 --partitions 2 \(Self.erase) logs/b.ndjson")
    try expect(2, "\(finish) \(Self.erase)")
    try expect(2, "\(finish) --if-same")
  }
}
