@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Any change of a byte of `manifest.json` or `report.json` is a problem, in every kind of output.
@Suite struct VerifyDocumentsTests {
  /// What is verified, with the job that makes it from a log.
  enum Kind: String, CaseIterable, Sendable {
    case run, archive, redrive, erased, export

    var documents: [String] {
      self == .export ? [RunFiles.manifest] : [RunFiles.manifest, RunFiles.report]
    }
  }

  private static func output(_ kind: Kind) throws -> RunFixture {
    let fixture = try RunFixture()
    try fixture.log(
      [
        Sample.event("u", "seen"), #"{"custom_id":"u","name":"seen","time":1,"label":" "}"#,
        Sample.event("anna", "seen"), Sample.event("anna", "bad name"), "{",
      ], "a.ndjson")
    switch kind {
    case .run: try fixture.run(["a.ndjson"], to: "out")
    case .archive: try fixture.migrate(["a.ndjson"], to: "out")
    case .redrive:
      try fixture.run(["a.ndjson"], to: "first")
      let options = fixture.options(["first"], to: "out")
      _ = try RedriveJob(options.read, options.publish, control: JobControl()).run()
    case .erased:
      try fixture.run(["a.ndjson"], to: "first")
      try fixture.log([#"{"custom_id":"anna"}"#], "requests.ndjson")
      try fixture.erase(from: "first", to: "out") { $0.merge.now = 1_800_000_000_000 }
    case .export:
      try fixture.run(["a.ndjson"], to: "first")
      _ = try ExportJob(
        fixture.scratch("first"), format: .csv, options: fixture.options([], to: "out"),
        control: JobControl()
      ).run()
    }
    return fixture
  }

  private static func damages(of whole: [UInt8]) -> [(what: String, bytes: [UInt8])] {
    var damages: [(what: String, bytes: [UInt8])] = []
    func add(_ what: String, _ change: (inout [UInt8]) -> Void) {
      var bytes = whole
      change(&bytes)
      if bytes != whole { damages.append((what, bytes)) }
    }
    for index in Effort.numbers(below: whole.count, every: 20) {
      let bit = UInt8(1) << UInt8(index % 7)
      let changes: [(String, (inout [UInt8]) -> Void)] = [
        ("flipped", { $0[index] ^= bit }), ("removed", { $0.remove(at: index) }),
        ("repeated", { $0.insert($0[index], at: index) }),
        ("cut", { $0.removeSubrange(index...) }),
      ]
      for (what, change) in Effort.first(1, of: changes.shuffled()) {
        add("\(what) \(index)", change)
      }
      if whole[index] == 0x0A, index + 1 < whole.count {
        let line = whole[(index + 1)...].prefix { $0 != 0x0A } + [0x0A]
        add("space \(index)") { $0.insert(0x20, at: index) }
        add("line removed \(index)") { $0.removeSubrange(index + 1..<index + 1 + line.count) }
        add("line repeated \(index)") { $0.insert(contentsOf: line, at: index + 1) }
      }
    }
    for tail in [" ", "\n", "\0", "{}", "x"] { add("behind \(tail)") { $0 += Array(tail.utf8) } }
    add("in front") { $0.insert(0x20, at: 0) }
    return damages
  }

  @Test(arguments: Kind.allCases) func everyByteCounts(_ kind: Kind) throws {
    let fixture = try Self.output(kind)
    let path = fixture.scratch("out")
    #expect(try fixture.problems(of: path) == [])
    for document in kind.documents {
      let whole = try fixture.scratch.bytes("out/\(document)")
      for (what, bytes) in Self.damages(of: whole) {
        try fixture.scratch.write(bytes, to: "out/\(document)")
        // A manifest that does not name its kind belongs to no output.
        let problems = (try? fixture.problems(of: path)) ?? []
        #expect(problems.contains { $0.hasPrefix(document) }, "\(document): \(what)")
      }
      try fixture.scratch.write(whole, to: "out/\(document)")
    }
  }
}
