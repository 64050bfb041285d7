import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Runs that go on from outputs other than their own kind: of the earlier format, or of other options.
@Suite struct PreviousPhaseTests {
  // MARK: The earlier format

  private static let u = "custom:u \"1\\"
  private static let time = 1_714_521_600_000

  private static func digits(_ id: String, _ owner: String, _ name: String) -> String {
    let owner = owner.isEmpty ? 0 : hash(owner)
    let print = withByteView(of: id) {
      Fingerprint(id: $0, owner: owner, name: hash(name), time: time)
    }
    return XXH64.text(print.high) + XXH64.text(print.low)
  }

  /// Two parts of a state as version 2 wrote them: a person with all that there may be, a link-only
  /// person, an installation with a link, an anonymous id, and totals among the keys.
  private static func version2() -> [String] {
    let anonymous = "anonymous:" + digits("e0", "", "open")
    let lines = [
      anonymous: ",\"name\":\"open\",\"time\":\(time)",
      u: ",\"attributes\":{\"age\":{\"set\":26,\"time\":\(time)},\"born\":{\"form\":\"date\","
        + "\"set\":\"1990-01-01T00:00:00.000Z\",\"time\":\(time)},\"gone\":{\"time\":\(time),"
        + "\"unset\":true},\"roles\":{\"add\":{\"a\":\(time)},\"remove\":{\"b\":\(time)}}},"
        + "\"clear\":\(time),\"events\":{\"bought\":{\"count\":2,\"first\":\(time),\"ids\":{\""
        + digits("e1", u, "bought") + "\":\(time)},\"last\":\(time + 1),\"value\":{\"n\":1}}},"
        + "\"first\":\(time),\"last\":\(time + 1)",
      "custom:v": ",\"touched\":true",
      "event:bought":
        ",\"count\":2,\"dialects\":{\"v2\":2},\"duplicates\":0,\"first\":\(time),\"last\":\(time + 1)",
      "event:open":
        ",\"count\":1,\"dialects\":{\"v1\":2},\"duplicates\":1,\"last\":\(time)",
      "install:i": ",\"link\":{\"custom_id\":\"v\",\"time\":\(time)}",
    ]
    return (0..<2).map { part in
      let own = lines.keys.filter { Int(hash($0) % 2) == part }.sorted(by: less)
      return
        "{\"eventmill_state\":2,\"lines\":\(own.count),\"partition\":\(part),\"partitions\":2}\n"
        + own.map { "{\"key\":\(quoted($0))\(lines[$0] ?? "")}\n" }.joined()
    }
  }

  /// Writes an output of the earlier format: as far as the next run looks at it, its state.
  private static func writeVersion2(_ parts: [String], to fixture: RunFixture) throws {
    var outputs: [String] = []
    for (number, part) in parts.enumerated() {
      let path = RunFiles.part(number, of: parts.count, in: RunFiles.state)
      try fixture.compressedLog(Array(part.utf8), "old/\(path)")
      let bytes = try fixture.scratch.bytes("old/\(path)")
      let hash = withByteView(of: bytes) { XXH64.text(XXH64.hash($0)) }
      outputs.append(
        "{\"path\":\"\(path)\",\"bytes\":\(bytes.count),\"lines\":\(part.split(separator: "\n").count),"
          + "\"xxh64\":\"\(hash)\"}")
    }
    let manifest =
      "{\"eventmill_output\":1,\"tool\":{\"version\":\"0.0.0\",\"zstd\":\"test\"},\"options\":{\"v1\":"
      + "\"strict\",\"stitch\":\"first\",\"dedupe_days\":7,\"values\":true,\"partitions\":2,\"level\":1},"
      + "\"inputs\":[],\"outputs\":[\(outputs.joined(separator: ","))]}\n"
    try fixture.scratch.write(Array(manifest.utf8), to: "old/\(RunFiles.manifest)")
  }

  /// Lines of a log that say what the state says.
  private static let sameLog = [
    "{\"identifiers\":{\"custom_id\":\"u \\\"1\\\\\"},\"time\":\(time),\"overwrite\":true,\"attributes\":"
      + "{\"age\":26,\"date(born)\":\"1990-01-01\",\"gone\":null,\"roles\":{\"$add\":[\"a\"],"
      + "\"$remove\":[\"b\"]}},\"events\":[{\"id\":\"e1\",\"name\":\"bought\",\"time\":\(time)},"
      + "{\"name\":\"bought\",\"time\":\(time + 1),\"attributes\":{\"n\":1}}]}",
    "{\"identifiers\":{\"custom_id\":\"v\",\"installation_id\":\"i\"},\"time\":\(time)}",
    "{\"id\":\"e0\",\"name\":\"open\",\"time\":\(time)}",
    "{\"id\":\"e0\",\"name\":\"open\",\"time\":\(time)}",
  ].map { $0.replacing("\"1990-01-01\"", with: "\"1990-01-01T00:00:00Z\"") }

  /// What comes anew: deliveries of both ids again among it.
  private static let newLog = [
    "{\"identifiers\":{\"custom_id\":\"u \\\"1\\\\\",\"installation_id\":\"j\"},\"events\":[{\"id\":\"e1\","
      + "\"name\":\"bought\",\"time\":\(time),\"attributes\":{\"n\":9}}]}",
    "{\"id\":\"e0\",\"name\":\"open\",\"time\":\(time)}",
    "{\"id\":\"e9\",\"name\":\"open\",\"time\":\(time),\"installation_id\":\"i\"}",
  ]

  /// The lines of all parts, with the inputs of ids covered: the earlier format does not tell them.
  private static func state(_ output: String, of fixture: RunFixture) throws -> [String] {
    try fixture.scratch.files(below: output).filter {
      $0.hasPrefix(RunFiles.state) && $0.contains("ndjson")
    }.flatMap {
      String(decoding: try fixture.text("\(output)/\($0)"), as: UTF8.self).split(separator: "\n")
        .map { line in
          String(line).replacing(/"source":"[0-9a-f]{12}"/, with: "source")
            .replacing(/"([0-9a-f]{20})[0-9a-f]{12}":/) { "\($0.output.1):" }
        }
    }
  }

  @Test(arguments: [1, 3])
  func aStateOfTheEarlierFormatIsTakenIn(jobs: Int) throws {
    let fixture = try RunFixture()
    try Self.writeVersion2(Self.version2(), to: fixture)
    try fixture.log(Self.newLog, "new.ndjson")
    try fixture.log(Self.sameLog, "same.ndjson")
    for (new, partitions) in [(["new.ndjson"], 2), ([], 1), (["new.ndjson"], 3)] {
      func set(_ options: inout RunOptions) {
        options.jobs = jobs
        options.partitions = partitions
        options.dedupeDays = 7
        options.replace = true
      }
      try fixture.run(["same.ndjson"] + new, to: "once", set)
      try fixture.log([""], "nothing.ndjson")
      try fixture.run(new.isEmpty ? ["nothing.ndjson"] : new, to: "next") {
        set(&$0)
        $0.previous = fixture.scratch("old")
      }
      let (once, next) = (try fixture.bytes(of: "once"), try fixture.bytes(of: "next"))
      for path in once.keys where path.hasPrefix("event_") || path.hasPrefix(RunFiles.profiles) {
        #expect(next[path] == once[path], "\(path), \(new), \(partitions) partitions")
      }
      #expect(
        try Self.state("next", of: fixture) == Self.state("once", of: fixture), "\(partitions)")
    }
  }

  @Test func aStateOfTheEarlierFormatThatWasCutIsCorrupt() throws {
    let fixture = try RunFixture()
    try fixture.log(Self.newLog, "new.ndjson")
    var parts = Self.version2()
    let longer = parts[0].split(separator: "\n").count > 1 ? 0 : 1
    parts[longer] = parts[longer].split(separator: "\n").dropLast().map { "\($0)\n" }.joined()
    try Self.writeVersion2(parts, to: fixture)
    let failure = fixture.failure(["new.ndjson"], to: "out") {
      $0.previous = fixture.scratch("old")
    }
    #expect(failure?.kind == .corrupt)
    #expect(failure?.why.contains("which promises") == true)
  }

  // MARK: Other options

  /// Whatever a run changes about its output, it gives what it would have given from the beginning.
  @Test func otherOptionsThanThoseOfThePreviousRun() throws {
    let fixture = try RunFixture()
    try fixture.log(NightlyRunTests.lines(seed: 11, count: 500), "1.ndjson")
    try fixture.log(NightlyRunTests.lines(seed: 12, count: 300), "2.ndjson")
    func set(_ options: inout RunOptions) { options.dedupeDays = 30 }
    try fixture.run(["1.ndjson"], to: "first", set)
    let changes: [(inout RunOptions) -> Void] = [
      { _ in }, { $0.level = 3 }, { $0.partitions = 3 }, { $0.withValues = false },
      { $0.stitch = .none }, { $0.jobs = 3 }, { $0.memory = 1 << 20 },
    ]
    for (number, change) in changes.enumerated() {
      try fixture.run(["1.ndjson", "2.ndjson"], to: "both-\(number)") {
        set(&$0)
        change(&$0)
      }
      try fixture.run(["2.ndjson"], to: "next-\(number)") {
        set(&$0)
        change(&$0)
        $0.previous = fixture.scratch("first")
      }
      let (both, next) = (
        try fixture.bytes(of: "both-\(number)"), try fixture.bytes(of: "next-\(number)")
      )
      #expect(both.keys.sorted() == next.keys.sorted())
      for path in both.keys
      where !(RunFiles.reports + [RunFiles.rejects, RunFiles.manifest]).contains(path) {
        #expect(next[path] == both[path], "\(path), change \(number)")
      }
    }
  }
}
