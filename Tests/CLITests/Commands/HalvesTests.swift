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

  private static let erase = "--requests ids --erased-at 2024-07-01"

  /// Merges two partials of the night `night` in two partitions, all but the finish.
  private func merge(
    _ night: Int, _ options: String, after previous: String = "", ofPartials: String = ""
  ) throws {
    for file in ["a", "b"] {
      try succeed(
        "cluster partial --quiet --partitions 2 --out p\(night)-\(file) \(options) \(previous) "
          + "\(ofPartials) \(night)/\(file).ndjson")
    }
    for step in ["installations"] + (previous.isEmpty ? [] : ["unchanged"]) + ["people"] {
      for partition in 0..<2 {
        try succeed(
          "cluster merge --quiet --step \(step) --partition \(partition) --out m\(night) \(options) \(previous) "
            + "p\(night)-a p\(night)-b")
      }
    }
  }

  private func expectSame(_ one: String, _ other: String) throws {
    let files = try directory.files(below: one)
    #expect(try directory.files(below: other) == files && files.contains("manifest.json"))
    for file in files where !file.hasPrefix("report.") {
      #expect(
        try directory.bytes("\(one)/\(file)") == directory.bytes("\(other)/\(file)"), "\(file)")
    }
  }

  @Test func optOutsAndErasuresGiveTheSameBytes() throws {
    try succeed("run --quiet --partitions 2 --out r1 1")
    try merge(1, "")
    try succeed("cluster merge --quiet --step finish --out o1 m1")
    try expectSame("o1", "r1")
    let rest = Self.erase
    try succeed("run --quiet --partitions 2 --out r2 --previous r1 \(rest) 2")
    try merge(2, rest, after: "--previous o1")
    try succeed("cluster merge --quiet --step finish --out o2 \(rest) m2")
    try expectSame("o2", "r2")
    let ledger = try NaiveJSON(
      parsing: String(decoding: directory.bytes("o2/report.json"), as: UTF8.self))["ledger"]
    #expect((ledger?["events"]?["suppressed"]?.integer ?? 0) > 0)
  }

  /// Opt-outs are in the log of another partial than events, and in the night before.
  @Test func honoredOptOutsGiveTheSameBytes() throws {
    for night in 1...2 {
      let (rest, previous) = night == 1 ? ("", "") : (Self.erase, "--previous o1")
      try succeed(
        "run --quiet --honor-opt-out --partitions 2 --out r\(night) \(previous) \(rest) \(night)")
      let collect = "cluster partial --json --collect-opt-outs \(previous) --out c\(night)"
      try directory.write([], to: "c\(night)/.lock")
      for (partition, file) in ["a", "b"].enumerated() {
        let state = night == 1 ? "" : "--partition \(partition)"
        let line = "\(collect)/\(file) \(state) \(night)/\(file).ndjson"
        let summary = try NaiveJSON(parsing: run(line).output)
        // With what the state knows of one installation.
        #expect(summary["consent_statements"]?.integer == night + 1)
        #expect(try run("\(line) --if-same").errors.contains("is finished already"))
      }
      try merge(night, rest, after: previous, ofPartials: "--honor-opt-out --opt-outs c\(night)")
      try succeed("cluster merge --quiet --step finish --out o\(night) \(rest) m\(night)")
      try expectSame("o\(night)", "r\(night)")
    }
    let manifest = try directory.text("o2/manifest.json")
    #expect(manifest.contains("\"honor_opt_out\": true"))
    for line in ["verify c1/a", "erase --requests ids --out e c1/a"] {
      #expect(try run(line).errors.contains("half of a run"), "\(line)")
    }
  }

  /// The finish decides, and reports it in the metrics.
  @Test func tooManyRejects() throws {
    #expect(try run("run --quiet --partitions 2 --out r --max-rejects 1 1").status == 3)
    try merge(1, "--max-rejects 0")
    let finish = "cluster merge --quiet --step finish --out o --metrics m.prom m1"
    #expect(try run("\(finish) --max-rejects 1").status == 3)
    for file in ["manifest.json", "rejects.ndjson.zst"] {
      #expect(try directory.bytes("o.rejected/\(file)") == directory.bytes("r.rejected/\(file)"))
    }
    #expect(try metrics().contains("eventmill_last_exit_code 3"))
    try succeed("\(finish) --max-rejects 2")
    try succeed("run --quiet --partitions 2 --out r --metrics r.prom --max-rejects 2 1")
    try expectSame("o", "r")
    let (ofRun, ofFinish) = (try metrics("r.prom"), try metrics())
    for name in ["eventmill_events_total", "eventmill_profiles ", "eventmill_rejects_total"] {
      let lines = ofRun.filter { $0.hasPrefix(name) }
      #expect(!lines.isEmpty && lines == ofFinish.filter { $0.hasPrefix(name) })
    }
    let step = try run("cluster merge --step people --partition 0 --metrics m.prom --out m1 p1-a")
    #expect(step.status == 2 && step.errors.contains("--metrics cannot be used with a step"))
  }

  private func metrics(_ file: String = "m.prom") throws -> [String] {
    try directory.text(file).split(separator: "\n")
      .map(String.init)
  }
}
