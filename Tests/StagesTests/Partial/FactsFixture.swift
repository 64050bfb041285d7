@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Facts of partials over small logs that contain everything that facts record.
struct FactsFixture {
  let runs: PartialRuns

  init() throws { runs = try PartialRuns() }

  /// Lines with accepted and rejected events and operations, losses, remarks, duplicates, unknown
  /// fields.
  static func log(_ name: String, lines: Int = 12) -> [String] {
    (0..<lines).map {
      Sample.event("user-\($0)", "\(name)_\($0 % 3)", day: 1 + $0 % 5, id: "\($0)")
    }
      + (0..<lines).map {
        #"{"custom_id":"u","name":"lossy","time":"2024-05-0\#(1 + $0 % 9)T00:00:00","label":" ","#
          + #""other_\#(name)_\#($0)":1}"#
      } + [
        #"{"identifiers":{"custom_id":"u"},"time":"2024-05-02T00:00:00Z","attributes":{"\#(name)":1,"$region":"fr","bad key":1}}"#,
        #"{"identifiers":{"custom_id":"u"},"time":"2024-05-02T00:00:00Z","#
          + #""attributes":{"date(\#(name))":"0001-01-01T00:00:00Z"}}"#,
        Sample.event("u", "bad name"), Sample.event("u", "shared", id: "s"),
        Sample.event("u", "shared", id: "s"),
        #"{"name":"_START_\#(name)","sDate":"2024-05-02T00:00:00Z"}"#,
        #"{"name":"_PROFILE_IDENTIFY","ts":1}"#, #"{"action":["batch.deeplink"]}"#,
        "no JSON", "",
      ]
  }

  /// The facts of a partial over the inputs `names`, which is published as `output`.
  func facts(
    _ names: [String], _ output: String = "partial", _ change: (inout RunOptions) -> Void = { _ in }
  ) throws -> PartialFacts {
    try runs.partial(names, to: output) {
      $0.read.rules.v1 = .lenient
      change(&$0)
    }
    return try directory(output).facts
  }

  func directory(_ output: String) throws(Failure) -> PartialDirectory {
    try PartialDirectory(runs.fixture.scratch(output), system: .real)
  }
}

extension PartialFacts {
  /// The facts in the text of a `facts.json`.
  init(text: [UInt8]) throws {
    var bytes = ByteBuffer()
    bytes.append(contentsOf: text)
    try self.init(JSONDocument(bytes.view).root)
  }

  /// The text of the file.
  var text: String { text().text }
}
