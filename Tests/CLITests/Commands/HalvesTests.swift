import TestSupport
import Testing

/// Options of `run` that its two halves (`partial` and `merge`) also take.
@Suite struct HalvesTests: CommandSuite {
  let directory: ScratchDirectory

  /// Two nights of two logs each: people who are erased, installations that opt out and in again,
  /// lines that are rejected.
  init() throws {
    directory = try ScratchDirectory()
    for night in 1...2 {
      for (file, other) in [("a", "b"), ("b", "a")] {
        func event(_ who: String, _ hour: Int) -> String {
          #"{"id":"\#(night)\#(file)\#(hour)","identifiers":{\#(who)},"events":[{"name":"seen","#
            + #""time":"2024-06-0\#(night)T\#(10 + hour):00:00Z"}]}"#
        }
        func consent(_ isOut: Bool, _ hour: Int) -> String {
          #"{"identifiers":{"installation_id":"i-\#(file)"},"opted_out":\#(isOut),"#
            + #""time":"2024-06-0\#(night)T\#(10 + hour):30:00Z"}"#
        }
        let lines = [
          event(#""custom_id":"u","installation_id":"i-\#(file)""#, 0),
          event(#""installation_id":"i-\#(other)""#, 1), consent(true, 1),
          event(#""installation_id":"i-\#(other)""#, 2), event(#""custom_id":"w""#, 3),
          consent(false, 4), event(#""installation_id":"i-\#(file)""#, 5), "{",
        ]
        try directory.write(lines.joined(separator: "\n") + "\n", to: "\(night)/\(file).ndjson")
      }
    }
    try directory.write(
      "{\"custom_id\":\"w\",\"forever\":true}\n{\"installation_id\":\"i-b\"}\n",
      to: "ids")
  }

  /// Merges two partials of the night `night` in two partitions, all but the finish.
  private func halves(
    _ night: Int, _ options: String, after previous: String = "", ofPartials: String = ""
  ) throws {
    for file in ["a", "b"] {
      try succeed(
        "cluster partial --quiet --partitions 2 --out p\(night)-\(file) \(options) \(previous) "
          + "\(ofPartials) \(night)/\(file).ndjson")
    }
    let unchanged = previous.isEmpty ? [] : ["unchanged"]
    try merge(
      "p\(night)-a p\(night)-b", to: "m\(night)", partitions: 2, "\(options) \(previous)",
      steps: ["installations"] + unchanged + ["people"])
  }

  /// Opt-outs are in the log of another partial than events, and in the night before. Without them,
  /// property tests of the jobs compare the halves with a run.
  @Test func honoredOptOutsGiveTheSameBytes() throws {
    for night in 1...2 {
      let rest = night == 1 ? "" : "--requests ids --erased-at 2024-07-01"
      let previous = night == 1 ? "" : "--previous o1"
      try succeed(
        "run --quiet --honor-opt-out --partitions 2 --out r\(night) \(previous) \(rest) \(night)")
      try directory.write([], to: "c\(night)/.lock")
      for (partition, file) in ["a", "b"].enumerated() {
        let state = night == 1 ? "" : "--partition \(partition)"
        let line =
          "cluster partial --collect-opt-outs \(previous) --out c\(night)/\(file) \(state) "
          + "\(night)/\(file).ndjson"
        // With what the state knows of one installation.
        #expect(try json(line)["consent_statements"]?.integer == night + 1)
        try expect(0, "\(line) --if-same", "is finished already")
      }
      try halves(night, rest, after: previous, ofPartials: "--honor-opt-out --opt-outs c\(night)")
      try succeed("cluster merge --quiet --step finish --out o\(night) \(rest) m\(night)")
      try expectSame("o\(night)", "r\(night)")
    }
    #expect(try document("o2/manifest.json")["options"]?["honor_opt_out"] == .bool(true))
    let suppressed = try document("o2/report.json")["ledger"]?["events"]?["suppressed"]
    #expect((suppressed?.integer ?? 0) > 0)
    for line in ["verify c1/a", "erase --requests ids --out e c1/a"] {
      #expect(try run(line).errors.contains("half of a run"), "\(line)")
    }
  }

  /// The finish decides, and reports it in the metrics.
  @Test func tooManyRejects() throws {
    let run = "run --quiet --partitions 2 --out r --max-rejects"
    try expect(3, "\(run) 1 1")
    try halves(1, "--max-rejects 0")
    let finish = "cluster merge --quiet --step finish --out o --metrics m.prom m1"
    try expect(3, "\(finish) --max-rejects 1")
    for file in ["manifest.json", "rejects.ndjson.zst"] {
      #expect(try directory.bytes("o.rejected/\(file)") == directory.bytes("r.rejected/\(file)"))
    }
    #expect(try metrics("m.prom").contains("eventmill_last_exit_code 3"))
    try succeed("\(finish) --max-rejects 2", "\(run) 2 --metrics r.prom 1")
    try expectSame("o", "r")
    let (ofRun, ofFinish) = (try metrics("r.prom"), try metrics("m.prom"))
    for name in ["eventmill_events_total", "eventmill_profiles ", "eventmill_rejects_total"] {
      let lines = ofRun.filter { $0.hasPrefix(name) }
      #expect(!lines.isEmpty && lines == ofFinish.filter { $0.hasPrefix(name) })
    }
    try expect(
      2, "cluster merge --step people --partition 0 --metrics m.prom --out m1 p1-a",
      "--metrics cannot be used with a step")
  }

  private func metrics(_ file: String) throws -> [Substring] {
    try directory.text(file).split(separator: "\n")
  }
}
