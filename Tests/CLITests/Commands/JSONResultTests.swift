import Jobs
import TestSupport
import Testing

@testable import eventmill

/// Results with `--json` are whole JSON, line by line.
@Suite struct JSONResultTests {
  private static let log = Array(
    """
    {"id":"1","custom_id":"u","name":"ad_seen","time":"2024-06-01T00:00:00"}
    {"custom_id":"u","name":"no good","time":"2024-06-01T00:00:00"}

    """.utf8)

  /// Every command, in an order in which each finds what it needs.
  private static let commands = [
    "run --out out log", "count log", "validate log", "cluster plan --tasks 2 log", "explain log",
    "rejects out", "mapping show segment", "migrate --out archive log",
    "redrive --out redriven out", "erase --requests ids --out erased out",
    "cluster partial --partitions 1 --out partial log",
    "cluster merge --step installations --partition 0 --out merged partial",
    "cluster merge --step people --partition 0 --out merged partial",
    "cluster merge --step finish --out merged", "verify out",
    "inspect --state out", "diff out out", "export out --out tables",
    "night --logs l-%Y-%m-%d --out n-%Y-%m-%d --from-night 2024-06-01 --to-night 2024-06-01 --allow-empty",
    "night list --out n-%Y-%m-%d", "tracking infer log", "tracking check plan log",
    "tracking diff plan other",
    "mapping test segment log", "mapping list",
    "bench --lines 100 --users 10 --runs 1",
    "generate --lines 9 --users 3 --seed 1", "completions bash", "man --out pages", "version",
  ].map { $0.split(separator: " ").map(String.init) }

  @Test func everyCommandsResultIsJSON() throws {
    for command in Command.allCases {
      let words = command.rawValue.split(separator: " ").map(String.init)
      #expect(Self.commands.contains { $0.starts(with: words) }, "\(command)")
    }
    let directory = try ScratchDirectory()
    try directory.write(Self.log, to: "log")
    try directory.write(#"{"custom_id":"u"}"#, to: "ids")
    try directory.write(#"{"eventmill_plan":1}"#, to: "plan")
    try directory.write(#"{"eventmill_plan":1,"events":{"a":{}}}"#, to: "other")
    for command in Self.commands {
      let result = try RunProcess.eventmill(command + ["--json"], directory: directory)
      let expected: Int32 = command.starts(with: ["tracking", "diff"]) ? 6 : 0
      #expect(result.status == expected, "\(command): \(result.errors)")
      #expect(!result.lines.isEmpty, "\(command)")
      for line in result.lines {
        guard case .object(let members) = try NaiveJSON(parsing: String(line)) else {
          Issue.record("\(command): no object: \(line)")
          continue
        }
        #expect(!members.isEmpty, "\(command)")
      }
      if Self.withFigures.contains(command[0]) {
        try Self.checkFigures(NaiveJSON(parsing: result.text), of: command)
      }
    }
  }

  private static let withFigures = [
    "run", "plan", "migrate", "redrive", "partial", "merge", "export",
  ]

  /// The inputs and the resource use of a command.
  private static func checkFigures(_ json: NaiveJSON, of command: [String]) {
    func number(_ name: String) -> Double {
      guard case .number(let text)? = json[name] else { return -1 }
      return Double(text) ?? -1
    }
    let hasLines = !["plan", "redrive", "export"].contains(command[0])
    #expect(number("lines") == (hasLines ? 2 : -1), "\(command)")
    #expect(number("bytes") >= Double(command[0] == "redrive" ? 1 : log.count), "\(command)")
    #expect(0..<100 ~= number("seconds") && 0..<100 ~= number("processor_seconds"), "\(command)")
    #expect(number("peak_memory_bytes") > 1e6, "\(command)")
    #expect(number("read_bytes") > 0, "\(command)")
    #expect(command[0] == "plan" || number("written_bytes") > 100, "\(command)")
  }
}
