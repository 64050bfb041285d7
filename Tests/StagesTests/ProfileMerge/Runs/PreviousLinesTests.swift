import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct PreviousLinesTests {
  private static let start = RandomHistory.start

  /// Every odd id as an installation, linked to every odd person in turn; some not linked at all.
  @Test func theirPersonIsFoundWhateverTheIDs() throws {
    var steps: [Step] = []
    var expected: [String: String] = [:]
    for (number, id) in RandomHistory.oddIDs.enumerated() {
      let installation = "install:\(id)"
      let person = RandomHistory.oddIDs[(number * 7 + 3) % RandomHistory.oddIDs.count]
      if number % 4 == 3 {
        // Items and values that look like links.
        steps += [
          Step(
            kind: .addItem, key: installation, name: "link", time: Self.start,
            value: "},\"link\":{\"custom_id\":\"x"),
          Step(
            kind: .set, key: installation, name: "custom_id", time: Self.start,
            value: quoted("\"link\":{\"custom_id\":\"x\",\"time\":1714521600000}}")),
        ]
        continue
      }
      expected[installation] = "custom:\(person)"
      steps.append(Step(kind: .link, key: installation, time: Self.start, value: person))
      steps.append(Step(kind: .touch, key: "custom:\(person)"))
      switch number % 3 {
      case 0: steps.append(Step(kind: .touch, key: installation))
      case 1:
        steps.append(
          Step(
            kind: .event, key: installation, name: "link", time: Self.start,
            value: #"{"link":{"custom_id":"x"}}"#))
      default: break
      }
    }
    let fixture = try PreviousFixture(steps)
    var lines = PreviousLines(fixture.plan)
    var count = 0
    for line in fixture.stateLines {
      try withByteView(of: line) { line in
        let state = try lines.state(of: line)
        let key = state.key.text
        #expect(state.link?.target.text == expected[key], "\(key)")
        guard KeySection(of: state.key) == .install else { return }
        count += 1
        let person = lines.person(of: line)?.text
        #expect(person == expected[key], "\(key)")
      }
    }
    #expect(count == RandomHistory.oddIDs.count)
  }

  @Test func idsExpireByTheTimeOfTheirEvents() throws {
    let day = 86_400_000
    func event(_ key: String, _ time: Int) -> Step {
      Step(kind: .event, key: key, name: "a", time: Self.start + time, id: "e")
    }
    let steps = [
      event("custom:old", 0), event("custom:young", day), event("custom:both", 0),
      event("custom:both", day),
      Step(kind: .event, key: "custom:none", name: "ids", time: Self.start),
      Step(kind: .set, key: "custom:attribute", name: "ids", time: Self.start, value: "1"),
    ]
    let late = Step(kind: .event, key: "", name: "a", time: Self.start + day + 1)
    func expired(_ fixture: PreviousFixture) throws -> [String] {
      var lines = PreviousLines(fixture.plan)
      return try fixture.stateLines.filter { line in
        let oldest = try withByteView(of: line) { try lines.oldestID(of: $0) }
        return oldest != .max && oldest < fixture.plan.oldestID
      }.map { String($0.dropFirst(15).prefix { $0 != "\"" }) }
    }
    #expect(try expired(PreviousFixture(steps, days: 1)) == [])
    #expect(try expired(PreviousFixture(steps, next: [late], days: 1)) == ["both", "old"])
    #expect(try expired(PreviousFixture(steps, next: [late], days: 2)) == [])
    // Whoever asks for none any more has all forgotten, at the price of looking at all that may be.
    #expect(
      Set(try expired(PreviousFixture(steps, days: 1, laterDays: 0)))
        == ["attribute", "both", "none", "old", "young"])
    // A state without ids has none that could.
    #expect(try expired(PreviousFixture(steps, next: [late], days: 0, laterDays: 1)) == [])
  }

  @Test func theOldestIDIsThatOfAllEvents() throws {
    let steps = [(3, "a"), (1, "b"), (2, "c")].map { time, name in
      Step(kind: .event, key: "custom:u", name: name, time: Self.start + time, id: "e\(time)")
    }
    let fixture = try PreviousFixture(steps, days: 1)
    var lines = PreviousLines(fixture.plan)
    let line = try #require(fixture.stateLines.first { $0.contains("custom:u") })
    let oldest = try withByteView(of: line) { try lines.oldestID(of: $0) }
    #expect(oldest == Self.start + 1)
  }

  @Test func onlyPeopleMayHaveChangedWithoutNews() throws {
    let fixture = try PreviousFixture([Step(kind: .touch, key: "custom:7")])
    var plan = fixture.plan
    plan.persons.insert(hash("custom:7"))
    let lines = PreviousLines(plan)
    let touched = [KeySection.custom, .install].map { lines.mayBeTouched("custom:7", $0) }
    #expect(touched == [true, false])
    let others = PreviousLines(fixture.plan)
    let isTouched = others.mayBeTouched("custom:7", .custom)
    #expect(!isTouched)
  }

  @Test func aReplacedProfileIsTakenOutOfTheCounts() throws {
    let names = ["a", "b", "events", "count"]
    let fixture = try PreviousFixture(
      names.map { Step(kind: .event, key: "custom:u", name: $0, time: Self.start) })
    var lines = PreviousLines(fixture.plan)
    var tally = SnapshotTally()
    for name in names.indices { tally.add(5, UInt32(name)) }
    let profile =
      #"{"id":"u","kind":"person","identifiers":{"custom_id":"u"},"attributes":{"events":["a"]},"events":{"a":{"count":3},"#
      + #""events":{"count":1,"value":{"events":{"b":1}}}},"first_seen":"x"}"# + "\n"
    try withByteView(of: profile) { try lines.uncount($0, from: &tally) }
    let events = fixture.plan.names.events
    var left: [String: Int] = [:]
    for number in 0..<UInt32(events.count) {
      left[events[number].text] = tally.profiles(with: number)
    }
    #expect(left == ["a": 4, "b": 5, "events": 4, "count": 5])
    for damaged in ["[]\n", "{\n", "\n"] {
      let failure = #expect(throws: Failure.self) {
        try withByteView(of: damaged) { try lines.uncount($0, from: &tally) }
      }
      #expect(failure?.kind == .corrupt)
    }
  }

  /// Names that the totals do not list would have no numbers in the tables of the output.
  @Test func aLineWithAnotherNameIsCorrupt() throws {
    let fixture = try PreviousFixture([
      Step(kind: .event, key: "custom:u", name: "a", time: Self.start)
    ])
    var lines = PreviousLines(fixture.plan)
    for line in [
      #"{"key":"custom:u","events":{"b":{"last":1714521600000}},"last":1714521600000}"#,
      #"{"key":"custom:u","attributes":{"k":{"time":1714521600000,"unset":true}}}"#, "{}", "[]",
      "{",
    ] {
      let failure = #expect(throws: Failure.self) {
        try withByteView(of: line + "\n") { _ = try lines.state(of: $0) }
      }
      #expect(failure?.kind == .corrupt, "\(line)")
    }
  }
}
