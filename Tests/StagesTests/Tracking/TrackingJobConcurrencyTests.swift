import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Jobs

/// `tracking infer` and `tracking check`: logs obey their inferred plan, and changes of them are
/// found, as by a naive checker.
@Suite struct TrackingJobConcurrencyTests {
  /// An event of a log: its attributes as JSON texts.
  private struct Event {
    var name = ""
    var attributes: [String: String] = [:]

    var line: String {
      let members = attributes.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
      return "{\"identifiers\":{},\"events\":[{\"name\":\"\(name)\","
        + "\"time\":\"2024-06-01T00:00:00Z\",\"attributes\":{\(members.joined(separator: ","))}}]}"
    }
  }

  /// The keys, each with the JSON text of a value.
  private static func values(_ random: inout RepeatableRandom) -> [(key: String, value: String)] {
    func any(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    return [
      ("$label", "\"l\(any(3))\""), ("$tags", "[\"t\(any(3))\",\"u\(any(2))\"]"),
      ("color", "\"c\(any(4))\""), ("count", "\(any(50) - 10)"),
      ("date(due)", "\"2024-0\(1 + any(9))-01T00:00:00.000Z\""), ("flag", "\(any(2) == 0)"),
      ("items", any(2) == 0 ? "[]" : "[{\"a\":\(any(9))}]"),
      ("mixed", any(2) == 0 ? "\(any(3))" : "\"m\(any(2))\""),
      ("note", "\"note \(any(1_000_000))\""),
      ("price", any(3) == 0 ? "\(any(9))" : "\(any(9)).\(1 + any(9))"),
      ("url(page)", "\"https://a.example/\(any(99))\""),
    ]
  }

  private static func events(_ count: Int, _ random: inout RepeatableRandom) -> [Event] {
    (0..<count).map { _ in
      let number = Int.random(in: 0..<3, using: &random)
      var event = Event(name: "event_\(number)")
      for (index, (key, value)) in values(&random).enumerated() where (index + number) % 4 > 0 {
        let isRequired = (index + number) % 3 > 0
        if isRequired || Bool.random(using: &random) { event.attributes[key] = value }
      }
      return event
    }
  }

  private static func mutate(_ events: inout [Event], _ random: inout RepeatableRandom) {
    for index in events.indices where Int.random(in: 0..<4, using: &random) == 0 {
      let present = events[index].attributes.keys.sorted()
      let key = present.randomElement(using: &random) ?? "new"
      switch Int.random(in: 0..<5, using: &random) {
      case 0: events[index].name = "event_\(Int.random(in: 3..<5, using: &random))"
      case 1: events[index].attributes["new_\(index % 3)"] = "1"
      case 2: events[index].attributes[key] = nil
      case 3 where !key.contains("(") && !key.hasPrefix("$"):
        events[index].attributes[key] =
          ["\"other\"", "-7000", "7.25", "2.0", "true", "[\"a\"]", "{}"].randomElement(
            using: &random)
      default:
        if events[index].attributes["date(due)"] != nil {
          events[index].attributes["date(due)"] = "\"2031-01-01T00:00:00.000Z\""
        }
        if events[index].attributes["color"] != nil {
          events[index].attributes["color"] = "\"c\(Int.random(in: 0..<9, using: &random))\""
        }
      }
    }
  }

  // MARK: - The naive checker

  private struct Finding: Equatable {
    var count = 0
    var first = ""
    var example: String?
  }

  /// The findings by kind, event and attribute, of files in the order of their paths.
  private static func naive(
    _ plan: NaiveJSON, _ files: [(path: String, events: [Event])]
  ) throws -> [[String]: Finding] {
    var findings: [[String]: Finding] = [:]
    for (path, events) in files {
      for (index, event) in events.enumerated() {
        func add(_ kind: String, _ attribute: String, _ example: String?) {
          let key = [event.name, attribute, kind]
          if findings[key] == nil {
            findings[key] = Finding(first: "\(path):\(index + 1)", example: example)
          }
          findings[key]?.count += 1
        }
        guard let planned = plan["events"]?[event.name] else {
          add("new-event", "", nil)
          continue
        }
        for key in planned.each("required").compactMap(\.text)
        where event.attributes[key] == nil { add("missing", key, nil) }
        for (key, text) in event.attributes {
          let value = try NaiveJSON(parsing: text)
          let example = value.text ?? text
          guard let property = planned["properties"]?[key] else {
            add("new-attribute", key, example)
            continue
          }
          if let kind = fault(value, property) { add(kind, key, example) }
        }
      }
    }
    return findings
  }

  private static func isOf(_ schema: NaiveJSON?, _ value: NaiveJSON) -> Bool {
    guard let types = schema?["type"]?.oneOrMore.compactMap(\.text) else { return true }
    switch value {
    case .string: return types.contains("string")
    case .bool: return types.contains("boolean")
    case .object: return types.contains("object")
    case .array: return types.contains("array")
    case .null: return false
    case .number:
      let isWhole = value.real.map { $0 == $0.rounded() } ?? false
      return types.contains("number") || isWhole && types.contains("integer")
    }
  }

  private static func fault(_ value: NaiveJSON, _ property: NaiveJSON) -> String? {
    guard isOf(property, value) else { return "wrong-type" }
    if case .array(let items) = value, !items.allSatisfy({ isOf(property["items"], $0) }) {
      return "wrong-type"
    }
    if let allowed = property["enum"], !allowed.items.contains(value) { return "value" }
    if let text = value.text, let least = property["formatMinimum"]?.text,
      let greatest = property["formatMaximum"]?.text
    {
      return text < least || text > greatest ? "range" : nil
    }
    guard let number = value.real else { return nil }
    let isBelow = property["minimum"]?.real.map { number < $0 } ?? false
    let isAbove = property["maximum"]?.real.map { number > $0 } ?? false
    return isBelow || isAbove ? "range" : nil
  }

  // MARK: - Tests

  /// They are equal, so that the first one would win.
  @Test func theTwoZerosAreOne() throws {
    let fixture = try RunFixture()
    let lines = ["-0.0", "0.0", "-0e1"].map { Sample.event("u", "a", attributes: #"{"n":\#($0)}"#) }
    let log = try fixture.log(lines, "log.ndjson")
    let plan = try Self.infer([log], jobs: 1).json().text
    try fixture.log(lines.reversed(), "log.ndjson")
    #expect(try Self.infer([log], jobs: 1).json().text == plan)
    #expect(!plan.contains("-0"))
  }

  private static func infer(_ paths: [String], jobs: Int) throws -> TrackingPlan {
    try TrackingJob(options(paths, jobs), control: JobControl()).infer().plan
  }

  private static func check(_ plan: TrackingPlan, _ paths: [String], jobs: Int) throws
    -> TrackingCheck
  { try TrackingJob(options(paths, jobs), control: JobControl()).check(plan).found }

  private static func options(_ paths: [String], _ jobs: Int) -> ReadOptions {
    var options = ReadOptions()
    (options.inputs, options.jobs) = (paths, jobs)
    return options
  }

  @Test func mutatedLogsAgainstANaiveChecker() throws {
    for seed in 1...UInt64(Effort.rounds(4, of: 40)) {
      var random = RepeatableRandom(seed: seed)
      let fixture = try RunFixture()
      var files: [(path: String, events: [Event])] = []
      for name in ["a", "b", "c"] {
        let events = Self.events(120, &random)
        files.append((try fixture.log(events.map(\.line), "\(name).ndjson"), events))
      }
      let paths = files.map(\.path)
      let plan = try Self.infer(paths, jobs: 1)
      let again = try Self.infer(paths.reversed(), jobs: 3)
      #expect(again == plan, "seed \(seed)")
      #expect(try Self.check(plan, paths, jobs: 2).totals.isEmpty, "seed \(seed)")
      let json = plan.json()
      let text = try fixture.scratch.write(json.view.array, to: "plan.json")
      #expect(try TrackingPlan(reading: text) == plan, "seed \(seed)")

      for index in files.indices {
        Self.mutate(&files[index].events, &random)
        try fixture.log(files[index].events.map(\.line), ["a", "b", "c"][index] + ".ndjson")
      }
      let expected = try Self.naive(NaiveJSON(parsing: json.view.array), files)
      #expect(expected.count > 10, "seed \(seed)")
      for (jobs, paths) in [(1, paths), (3, paths.reversed())] {
        let found = try Self.check(plan, paths, jobs: jobs)
        let rows = Dictionary(
          uniqueKeysWithValues: found.rows.map { row in
            (
              [row.event, row.attribute ?? "", row.kind.rawValue],
              Finding(count: row.count, first: "\(row.file):\(row.line)", example: row.found)
            )
          })
        #expect(rows == expected, "seed \(seed)")
        let places = found.rows.map { [$0.event, $0.attribute ?? ""] }
        #expect(places == places.sorted { $0.lexicographicallyPrecedes($1) } && found.others == 0)
      }
    }
  }

  /// The events of every dialect obey the plan that is inferred from them.
  @Test func everyDialectObeysItsPlan() throws {
    let fixture = try RunFixture()
    for seed in 1...UInt64(Effort.rounds(2, of: 20)) {
      var log = RandomLog(seed: seed)
      let paths = [
        try fixture.log(log.lines(400), "a.ndjson"),
        try fixture.log(Sample.log(seed: seed, count: 400), "b.ndjson"),
      ]
      let plan = try Self.infer(paths, jobs: 2)
      let again = try Self.infer(paths.reversed(), jobs: 1)
      #expect(plan.events.count > 5 && again == plan)
      #expect(try Self.check(plan, paths, jobs: 3).totals.isEmpty, "seed \(seed)")
    }
  }

  @Test func tooMuchIsNoPlan() throws {
    let fixture = try RunFixture()
    let names = (0...TrackingTally.mostEvents).map { Event(name: "n\($0)").line }
    let attributes = (0...TrackingTally.mostAttributes).map {
      Event(name: $0 % 2 == 0 ? "a" : "b", attributes: ["k\($0)": "1", "j\($0)": "1"]).line
    }
    let many = try fixture.log(names, "names.ndjson")
    let wide = try fixture.log(attributes, "attributes.ndjson")
    for jobs in [1, 3] {
      let first = #expect(throws: Failure.self) { _ = try Self.infer([many], jobs: jobs) }
      #expect(first?.why == "there are more than 10000 event names" && first?.kind == .limit)
      let second = #expect(throws: Failure.self) { _ = try Self.infer([wide], jobs: jobs) }
      #expect(second?.why == "a has more than 1000 different attributes")
    }
  }

  /// If there are too many findings, the first ones are kept whole, in whatever order they arrive.
  @Test func findingsAreBounded() {
    var one = TrackingFindings()
    var other = TrackingFindings()
    var random = RepeatableRandom(seed: 1)
    for number in (0..<3 * TrackingFindings.most).shuffled(using: &random) {
      let text = "\(number)"
      var row = TrackingCheck.Row()
      row.event = "e" + String(repeating: "0", count: 6 - text.count) + text
      (row.count, row.file) = (1, ["a", "b"][number % 2])
      for line in [4, 2, 9] {
        row.line = line
        if (number + line) % 2 == 0 { one.add(row) } else { other.add(row) }
      }
    }
    one.merge(other.rows.values, other.totals.map { (kind: $0.key, count: $0.value) })
    let check = TrackingCheck(one, plan: TrackingPlan(), showsValues: true)
    #expect(check.rows.count == TrackingFindings.most)
    #expect(check.rows.allSatisfy { $0.count == 3 && $0.line == 2 })
    #expect(check.rows.last?.event == "e009999" && check.rows.last?.file == "b")
    #expect(check.totals.map(\.count) == [9 * TrackingFindings.most])
    #expect(check.others == 6 * TrackingFindings.most)
  }

  /// Two paths that were equal as characters were one file, and the position of a finding depended
  /// on the lane that found it first.
  @Test func pathsOfFindingsAreComparedByTheirBytes() {
    let (composed, decomposed) = ("\u{E9}.ndjson", "e\u{301}.ndjson")
    for files in [[composed, decomposed], [decomposed, composed]] {
      var findings = TrackingFindings()
      for file in files {
        var row = TrackingCheck.Row()
        (row.event, row.count, row.file) = ("e", 1, file)
        row.line = file.precedes(decomposed) || decomposed.precedes(file) ? 1 : 2
        findings.add(row)
      }
      #expect(findings.rows.values.map { Array($0.file.utf8) } == [Array(decomposed.utf8)])
    }
  }

  @Test func numbersAreOrderedExactly() {
    let sorted: [PlanNumber] = [
      .double(-1e300), .int(.min), .double(-1.5), .int(-1), .int(0), .double(0.5),
      .int(9_007_199_254_740_992), .int(9_007_199_254_740_993), .double(9_007_199_254_740_994),
      .int(.max), .double(0x1p63), .double(1e300),
    ]
    for (index, one) in sorted.enumerated() {
      for (position, other) in sorted.enumerated() {
        #expect((one < other) == (index < position), "\(one) \(other)")
      }
    }
    #expect(PlanNumber.int(9_007_199_254_740_992) == .double(9_007_199_254_740_992))
  }
}
