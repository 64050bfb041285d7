import Pipeline
import Stages
import TestSupport
import Testing

@testable import Jobs

/// `count --by` gives what a naive count gives, whatever the order of files and the threads.
@Suite struct GroupedCountsConcurrencyTests {
  /// An event of a log, as the naive count knows it.
  private struct Delivery {
    var owner = ""
    var id: String?
    var name = ""
    /// Nil for one without a time.
    var time: String?
    var value: String?
    var isV1 = false

    var line: String {
      let id = id.map { "\"id\":\"\($0)\"," } ?? ""
      let when = time.map { "\"time\":\"\($0)\"" } ?? "\"untimed\":true"
      if isV1 {
        let label = value.map { ",\"label\":\"\($0)\"" } ?? ""
        return "{\(id)\"custom_id\":\"\(owner)\",\"name\":\"\(name)\",\(when)\(label)}"
      }
      let value = value.map { ",\"attributes\":{\"$label\":\"\($0)\"}" } ?? ""
      return "{\"identifiers\":{\"custom_id\":\"\(owner)\"},"
        + "\"events\":[{\(id)\"name\":\"\(name)\",\(when)\(value)}]}"
    }

    func group(_ grouping: EventGrouping, file: String) -> String {
      switch grouping {
      case .day: time.map { String($0.prefix(10)) } ?? "none"
      case .hour: time.map { $0.prefix(13) + ":00:00.000Z" } ?? "none"
      case .dialect: isV1 ? "v1" : "v2"
      case .file: file
      case .attribute: value ?? "none"
      case .all: ""
      }
    }
  }

  private static func deliveries(_ count: Int, _ random: inout RepeatableRandom) -> [Delivery] {
    func any(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    return (0..<count).map { _ in
      var delivery = Delivery()
      delivery.owner = "u\(any(3))"
      delivery.id = any(4) == 0 ? nil : "e\(any(12))"
      delivery.name = "n\(any(3))"
      delivery.isV1 = any(2) == 0
      if delivery.isV1 || any(5) > 0 { delivery.time = "2024-06-0\(1 + any(3))T0\(any(2)):30:00Z" }
      delivery.value = any(3) == 0 ? nil : "v\(any(3))"
      return delivery
    }
  }

  private static func naive(
    _ files: [(path: String, deliveries: [Delivery])], _ grouping: EventGrouping
  ) -> [GroupedCounts.Row] {
    var groups: [[String?]: String] = [:]
    for (file, (path, deliveries)) in files.enumerated() {
      for (index, delivery) in deliveries.enumerated() {
        let key = [
          delivery.owner, delivery.name, delivery.time, delivery.id ?? "no id \(file) \(index)",
        ]
        let group = delivery.group(grouping, file: path)
        groups[key] = min(groups[key] ?? group, group)
      }
    }
    var counts: [[String]: Int] = [:]
    for (key, group) in groups { counts[[group, key[1] ?? ""], default: 0] += 1 }
    return counts.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map { GroupedCounts.Row(group: $0.key[0], name: $0.key[1], count: $0.value) }
  }

  @Test(arguments: [EventGrouping.day, .hour, .dialect, .file, .attribute(Array("$label".utf8))])
  func groupsAreThoseOfANaiveCount(_ grouping: EventGrouping) throws {
    for seed in 1...UInt64(Effort.rounds(3, of: 30)) {
      var random = RepeatableRandom(seed: seed)
      let fixture = try RunFixture()
      var files: [(path: String, deliveries: [Delivery])] = []
      for name in ["b.ndjson", "a.ndjson", "c.ndjson"] {
        let deliveries = Self.deliveries(60, &random)
        let path = try fixture.log(deliveries.map(\.line), name)
        files.append((path, deliveries))
      }
      let expected = Self.naive(files, grouping)
      for jobs in [1, 3] {
        for inputs in [files, files.reversed()] {
          var options = ReadOptions()
          (options.inputs, options.jobs) = (inputs.map(\.path), jobs)
          let found = try CountJob(options, control: JobControl()).run(by: EventGroup(grouping))
          #expect(found.counts.rows == expected, "seed \(seed), \(grouping), \(jobs) jobs")
          let ledger = found.read.facts.total
          #expect(ledger.mismatch == nil && ledger.duplicates == found.counts.duplicates)
          #expect(expected.reduce(0) { $0 + $1.count } == ledger.accepted)
        }
      }
    }
  }

  /// Lanes that remove their duplicates before the end keep the delivery of the smallest group.
  @Test func duplicatesThatAreRemovedOnTheWay() throws {
    let fixture = try RunFixture()
    let lines = (0..<20_000).map { Sample.event("u", "n", id: "\($0 % 2000)") }
    for file in ["b", "a", "c"] { try fixture.log(lines, "\(file).ndjson") }
    var options = fixture.options(["b.ndjson", "a.ndjson", "c.ndjson"], to: "")
    options.read.memory = 336 << 12
    let found = try CountJob(options.read, control: JobControl()).run(by: EventGroup(.file))
    let smallest = fixture.scratch("a.ndjson")
    #expect(found.counts.rows == [GroupedCounts.Row(group: smallest, name: "n", count: 2000)])
    #expect(found.counts.duplicates == 58_000)
  }

  @Test func valuesOfEveryType() throws {
    let attributes = [
      "\"text\"", "3", "1.50", "true", "[\"a\"]", "{\"b\":1}", "\"\(Sample.text(200))\"",
      "\"a\\tb\"",
    ].map { "{\"Key\":\($0)}" }
    let fixture = try RunFixture()
    try fixture.log(
      (attributes + ["{\"date(key)\":1717200000}", "{}"]).map {
        Sample.event("u", "n", attributes: $0)
      }, "log.ndjson")
    let job = CountJob(fixture.options(["log.ndjson"], to: "").read, control: JobControl())
    for key in ["key", "KEY", "date(Key)"] {
      let grouping = try #require(EventGrouping("attribute:\(key)"))
      #expect(
        try job.run(by: EventGroup(grouping)).counts.rows.map(\.group) == [
          "1.50", "2024-06-01T00:00:00.000Z", "3", "[…]", "a\tb", "none", "text", "true",
          Sample.text(EventGrouping.longestValue) + "…", "{…}",
        ])
    }
  }

  @Test func groupsAreBounded() throws {
    let fixture = try RunFixture()
    let lines = (1...9).map { #"{"custom_id":"u","name":"n","time":"2024-06-0\#($0)T00:00:00Z"}"# }
    try fixture.log(lines, "log.ndjson")
    var options = fixture.options(["log.ndjson"], to: "")
    options.read.maxNames = 8
    func count() throws(Failure) -> [GroupedCounts.Row] {
      try CountJob(options.read, control: JobControl()).run(by: EventGroup(.day)).counts.rows
    }
    let failure = Failure.of(try count())
    let why = "there are more than 8 different ones, such as \"n, 2024-06-09\""
    #expect(failure?.kind == .limit && failure?.why == why)
    options.read.maxNames = 9
    #expect(try count().count == 9)
  }

  @Test func groupingsThatDoNotExist() {
    for text in ["", "week", "Day", "attribute", "attribute:", "attribute:$tags", "attribute:a b"] {
      #expect(EventGrouping(text) == nil, "\(text)")
    }
  }
}
