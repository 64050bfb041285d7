@testable import Jobs
import TestSupport
import Testing

@testable import Stages

/// Every vector of `Vectors/merge.jsonl` (docs/reference/file-formats.md), and of the files beside
/// it for the further dialects and for privacy: a run over its files, in any order, on any number
/// of threads, at once or night by night, gives its outputs.
@Suite struct MergeVectorTests {
  struct Vector: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The files' bytes.
    let files: [[UInt8]]
    let options: [String]
    let isIncremental: Bool
    let counts: [NaiveJSON]
    let profiles: [NaiveJSON]
    /// What the vector says of the ledger; parts that do not matter to it are left out.
    let ledger: NaiveJSON

    /// A line is in a file as JSON, whose source text counts, or as text.
    init(_ line: [UInt8]) throws {
      let value = try NaiveJSON(parsing: line, maxDepth: 200)
      testDescription = try #require(value["id"]?.text)
      options = (value["options"]?.items ?? []).compactMap(\.text)
      counts = try #require(value["event_counts"]).items
      profiles = try #require(value["profiles"]).items
      ledger = try #require(value["ledger"])
      isIncremental = value["incremental"] != .bool(false)
      let sources = try #require(SourceJSON(line)["files"]).items
      files = zip(sources, value["files"]?.items ?? []).map { file, values in
        zip(file.items, values.items).reduce(into: []) { bytes, line in
          bytes += line.1.text.map { Array($0.utf8) } ?? line.0.bytes
          bytes.append(0x0A)
        }
      }
    }

    func set(_ run: inout RunOptions) throws {
      var rest = options[...]
      while let option = rest.popFirst() {
        switch option {
        case "--repair": run.read.rules.foreign.repairs = true
        case "--no-days": run.snapshot.withDays = false
        case "--reingest": run.merge.reingest = true
        default:
          let value = rest.popFirst()
          let text = try #require(value, "\(option) has no value")
          switch option {
          case "--stitch": run.snapshot.stitch = try #require(Stitch(rawValue: text))
          case "--dedupe-days": run.snapshot.dedupeDays = try #require(Int(text))
          default: try run.read.rules.set(option, text)
          }
        }
      }
    }

    /// Nights follow the first order, so files that are also read night by night need only another
    /// one at once.
    var ordersAtOnce: [[Int]] {
      guard isIncremental, files.count > 1 else { return Effort.first(2, of: orders) }
      return Effort.first(1, of: orders.dropFirst() + [orders[0]])
    }

    /// The file numbers, at most three orders of them.
    var orders: [[Int]] {
      let order = Array(files.indices)
      let all: [[Int]] = [order, order.reversed(), Array(order.dropFirst() + order.prefix(1))]
      return Array(all.prefix(order.count))
    }
  }

  static func vectors() throws -> [Vector] {
    try ["merge.jsonl", "merge-dialects.jsonl", "merge-privacy.jsonl", "merge-untimed.jsonl"]
      .flatMap { try VectorFiles.lines($0) }.map { try Vector($0) }
  }

  @Test(arguments: try vectors())
  func atOnceInAnyOrder(_ vector: Vector) throws {
    let fixture = try RunFixture()
    for (number, order) in vector.ordersAtOnce.enumerated() {
      let names = order.enumerated().map { "in-\(number)/\($0.offset).ndjson" }
      for (name, file) in zip(names, order) {
        try fixture.scratch.write(vector.files[file], to: name)
      }
      for jobs in number == 0 ? Effort.first(1, of: [3, 1]) : [2] {
        let how: Comment = "order \(order), jobs \(jobs)"
        let output = "out-\(number)-\(jobs)"
        var options = fixture.options(names, to: output)
        try vector.set(&options)
        options.read.jobs = jobs
        try fixture.run(options)
        #expect(try fixture.lines("\(output)/event_counts.ndjson") == vector.counts, how)
        #expect(try fixture.lines(of: "profiles", in: output) == vector.profiles, how)
        let report = try fixture.json("\(output)/report.json")
        #expect(report["event_names"]?.integer == vector.counts.count, how)
        #expect(report["profiles"]?.integer == vector.profiles.count, how)
        for part in vector.ledger.names {
          #expect(report["ledger"]?[part] == vector.ledger[part], how)
        }
      }
    }
  }

  @Test(arguments: try vectors().filter { $0.isIncremental && $0.files.count > 1 })
  func nightByNight(_ vector: Vector) throws {
    let fixture = try RunFixture()
    for (number, order) in vector.orders.prefix(Effort.rounds(1, of: 2)).enumerated() {
      var previous: String?
      var ledgers: [NaiveJSON] = []
      for (night, file) in order.enumerated() {
        let (name, output) = ("in-\(number)-\(night).ndjson", "out-\(number)-\(night)")
        try fixture.scratch.write(vector.files[file], to: name)
        var options = fixture.options([name], to: output, after: previous)
        try vector.set(&options)
        options.snapshot.partitions = 1 + night
        try fixture.run(options)
        ledgers.append(try #require(try fixture.json("\(output)/report.json")["ledger"]))
        previous = output
      }
      let how: Comment = "nights \(order)"
      let last = try #require(previous)
      #expect(try fixture.lines("\(last)/event_counts.ndjson") == vector.counts, how)
      let profiles = try fixture.lines(of: "profiles", in: last).sorted { $0.key < $1.key }
      #expect(profiles == vector.profiles.sorted { $0.key < $1.key }, how)
      for part in vector.ledger.names {
        for figure in try #require(vector.ledger[part]).names {
          let sum = ledgers.reduce(0) { $0 + ($1[part]?[figure]?.integer ?? 0) }
          #expect(sum == vector.ledger[part]?[figure]?.integer, "\(how), \(part).\(figure)")
        }
      }
    }
  }
}

extension NaiveJSON {
  /// The key text of a published profile.
  fileprivate var key: String {
    let who = self["identifiers"]
    return who?["custom_id"]?.text.map { "custom:\($0)" }
      ?? "install:\(who?["installation_id"]?.text ?? "?")"
  }
}
