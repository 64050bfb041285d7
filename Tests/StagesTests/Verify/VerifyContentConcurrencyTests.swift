import Foundation
@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Every fault in the contents of an output is found and has its own message, although lengths and
/// hashes fit.
@Suite struct VerifyContentConcurrencyTests {
  private static let profiles = ForgedOutput.part(0, of: RunFiles.profiles)
  private static let otherProfiles = ForgedOutput.part(1, of: RunFiles.profiles)
  private static let state = ForgedOutput.part(0, of: RunFiles.state)

  /// The problems after `file` was given other lines.
  private func problems(
    _ file: String, _ change: (inout [String]) throws -> Void
  ) throws -> [String] {
    let output = try ForgedOutput()
    try output.change(file, change)
    return try output.problems()
  }

  /// The problems after the first line of `file` that holds `old` was given `new` instead.
  private func problems(
    _ file: String, _ old: String, _ new: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String] {
    try problems(file) { lines in
      let line = try #require(
        lines.firstIndex { $0.contains(old) }, "\(old)", sourceLocation: sourceLocation)
      let range = try #require(lines[line].firstRange(of: old))
      lines[line].replaceSubrange(range, with: new)
    }
  }

  // MARK: Profiles

  @Test func aProfileThatIsMissing() throws {
    let found = try problems(Self.profiles) { $0.remove(at: 3) }
    #expect(found.count == 2)
    #expect(found[0].hasPrefix("\(RunFiles.totals): otherProfilesOfEvent "))
    #expect(found[1] == "report.json: otherProfiles 41, 40")
  }

  @Test func twoProfilesThatChangedPlaces() throws {
    #expect(
      try problems(Self.profiles) { $0.swapAt(2, 3) } == [
        "\(Self.profiles) (frame 0, line 4): outOfOrder"
      ])
    // At the end of a frame of seven lines: the frames are compared with each other.
    #expect(
      try problems(Self.profiles) { $0.swapAt(6, 7) } == [
        "\(Self.profiles) (frame 1, line 8): outOfOrder"
      ])
  }

  @Test func aProfileThatStandsThereTwice() throws {
    let found = try problems(Self.profiles) { $0.insert($0[0], at: 0) }
    #expect(found.first == "\(Self.profiles) (frame 0, line 2): repeatedKey")
  }

  @Test(arguments: [
    (#""opted_out":false"#, "badFlag opted_out"),
    (#""location":{"latitude":1,"longitude":2}"#, "badRegister location, point"),
    (
      #""location":{"latitude":1,"time":"2024-06-01T00:00:00.000Z"}"#, "badRegister location, point"
    ),
    (
      #""location":{"latitude":91,"longitude":2,"time":"2024-06-01T00:00:00.000Z"}"#,
      "badRegister location, point"
    ), (#""opted_out":true,"opted_out":true"#, "repeatedMember opted_out"),
  ])
  func aRegisterOfAnotherForm(_ member: String, _ problem: String) throws {
    let found = try problems(Self.profiles, "},\"first_seen\"", "},\(member),\"first_seen\"")
    #expect(found == ["\(Self.profiles) (frame 0, line 1): \(problem)"])
  }

  @Test func aProfileInTheWrongPart() throws {
    let output = try ForgedOutput()
    var moved = ""
    try output.change(Self.profiles) { moved = $0.removeLast() }
    try output.change(Self.otherProfiles) { $0.append(moved) }
    let found = try output.problems()
    #expect(found.contains { $0.contains("otherPart") && $0.hasSuffix(", 0, 1") })
  }

  @Test(arguments: [
    (#""custom_id":"user-"#, #""customer":"user-"#),
    (#""custom_id":"user-"#, #""x":1,"custom_id":"user-"#),
    (#""custom_id":"user-"#, #""custom_id":7,"x":"y"#),
    (#""custom_id":"user-"#, #""installation_id":"i","custom_id":"user-"#),
  ])
  func identifiersThatAreNone(_ old: String, _ new: String) throws {
    let found = try problems(Self.profiles, old, new)
    #expect(found == ["\(Self.profiles) (frame 0, line 1): badIdentifiers"])
  }

  @Test(arguments: [
    (#"{"id":"user-"#, #"{"id":"other-"#), (#""kind":"person""#, #""kind":"installation""#),
    (#"{"id":"#, #"{"last":1,"id":"#), (#","kind":"person""#, ""),
    (#""kind":"person","identifiers""#, #""identifiers""#),
  ])
  func aProfileThatDoesNotBeginWithItsIDAndKind(_ old: String, _ new: String) throws {
    let found = try problems(Self.profiles, old, new)
    #expect(found.contains { $0.hasSuffix("beginsWithoutID") })
  }

  @Test(arguments: [
    (#"["i1","i2"]"#, #"["i2","i1"]"#, "membersOutOfOrder installation_ids"),
    (#"["i1","i2"]"#, #"["i1","i1"]"#, "membersOutOfOrder installation_ids"),
    (#"["i1","i2"]"#, #"["i1",2]"#, "badInstallations installation_ids"),
    (#"["i1","i2"]"#, "[]", "badInstallations installation_ids"),
    (#""9":1,"age":"#, #""age":1,"9":"#, "membersOutOfOrder attributes"),
    (#""attributes":{"9":1,"age":4,"city":"x"}"#, #""attributes":{}"#, "noMembers attributes"),
    (#""attributes":"#, #""extra":1,"attributes":"#, "unknownMember extra"),
    (
      #""attributes":{"9":1,"age":4,"city":"x"}"#, #""attributes":{"a":1},"attributes":{"b":1}"#,
      "repeatedMember attributes"
    ),
  ])
  func membersThatAreNotAsTheyShouldBe(_ old: String, _ new: String, _ why: String) throws {
    let file = try personFile()
    let found = try problems(file, old, new)
    #expect(found.count == 1 && found[0].hasSuffix("): \(why)"), "\(found)")
  }

  /// The part with user-1, who has installations and attributes.
  private func personFile() throws -> String {
    let part = withByteView(of: "custom:user-1") { XXH64.hash($0) } % 2
    return part == 0 ? Self.profiles : Self.otherProfiles
  }

  @Test func timesOfAProfile() throws {
    let early = "2024-01-01T00:00:00.000Z"
    let output = try ForgedOutput()
    let line = try output.lines(Self.profiles)[0]
    let name = line.contains("\"bought\"") ? "bought" : "seen"
    let time = try #require(line.firstMatch(of: #/"first_seen":"([^"]*)"/#)?.output.1)
    // The event's last_seen comes before the profile's.
    #expect(
      try problems(Self.profiles, "\"last_seen\":\"\(time)\"", "\"last_seen\":\"\(early)\"") == [
        "\(Self.profiles) (frame 0, line 1): reversedTimes its event \(name)"
      ])
    #expect(
      try problems(
        Self.profiles, "},\"first_seen\":\"\(time)\"",
        "},\"first_seen\":\"2024-09-09T00:00:00.000Z\"")
        == [
          "\(Self.profiles) (frame 0, line 1): reversedTimes it",
          "\(Self.profiles) (frame 0, line 1): eventSeenOutside \(name)",
        ])
    #expect(
      try problems(Self.profiles, "},\"first_seen\":\"\(time)\"", "},\"first_seen\":\"2024-05-01\"")
        .first
        == "\(Self.profiles) (frame 0, line 1): badTimes it")
  }

  @Test func eventsOfAProfile() throws {
    let none = try problems(Self.profiles, #""count":1,"#, #""count":0,"#)
    #expect(none.count == 2 && none[0].contains("eventHasNoCount"))
    let many = try problems(Self.profiles, #""count":1,"#, #""count":999,"#)
    #expect(
      many.count == 1 && many[0].contains("fewerThanInProfiles") && many[0].contains(", 2")
        && many[0].contains(", 10")
    )
    let other = try problems(Self.profiles) {
      $0[0] = $0[0].replacing(#/"(bought|seen)":/#, with: "\"sold\":")
    }
    #expect(
      other.dropFirst() == [
        "\(RunFiles.totals): otherProfilesOfEvent sold, 0, 1",
        "\(RunFiles.totals): fewerThanInProfiles sold, 0, 1",
      ])
  }

  @Test func aLineThatIsNoProfile() throws {
    #expect(
      try problems(Self.profiles) { $0.insert("{\"a\"", at: 8) }.first
        == "\(Self.profiles) (frame 1, line 9): notAnObject")
    #expect(
      try problems(Self.profiles) { $0.insert("[]", at: 0) }.first
        == "\(Self.profiles) (frame 0, line 1): notAnObject")
  }

  // MARK: Changes

  @Test func changesOfAnOutput() throws {
    let changes = ForgedOutput.part(0, of: RunFiles.changes)
    func problems(_ change: (inout [String]) throws -> Void) throws -> [String] {
      let fixture = try RunFixture()
      let folded = #"{"identifiers":{"custom_id":"user-1","installation_id":"i9"},"name":"a","#
      let time = #""time":"2024-05-03T00:00:00Z"}"#
      try fixture.log(ForgedOutput.log.dropFirst(20) + [], "a.ndjson")
      try fixture.log(ForgedOutput.log.prefix(25) + [folded + time], "b.ndjson")
      func set(_ options: inout RunOptions) {
        options.snapshot.partitions = ForgedOutput.partitions
      }
      try fixture.run(["a.ndjson"], to: "before", set)
      try fixture.run(["b.ndjson"], to: "out", after: "before", set)
      let output = ForgedOutput(fixture)
      try output.change(changes, linesPerFrame: 3, change)
      return try output.problems()
    }
    func position(_ frame: Int, _ line: Int) -> String {
      "\(changes) (frame \(frame), line \(line))"
    }
    var count = 0
    #expect(try problems { count = $0.count } == [])
    #expect(count > 6)
    #expect(try problems { $0.swapAt(2, 3) } == ["\(position(1, 4)): outOfOrder"])
    #expect(
      try problems { $0[1] = $0[1].replacing("\"count\":1", with: "\"count\":7") }
        == ["\(position(0, 2)): otherChange"])
    #expect(
      try problems { $0[1] = $0[1].replacing(#/"change":"[a-z]+"/#, with: "\"change\":\"new\"") }
        == ["\(position(0, 2)): noChange"])
    // A profile that is published was not removed.
    #expect(
      try problems {
        $0[0] = $0[0].replacing(
          #/"change":"[a-z]+","profile":({"id":"[^"]*","kind":"[^"]*")/#,
          with: { "\"change\":\"removed\",\"profile\":\($0.output.1)" }
        ).replacing(#/,"identifiers":.*$/#, with: "}}")
      } == ["\(position(0, 1)): otherChange"])
  }

  // MARK: State

  /// The problems after frames of a part of the state were changed.
  private func stateProblems(
    _ change: (inout [[UInt8]]) throws -> Void
  ) throws -> [String] {
    let output = try ForgedOutput()
    try output.changeFrames(Self.state, change)
    return try output.fixture.problems(of: output.path).filter { $0.hasPrefix(Self.state) }
  }

  @Test func theHeaderOfAState() throws {
    let position = "\(Self.state) (frame 0)"
    func problems(_ old: String, _ new: String) throws -> [String] {
      try stateProblems { frames in
        let text = String(decoding: frames[0], as: UTF8.self)
        #expect(text.contains(old))
        frames[0] = Array(text.replacing(old, with: new).utf8)
      }
    }
    #expect(
      try problems(#""partition":0"#, #""partition":1"#)
        == ["\(position): headerOfOtherPart 0, 2"])
    #expect(
      try problems(#""eventmill_state":"#, #""eventmill_status":"#) == ["\(position): badHeader"])
    #expect(
      try problems(#""eventmill_state":\#(StateHeader.version)"#, #""eventmill_state":1"#)
        == ["\(position): otherStateFormat 1, \(StateHeader.version)"])
    #expect(try stateProblems { $0.removeFirst() }.first == "\(position): badHeader")
  }

  /// The positions of the states of a frame.
  private static func positions(of states: [UInt8]) -> [Range<Int>] {
    withByteView(of: states) { bytes in
      var positions: [Range<Int>] = []
      var end = 0
      let names = Int(bytes.word32(at: bytes.count - StateText.trailerLength))
      while end < names {
        let start = end
        _ = KeyState(bytes[0..<names], at: &end)
        positions.append(start..<end)
      }
      return positions
    }
  }

  @Test func keysOfAState() throws {
    // The ids of anonymous events come first, then people.
    let people = 2
    let position = "\(Self.state) (frame \(people)"
    let swapped = try stateProblems { frames in
      let (first, second) = (
        Self.positions(of: frames[people])[0], Self.positions(of: frames[people])[1]
      )
      let states = Array(frames[people][second] + frames[people][first])
      frames[people].replaceSubrange(first.lowerBound..<second.upperBound, with: states)
    }
    #expect(swapped.contains { $0.hasPrefix(position) && $0.hasSuffix(": badState") }, "\(swapped)")
    let kind = try stateProblems { frames in
      let position = try #require(frames[people].firstRange(of: Array("custom:".utf8)))
      frames[people].replaceSubrange(position, with: Array("eustom:".utf8))
    }
    #expect(kind.contains { $0.hasPrefix(position) && $0.hasSuffix(": badState") }, "\(kind)")
    let cut = try stateProblems { $0[people].removeLast() }
    #expect(cut.contains { $0.hasPrefix(position) && $0.hasSuffix(": noStates") }, "\(cut)")
    let other = try stateProblems { frames in
      let ids = Self.positions(of: frames[1])
      frames[1].replaceSubrange(ids[0], with: frames[1][ids[0]] + frames[1][ids[0]])
      let position = frames[1].count - StateText.trailerLength
      for byte in 0..<4 {
        frames[1][position + byte] = UInt8(
          truncatingIfNeeded: (ids[ids.count - 1].upperBound + ids[0].count) >> (8 * byte))
      }
    }
    #expect(other.contains { $0.contains("(frame 1") && $0.hasSuffix(": repeatedKey") }, "\(other)")
  }

  @Test func keysOfAnotherPart() throws {
    let output = try ForgedOutput()
    for folder in [RunFiles.profiles, RunFiles.state] {
      var moved: [[UInt8]] = []
      try output.changeFrames(ForgedOutput.part(1, of: folder)) { moved = $0 }
      try output.changeFrames(ForgedOutput.part(0, of: folder)) { frames in
        frames[1...] = moved[1...]
      }
    }
    #expect(try output.problems().contains { $0.contains("otherPart") && $0.hasSuffix(", 1, 0") })
  }

  /// The next run refuses a state with a name that its totals do not have.
  @Test func anAttributeThatOnlyTheStateHas() throws {
    let output = try ForgedOutput()
    for part in 0..<ForgedOutput.partitions {
      try output.changeFrames(ForgedOutput.part(part, of: RunFiles.state)) { frames in
        for frame in frames.indices {
          guard let name = frames[frame].lastRange(of: Array("city".utf8)) else { continue }
          frames[frame].replaceSubrange(name, with: Array("cite".utf8))
        }
      }
    }
    #expect(try output.problems().contains("\(RunFiles.totals): otherAttribute cite"))
  }

  /// Totals that the next run cannot read are named with their line.
  @Test(arguments: [
    (#""profiles":"#, #""profile":"#, "a total has an unknown field"),
    (#""last":"#, #""least":"#, "a day has an unknown field"),
    (#"{"attribute":"#, #"{"attributes":"#, "the line has an unknown kind"),
    ("[[19844,", "[[5,", "the line has an unknown kind"),
    (#""eventmill_state":"#, #""state":"#, "the first line is not a header of this format"),
  ])
  func totalsThatCannotBeRead(_ old: String, _ new: String, why: String) throws {
    let lines = try ForgedOutput().lines(RunFiles.totals)
    let line = try #require(lines.firstIndex { $0.contains(old) }) + 1
    #expect(
      try problems(RunFiles.totals, old, new)
        == ["\(RunFiles.totals) (line \(line)): unreadable \(why)"])
  }

  /// The totals decide what counts hold, and profiles and keys what totals hold.
  @Test func totalsOfAState() throws {
    let file = RunFiles.totals
    let days = try ForgedOutput().lines(RunFiles.dailyCounts).count
    let differs = { (file: String, line: Int) in "\(file) (line \(line)): otherThanState" }
    #expect(try problems(file) { $0.swapAt(1, 2) } == [differs(file, 2)])
    #expect(try problems(file, #""partitions":2"#, #""partitions":3"#) == [differs(file, 1)])
    #expect(
      try problems(file, #""event":"seen","count":"#, #""event":"seen","count":9"#)
        == [differs(RunFiles.countsJSON, 3), differs(RunFiles.countsCSV, 4)]
        + [differs(RunFiles.dailyCounts, days + 1), "report.json: otherEvents 43, accepted, 943"])
    #expect(
      try problems(file, #""profiles":20"#, #""profiles":19"#) == [
        "\(file): otherProfilesOfEvent bought, 19, 20", differs(RunFiles.countsJSON, 1),
        differs(RunFiles.countsCSV, 2),
      ])
    let people = "{\"active\":\"days\",\"people\":[[19844,"
    #expect(
      try problems(file, people, people + "1") == [
        differs(file, 2), differs(RunFiles.dailyCounts, 3),
      ])
  }

  // MARK: Counts

  /// Any change of a file of counts is found at its line.
  @Test(arguments: [RunFiles.countsJSON, RunFiles.countsCSV, RunFiles.dailyCounts])
  func countsThatDifferFromTheState(_ file: String) throws {
    let lines = try ForgedOutput().lines(file)
    for line in lines.indices {
      let changed = try problems(file) { $0[line].append(" ") }
      #expect(changed == ["\(file) (line \(line + 1)): otherThanState"])
    }
    let last = "\(file) (line \(lines.count + 1)): otherThanState"
    #expect(try problems(file) { $0.append($0[0]) } == [last])
    #expect(
      try problems(file) { _ = $0.popLast() } == [
        last.replacing("\(lines.count + 1)", with: "\(lines.count)")
      ])
    #expect(try problems(file) { $0.swapAt(0, 1) } == ["\(file) (line 1): otherThanState"])
  }

  /// A byte order mark, and a line end that is missing, are in no line.
  @Test func countsWithOtherBytesAround() throws {
    for change in [{ $0 = [0xEF, 0xBB, 0xBF] + $0 }, { $0.removeLast() }]
      as [(inout [UInt8]) -> Void]
    {
      let output = try ForgedOutput()
      try output.damage(RunFiles.countsJSON, change)
      try output.list(RunFiles.countsJSON)
      #expect(try output.problems() == ["event_counts.ndjson (line 4): otherThanState"])
    }
  }

  // MARK: Rejects

  @Test func rejectsThatChangedPlaces() throws {
    #expect(
      try problems(RunFiles.rejects) { $0.swapAt(0, 1) } == [
        "rejects.ndjson.zst (frame 0, line 2): outOfOrder"
      ])
  }

  @Test func aRejectThatIsMissing() throws {
    let found = try problems(RunFiles.rejects) { $0.removeLast() }
    #expect(found.count == 2)
    #expect(found[0] == "report.json: otherRejects 4, 3")
    #expect(found[1].hasSuffix("b.ndjson, 1, rejected event, 0"))
  }

  @Test(arguments: [
    (#""source":"/"#, #""source":"no/"#, "rejectOfNoInput"),
    (#""line":47"#, #""line":470"#, "rejectOfNoLine 470, 49"),
    (#""scope":"event""#, #""scope":"events""#, "badEntry its scope is"),
    (#""raw":"#, #""row":"#, "badEntry it must have either raw or raw_base64"),
    (#""reasons":["#, #""reasons":[],"x":["#, "rejectWithoutReason"),
    (#""code":"#, #""cod":"#, "rejectWithoutReason"),
  ])
  func aRejectThatIsNone(_ old: String, _ new: String, _ why: String) throws {
    let found = try problems(RunFiles.rejects, old, new)
    #expect(found.first?.hasPrefix("rejects.ndjson.zst (frame 0, line 1): ") == true)
    #expect(found.first?.contains(why) == true, "\(found)")
  }

  // MARK: Report

  /// The problems after a text of the report was replaced.
  private func problems(ofReport old: Regex<Substring>, _ new: String) throws -> [String] {
    let output = try ForgedOutput()
    try output.fixture.scratch.edit("out/report.json") { text in
      let range = try #require(text.firstRange(of: old))
      return text.replacingCharacters(in: range, with: new)
    }
    return try output.problems()
  }

  @Test func equationsOfTheLedger() throws {
    // The first ledger is the total.
    let lines = try problems(ofReport: #/"blank": 1/#, "\"blank\": 2")
    #expect(
      lines == [
        "report.json: unbalancedLedger 51 lines were read, but 2 blank, 48 records and 2 rejected lines were counted",
        "report.json: ledgerIsNotTheSum",
      ])
    let events = try problems(ofReport: #/"accepted": 43/#, "\"accepted\": 42")
    #expect(events.count == 3 && events[0].contains("46 events were read, but 42 accepted"))
    #expect(events[2].contains("otherEvents 42, accepted, 43"))
    let operations = try problems(ofReport: #/"applied": 4/#, "\"applied\": 5")
    #expect(
      operations.count == 2 && operations[0].contains("4 operations were read, but 5 applied"))
    let duplicates = try problems(ofReport: #/"duplicates": 1/#, "\"duplicates\": 2")
    #expect(duplicates.count == 3 && duplicates[2].contains("otherEvents 2, duplicates"))
  }

  @Test func inputsOfTheReport() throws {
    let missing = try problems(
      ofReport: #/a.ndjson",\n *"compression"/#, "x.ndjson\",\"compression\"")
    #expect(missing.contains("report.json: otherInputs"))
    let profiles = try problems(ofReport: #/"profiles": 41/#, "\"profiles\": 40")
    #expect(profiles == ["report.json: otherProfiles 40, 41"])
    let names = try problems(ofReport: #/"event_names": 3/#, "\"names\": 3")
    #expect(names == ["report.json: otherNames missing, 3"])
    #expect(
      try problems(ofReport: #/"entries": 4/#, "\"entries\": 3") == [
        "report.json: otherRejects 3, 4"
      ])
  }

  @Test func aReportWithoutALedger() throws {
    let found = try problems(ofReport: #/"ledger"/#, "\"ledge\"")
    #expect(found == ["report.json: noLedger"])
    let none = try problems(ofReport: #/{/#, "")
    #expect(none.count == 1 && none[0].hasPrefix("report.json: unreadableDocument it is not JSON"))
  }

  /// After an earlier night the counts hold more than this run accepted, but never less.
  @Test func countsOfLaterNights() throws {
    let output = try ForgedOutput()
    try output.fixture.log([Sample.event("user-1", "seen", day: 9)], "c.ndjson")
    try output.fixture.run(["c.ndjson"], to: "next") { $0.merge.previous = output.path }
    #expect(try output.fixture.problems(of: output.fixture.scratch("next")) == [])
    let text = try output.fixture.scratch.text("next/report.json")
    try output.fixture.scratch.write(
      text.replacing(#/"accepted": 1/#, with: "\"accepted\": 99"),
      to: "next/report.json")
    #expect(
      try output.fixture.problems(of: output.fixture.scratch("next")).contains(
        "report.json: fewerEvents 99, accepted, 44"))
  }
}
