@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// Two outputs compared, and the same with dictionaries of all their lines.
@Suite struct DiffJobTests {
  /// How a pair of outputs is made.
  struct Pair: CustomTestStringConvertible, Sendable {
    let seed: UInt64
    /// Parts of the earlier and of the later output.
    let partitions: (Int, Int)
    let change: @Sendable (inout RunOptions) -> Void
    var testDescription: String { "seed \(seed), \(partitions)" }

    init(
      _ seed: UInt64, _ partitions: (Int, Int),
      _ change: @escaping @Sendable (inout RunOptions) -> Void = { _ in }
    ) {
      (self.seed, self.partitions, self.change) = (seed, partitions, change)
    }

    static let all = [
      Pair(1, (1, 1)), Pair(2, (3, 3)), Pair(3, (1, 4)), Pair(4, (4, 6)),
      Pair(5, (2, 3)) { $0.snapshot.stitch = .none },
      Pair(6, (1, 1)) { $0.snapshot.dedupeDays = 7 },
      Pair(7, (6, 2)) { $0.snapshot.withValues = false },
    ]
  }

  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  private func diff(
    _ old: String, _ new: String, _ body: ((ProfileChange) throws(Failure) -> Void)? = nil
  ) throws(Failure) -> DiffOutcome {
    try DiffJob(fixture.scratch(old), fixture.scratch(new), control: JobControl()).run(body)
  }

  /// Enough people for many frames. No later night changes most of them.
  private static func crowd() -> [String] {
    (0..<1500).map { number in
      let time = "2024-05-01T00:00:00Z"
      return number % 3 == 0
        ? #"{"identifiers":{"custom_id":"p\#(number)"},"time":"\#(time)","attributes":{"size":\#(number)}}"#
        : #"{"custom_id":"p\#(number)","name":"event_1","time":"\#(time)"}"#
    }
  }

  /// Lines about the crowd that give its attributes other types, new attributes, and none.
  private static func changes(_ seed: UInt64) -> [String] {
    let attributes = [
      #""size":"big""#, #""size":1.5"#, #""news":true"#, #""size":null"#, #""date(size)":5"#,
    ]
    return (0..<4).map { index in
      let attribute = attributes[(index + Int(seed)) % attributes.count]
      return #"{"identifiers":{"custom_id":"p\#(300 * index + Int(seed))"},"#
        + #""time":"2024-05-02T00:00:00Z","attributes":{\#(attribute)}}"#
    }
  }

  @Test func aCancelledComparisonEnds() throws {
    try fixture.log(["a", "b"].map { Sample.event($0, "seen") }, "1.ndjson")
    try fixture.log(["a", "b"].map { Sample.event($0, "other") }, "2.ndjson")
    for (log, output) in [("1.ndjson", "one"), ("2.ndjson", "two")] {
      try fixture.run([log], to: output)
    }
    let control = JobControl()
    #expect(throws: Sample.stop) {
      try DiffJob(fixture.scratch("one"), fixture.scratch("two"), control: control).run { _ in
        control.cancel(Sample.stop)
      }
    }
  }

  @Test(arguments: Effort.first(5, of: Pair.all))
  func differencesAreThoseOfAllLines(_ pair: Pair) throws {
    var log = RandomLog(seed: pair.seed, tellsPrivacy: true)
    try fixture.log(Self.crowd() + log.lines(60), "1.ndjson")
    try fixture.log(log.lines(25) + Self.changes(pair.seed), "2.ndjson")
    try fixture.run(["1.ndjson"], to: "a") { options in
      options.snapshot.partitions = pair.partitions.0
      pair.change(&options)
    }
    try fixture.run(["2.ndjson"], to: "b", after: "a") { options in
      options.snapshot.partitions = pair.partitions.1
      pair.change(&options)
    }
    let (old, new) = (try Naive("a", fixture), try Naive("b", fixture))
    for (from, to) in [(old, new), (new, old)] {
      var changes: [String: ProfileChange] = [:]
      let outcome = try diff(from.output, to.output) { changes["\($0.owner) \($0.id)"] = $0 }
      #expect(!outcome.isEqual)
      expectProfiles(outcome, changes, from, to)
      expectNames(outcome, from, to)
      expectDays(outcome.days, from, to)
    }
  }

  /// The names whose values differ, sorted.
  private func differing<Value: Equatable>(
    _ old: [String: Value], _ new: [String: Value]
  ) -> [String] {
    Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
  }

  private func expectProfiles(
    _ outcome: DiffOutcome, _ changes: [String: ProfileChange], _ old: Naive, _ new: Naive
  ) {
    var kinds: [String: ProfileChange.Kind] = [:]
    for name in differing(old.lines, new.lines) {
      kinds[name] =
        old.lines[name] == nil ? .added : new.lines[name] == nil ? .gone : .changed
    }
    #expect(changes.mapValues(\.kind) == kinds)
    let counts = outcome.profiles
    for (kind, count) in [
      (ProfileChange.Kind.added, counts.added), (.gone, counts.gone), (.changed, counts.changed),
    ] { #expect(kinds.values.count { $0 == kind } == count, "\(kind)") }
    #expect(counts.equal == old.lines.count - counts.gone - counts.changed)
    for (name, change) in changes where change.kind == .changed {
      guard let from = old.profiles[name], let to = new.profiles[name] else { continue }
      let fields = Naive.differences(from, to, "")
      #expect(Set(change.fields.map(\.path)) == Set(fields.keys), "\(name)")
      for field in change.fields {
        #expect(field.old.flatMap { try? NaiveJSON(parsing: $0) } == fields[field.path]?.old)
        #expect(field.new.flatMap { try? NaiveJSON(parsing: $0) } == fields[field.path]?.new)
      }
    }
  }

  private func expectNames(_ outcome: DiffOutcome, _ old: Naive, _ new: Naive) {
    #expect(outcome.events.map(\.name) == differing(old.events, new.events))
    for event in outcome.events {
      #expect(event.old?.count == old.events[event.name]?["count"]?.integer)
      #expect(event.new?.profiles == new.events[event.name]?["profiles"]?.integer)
    }
    #expect(outcome.attributes.map(\.name) == differing(old.types, new.types))
    for attribute in outcome.attributes {
      #expect(Set(attribute.old) == old.types[attribute.name] ?? [])
      #expect(Set(attribute.new) == new.types[attribute.name] ?? [])
    }
    #expect(outcome.rejects.map(\.code) == differing(old.rejects, new.rejects))
    for (code, count) in outcome.rejects {
      #expect(count == Change(old.rejects[code] ?? 0, new.rejects[code] ?? 0))
    }
    let total = outcome.totals.first { $0.name == "events" }?.count
    #expect(total == Change(old.eventCount, new.eventCount))
  }

  private func expectDays(_ changes: DailyChanges?, _ old: Naive, _ new: Naive) {
    guard let changes else {
      Issue.record("both outputs have days")
      return
    }
    let days = differing(old.days, new.days)
    #expect(changes.days.map(\.name) == days)
    #expect(changes.equal == Set(old.days.keys).union(new.days.keys).count - days.count)
    for day in changes.days {
      #expect(day.old == old.days[day.name].map(Naive.figures), "\(day.name)")
      #expect(day.new == new.days[day.name].map(Naive.figures), "\(day.name)")
    }
    for (found, before, after) in [
      (changes.weeks, old.weeks, new.weeks), (changes.months, old.months, new.months),
    ] {
      #expect(found.map(\.name) == differing(before, after))
      for (name, active) in found {
        #expect(active == Change(before[name] ?? 0, after[name] ?? 0))
      }
    }
  }

  @Test func anOutputWithoutDaysDiffersFromOneWithDays() throws {
    try fixture.log(Self.crowd(), "1.ndjson")
    try fixture.run(["1.ndjson"], to: "a")
    try fixture.run(["1.ndjson"], to: "b") { $0.snapshot.withDays = false }
    let outcome = try diff("a", "b")
    #expect(!outcome.isEqual && outcome.profiles.differing == 0)
    #expect(outcome.days?.isCounted.old == true && outcome.days?.isCounted.new == false)
    #expect(outcome.days?.days.isEmpty == true)
    let neither = try diff("b", "b")
    #expect(neither.isEqual && neither.days == nil)
  }

  @Test func anOutputEqualsItselfInOtherParts() throws {
    var log = RandomLog(seed: 8, tellsPrivacy: true)
    try fixture.log(Self.crowd() + log.lines(100), "1.ndjson")
    for partitions in [1, 3, 4] {
      try fixture.run(["1.ndjson"], to: "out-\(partitions)") {
        $0.snapshot.partitions = partitions
        $0.publish.level = partitions
      }
    }
    for (old, new) in [("out-1", "out-1"), ("out-1", "out-3"), ("out-4", "out-3")] {
      let outcome = try diff(old, new) { _ in Issue.record("a profile differs") }
      #expect(outcome.isEqual)
      #expect(outcome.profiles.equal == (try fixture.lines(of: "profiles", in: old).count))
    }
  }

  @Test func aDamagedOutputIsAnError() throws {
    try fixture.log(Self.crowd(), "1.ndjson")
    try fixture.run(["1.ndjson"], to: "a")
    try fixture.run(["1.ndjson"], to: "b") { $0.publish.level = 3 }
    let part = "b/profiles/part-00000-of-00001.ndjson.zst"
    func failure() -> Failure? { Failure.of(try diff("a", "b")) }
    try fixture.scratch.damage(part)
    #expect(failure()?.kind == .corrupt && failure()?.path?.hasSuffix(part) == true)
    try fixture.scratch.change(part) { $0.removeLast(9) }
    #expect(failure()?.kind == .corrupt)
    try fixture.scratch.remove("b/manifest.json")
    #expect(failure()?.kind == .usage)
  }

  @Test(arguments: [
    "profiles/part-00000-of-00001.ndjson.zst", "event_counts.ndjson", "event_counts.csv",
    "daily_counts.ndjson", "rejects.ndjson.zst",
  ])
  func aDamagedFileThatBothHaveIsAnError(_ name: String) throws {
    try fixture.log(Self.crowd(), "1.ndjson")
    for output in ["a", "b"] { try fixture.run(["1.ndjson"], to: output) }
    let whole = try fixture.scratch.bytes("b/\(name)")
    var flipped = whole
    flipped[whole.count / 2] ^= 1
    for damaged in [flipped, whole.dropLast(), nil] {
      if let damaged {
        try fixture.scratch.write(damaged, to: "b/\(name)")
      } else {
        try fixture.scratch.remove("b/\(name)")
      }
      for (old, new) in [("a", "b"), ("b", "a")] {
        let failure = Failure.of(try diff(old, new))
        #expect(failure?.kind == .corrupt && failure?.path?.hasSuffix(name) == true)
      }
    }
  }
}

/// An output as dictionaries of all that its files hold.
private struct Naive {
  let output: String
  /// By kind and id: each profile, and its line.
  var profiles: [String: NaiveJSON] = [:]
  var lines: [String: String] = [:]
  var events: [String: NaiveJSON] = [:]
  /// The types of each attribute.
  var types: [String: Set<String>] = [:]
  var rejects: [String: Int] = [:]
  /// The lines of each day of `daily_counts.ndjson`.
  var days: [String: [NaiveJSON]] = [:]
  var weeks: [String: Int] = [:]
  var months: [String: Int] = [:]

  init(_ output: String, _ fixture: RunFixture) throws {
    self.output = output
    for path in try fixture.scratch.files(below: output) where path.hasPrefix("profiles/") {
      for line in try fixture.text("\(output)/\(path)").split(separator: 0x0A) {
        let profile = try NaiveJSON(parsing: Array(line))
        let name = try "\(#require(profile["kind"]?.text)) \(#require(profile["id"]?.text))"
        profiles[name] = profile
        lines[name] = String(decoding: line, as: UTF8.self)
        for member in Self.members(profile["attributes"]) { add(member) }
      }
    }
    for line in try fixture.lines("\(output)/event_counts.ndjson") {
      events[try #require(line["name"]?.text)] = line
    }
    for line in try fixture.lines("\(output)/daily_counts.ndjson") {
      if let day = line["day"]?.text { days[day, default: []].append(line) }
      if let week = line["week"]?.text { weeks[week] = line["active"]?.integer }
      if let month = line["month"]?.text { months[month] = line["active"]?.integer }
    }
    for entry in try fixture.lines("\(output)/rejects.ndjson.zst") {
      for code in (entry["reasons"]?.items ?? []).compactMap({ $0["code"]?.text }) {
        rejects[code, default: 0] += 1
      }
    }
  }

  var eventCount: Int { events.values.reduce(0) { $0 + ($1["count"]?.integer ?? 0) } }

  /// The sums of a day.
  static func figures(_ lines: [NaiveJSON]) -> DailyChanges.Figures {
    var figures = DailyChanges.Figures()
    for line in lines {
      figures.events += line["count"]?.integer ?? 0
      guard let new = line["new"]?.integer else { continue }
      (figures.active, figures.new) = (line["active"]?.integer ?? 0, new)
    }
    return figures
  }

  private mutating func add(_ member: NaiveJSON.Member) {
    let isTyped = member.name.hasSuffix(")")
    let name = isTyped ? member.name.dropLast().split(separator: "(")[1] : Substring(member.name)
    let type =
      switch member.value {
      case _ where isTyped: String(member.name.prefix { $0 != "(" })
      case .array: "array"
      case .bool: "boolean"
      case .number(let text): text.contains { ".eE".contains($0) } ? "double" : "integer"
      default: "string"
      }
    types[String(name), default: []].insert(type)
  }

  private static func members(_ value: NaiveJSON?) -> [NaiveJSON.Member] {
    guard case .object(let members)? = value else { return [] }
    return members
  }

  /// The fields that differ, by path.
  static func differences(
    _ old: NaiveJSON, _ new: NaiveJSON, _ path: String
  ) -> [String: (old: NaiveJSON?, new: NaiveJSON?)] {
    let isOpen =
      ["", "identifiers", "attributes", "events"].contains(path)
      || path.split(separator: ".").count == 2 && path.hasPrefix("events.")
    guard isOpen else { return old == new ? [:] : [path: (old, new)] }
    var found: [String: (old: NaiveJSON?, new: NaiveJSON?)] = [:]
    for name in Set((members(old) + members(new)).map(\.name)) {
      let place = path.isEmpty ? name : "\(path).\(name)"
      switch (old[name], new[name]) {
      case (let a?, let b?): found.merge(differences(a, b, place)) { $1 }
      case (let a, let b): found[place] = (a, b)
      }
    }
    return found
  }
}
