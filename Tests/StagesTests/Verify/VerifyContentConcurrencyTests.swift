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
  private static let totals = RunFiles.totals
  private static let rejects = RunFiles.rejects

  // MARK: Lines

  /// Profiles that are missing, in the wrong place, or not what a run writes.
  private static let forgedProfiles = [
    Forgery(
      profiles, "\(totals): otherProfilesOfEvent …", "report.json: otherProfiles 41, 40",
      lines: { $0.remove(at: 3) }),
    Forgery(profiles, "(frame 0, line 4): outOfOrder", lines: { $0.swapAt(2, 3) }),
    // At the end of a frame of seven lines: the frames are compared with each other.
    Forgery(profiles, "(frame 1, line 8): outOfOrder", lines: { $0.swapAt(6, 7) }),
    Forgery(
      profiles, "(frame 0, line 2): repeatedKey", "\(totals): otherProfilesOfEvent seen, 21, 22",
      "\(totals): fewerThanInProfiles seen, 21, 22", "report.json: otherProfiles 41, 42",
      lines: { $0.insert($0[0], at: 0) }),
    Forgery(
      profiles, "(frame 1, line 9): notAnObject", "report.json: otherProfiles 41, 42",
      lines: { $0.insert("{\"a\"", at: 8) }),
    Forgery(
      profiles, "(frame 0, line 1): notAnObject", "report.json: otherProfiles 41, 42",
      lines: { $0.insert("[]", at: 0) }),
    Forgery(
      "\(otherProfiles) (frame 2, line 21): otherPart install:i9, 0, 1",
      by: { output in
        var moved = ""
        try output.change(profiles) { moved = $0.removeLast() }
        try output.change(otherProfiles) { $0.append(moved) }
      }),
    Forgery(
      profiles, #""count":1,"#, to: #""count":0,"#, "(frame 0, line 1): eventHasNoCount seen",
      "\(totals): otherProfilesOfEvent seen, 21, 20"),
    Forgery(
      profiles, #""count":1,"#, to: #""count":999,"#,
      "\(totals): fewerThanInProfiles seen, 21, 1019"),
    Forgery(
      profiles, "\(totals): otherProfilesOfEvent seen, 21, 20",
      "\(totals): otherProfilesOfEvent sold, 0, 1",
      "\(totals): fewerThanInProfiles sold, 0, 1",
      lines: { $0[0] = $0[0].replacing(#/"(bought|seen)":/#, with: "\"sold\":") }),
  ]

  private static let forgedRegisters = [
    (#""opted_out":false"#, "badFlag opted_out"),
    (#""location":{"latitude":1,"longitude":2}"#, "badRegister location, point"),
    (#""location":{"latitude":1,"time":\#(june)}"#, "badRegister location, point"),
    (#""location":{"latitude":91,"longitude":2,"time":\#(june)}"#, "badRegister location, point"),
    (#""opted_out":true,"opted_out":true"#, "repeatedMember opted_out"),
  ].map { ("},\"first_seen\"", "},\($0),\"first_seen\"", $1) }

  /// The beginning of the first profile, and its registers.
  private static let forgedBeginnings =
    ([
      (#""custom_id":"user-"#, #""customer":"user-"#, "badIdentifiers"),
      (#""custom_id":"user-"#, #""x":1,"custom_id":"user-"#, "badIdentifiers"),
      (#""custom_id":"user-"#, #""custom_id":7,"x":"y"#, "badIdentifiers"),
      (#""custom_id":"user-"#, #""installation_id":"i","custom_id":"user-"#, "badIdentifiers"),
      (#"{"id":"user-"#, #"{"id":"other-"#, "beginsWithoutID"),
      (#""kind":"person""#, #""kind":"installation""#, "beginsWithoutID"),
      (#","kind":"person""#, "", "beginsWithoutID"),
      (#""kind":"person","identifiers""#, #""identifiers""#, "beginsWithoutID"),
    ] + forgedRegisters).map { Forgery(profiles, $0, to: $1, "(frame 0, line 1): \($2)") } + [
      Forgery(
        profiles, #"{"id":"#, to: #"{"last":1,"id":"#, "(frame 0, line 1): unknownMember last",
        "(frame 0, line 1): beginsWithoutID")
    ]

  private static let june = #""2024-06-01T00:00:00.000Z""#

  /// The profile of user-1, who has installations and attributes.
  private static let forgedMembers = [
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
  ].map { old, new, why in
    Forgery(otherProfiles, old, to: new, "(frame 0, line 2): \(why)")
  }

  /// Totals that the next run cannot read, or that do not fit counts, profiles and keys.
  private static let unreadableTotals = [
    (#""profiles":"#, #""profile":"#, 12, "a total has an unknown field"),
    (#""last":"#, #""least":"#, 10, "a day has an unknown field"),
    (#"{"attribute":"#, #"{"attributes":"#, 5, "the line has an unknown kind"),
    ("[[19844,", "[[5,", 2, "the line has an unknown kind"),
    (#""eventmill_state":"#, #""state":"#, 1, "the first line is not a header of this format"),
  ].map { old, new, line, why in
    Forgery(totals, old, to: new, "(line \(line)): unreadable \(why)")
  }

  private static let forgedTotals = [
    Forgery(
      totals, "(line 3): unreadable a line is out of order", lines: { $0.swapAt(1, 2) }),
    Forgery(totals, #""partitions":2"#, to: #""partitions":3"#, "(line 1): otherThanState"),
    Forgery(
      totals, #""event":"seen","count":"#, to: #""event":"seen","count":9"#,
      differs(RunFiles.countsJSON, 3), differs(RunFiles.countsCSV, 4),
      differs(RunFiles.dailyCounts, 10), "report.json: otherEvents 43, accepted, 943"),
    Forgery(
      totals, #""profiles":20"#, to: #""profiles":19"#,
      ": otherProfilesOfEvent bought, 19, 20", differs(RunFiles.countsJSON, 1),
      differs(RunFiles.countsCSV, 2)),
    Forgery(
      totals, "{\"active\":\"days\",\"people\":[[19844,",
      to: "{\"active\":\"days\",\"people\":[[19844,1", differs(totals, 2),
      differs(RunFiles.dailyCounts, 3)),
  ]

  private static func differs(_ file: String, _ line: Int) -> String {
    "\(file) (line \(line)): otherThanState"
  }

  private static let forgedRejects = [
    Forgery(rejects, "(frame 0, line 2): outOfOrder", lines: { $0.swapAt(0, 1) }),
    Forgery(
      rejects, "report.json: otherRejects 4, 3", "…b.ndjson, 1, rejected event, 0",
      lines: { $0.removeLast() }),
    Forgery(
      rejects, #""line":47"#, to: #""line":470"#, "(frame 0, line 1): rejectOfNoLine 470, 49",
      "(frame 0, line 2): outOfOrder"),
    Forgery(
      rejects, #""reasons":["#, to: #""reasons":[],"x":["#,
      "(frame 0, line 1): rejectWithoutReason"),
    Forgery(rejects, #""code":"#, to: #""cod":"#, "(frame 0, line 1): rejectWithoutReason"),
  ]

  /// Rejects that no longer count for their input.
  private static let foreignRejects = [
    (#""source":"/"#, #""source":"no/"#, "rejectOfNoInput no/…a.ndjson"),
    (
      #""scope":"event""#, #""scope":"events""#,
      "badEntry its scope is neither line nor event nor operation"
    ),
    (#""raw":"#, #""row":"#, "badEntry it must have either raw or raw_base64, as text"),
  ].map { old, new, problem in
    Forgery(
      rejects, old, to: new, "(frame 0, line 1): \(problem)",
      "report.json: otherRejectsOfInput …a.ndjson, 1, rejected event, 0")
  }

  private static let report = RunFiles.report

  private static let forgedReports = [
    // The first ledger is the total.
    Forgery(
      report, #""blank": 1"#, to: #""blank": 2"#,
      ": unbalancedLedger 51 lines were read, but 2 blank, 48 records and 2 rejected lines "
        + "were counted",
      ": ledgerIsNotTheSum"),
    Forgery(
      report, #""accepted": 43"#, to: #""accepted": 42"#,
      ": unbalancedLedger 46 events were read, but 42 accepted…", ": ledgerIsNotTheSum",
      ": otherEvents 42, accepted, 43"),
    Forgery(
      report, #""applied": 4"#, to: #""applied": 5"#,
      ": unbalancedLedger 4 operations were read, but 5 applied…", ": ledgerIsNotTheSum"),
    Forgery(
      report, #""duplicates": 1"#, to: #""duplicates": 2"#, ": unbalancedLedger …",
      ": ledgerIsNotTheSum", ": otherEvents 2, duplicates…"),
    Forgery(report, "a.ndjson\",", to: "x.ndjson\",", ": otherInputs"),
    Forgery(report, #""profiles": 41"#, to: #""profiles": 40"#, ": otherProfiles 40, 41"),
    Forgery(report, #""event_names": 3"#, to: #""names": 3"#, ": otherNames missing, 3"),
    Forgery(report, #""entries": 4"#, to: #""entries": 3"#, ": otherRejects 3, 4"),
    Forgery(report, #""ledger""#, to: #""ledge""#, ": noLedger"),
    Forgery(report, "{", to: "", ": unreadableDocument it is not JSON…"),
  ]

  @Test(
    arguments: [
      forgedProfiles, forgedBeginnings, forgedMembers,
      unreadableTotals, forgedTotals, forgedRejects, foreignRejects, forgedReports,
    ].flatMap(\.self))
  func aForgedFileIsFound(_ forgery: Forgery) throws { try forgery.check(ForgedOutput()) }

  @Test func timesOfAProfile() throws {
    let early = "2024-01-01T00:00:00.000Z"
    let line = try ForgedOutput().lines(Self.profiles)[0]
    let name = line.contains("\"bought\"") ? "bought" : "seen"
    let time = try #require(line.firstMatch(of: #/"first_seen":"([^"]*)"/#)?.output.1)
    let first = "},\"first_seen\":\""
    func moment(_ time: some StringProtocol) -> String {
      "\"first_seen\":\"\(time)\",\"last_seen\":\"\(time)\""
    }
    try ForgedOutput().expect([
      Forgery(
        Self.profiles, moment(time), to: moment(early),
        "(frame 0, line 1): eventSeenOutside \(name)"),
      // The event's last_seen comes before the profile's.
      Forgery(
        Self.profiles, "\"last_seen\":\"\(time)\"", to: "\"last_seen\":\"\(early)\"",
        "(frame 0, line 1): reversedTimes its event \(name)"),
      Forgery(
        Self.profiles, first + time, to: first + "2024-09-09T00:00:00.000Z",
        "(frame 0, line 1): reversedTimes it", "(frame 0, line 1): eventSeenOutside \(name)"),
      Forgery(
        Self.profiles, first + time, to: first + "2024-05-01", "(frame 0, line 1): badTimes it",
        "(frame 0, line 1): eventSeenOutside \(name)"
      ),
    ])
  }

  // MARK: Changes

  @Test func changesOfAnOutput() throws {
    let changes = ForgedOutput.part(0, of: RunFiles.changes)
    let fixture = try RunFixture()
    let folded = #"{"identifiers":{"custom_id":"user-1","installation_id":"i9"},"name":"a","#
    let time = #""time":"2024-05-03T00:00:00Z"}"#
    try fixture.log(ForgedOutput.log.dropFirst(20) + [], "a.ndjson")
    try fixture.log(ForgedOutput.log.prefix(25) + [folded + time], "b.ndjson")
    func set(_ options: inout RunOptions) { options.snapshot.partitions = ForgedOutput.partitions }
    try fixture.run(["a.ndjson"], to: "before", set)
    try fixture.run(["b.ndjson"], to: "out", after: "before", set)
    let output = ForgedOutput(fixture)
    #expect(try output.lines(changes).count > 6)
    try output.expect([
      Forgery(changes, linesPerFrame: 3, lines: { _ in }),
      Forgery(
        changes, "(frame 1, line 4): outOfOrder", linesPerFrame: 3, lines: { $0.swapAt(2, 3) }),
      Forgery(
        changes, "(frame 0, line 2): otherChange",
        lines: { $0[1].replace("\"count\":1", with: "\"count\":7") }),
      Forgery(
        changes, "(frame 0, line 2): noChange",
        lines: { $0[1].replace(#/"change":"[a-z]+"/#, with: "\"change\":\"new\"") }),
      // A profile that is published was not removed.
      Forgery(
        changes, "(frame 0, line 1): otherChange",
        lines: {
          $0[0] = $0[0].replacing(
            #/"change":"[a-z]+","profile":({"id":"[^"]*","kind":"[^"]*")/#,
            with: { "\"change\":\"removed\",\"profile\":\($0.output.1)" }
          ).replacing(#/,"identifiers":.*$/#, with: "}}")
        }),
    ])
  }

  // MARK: State

  /// The problems after frames of a part of the state were changed.
  private func stateProblems(_ change: (inout [[UInt8]]) throws -> Void) throws -> [String] {
    let output = try ForgedOutput()
    try output.changeFrames(Self.state, change)
    return try output.fixture.problems(of: output.path).filter { $0.hasPrefix(Self.state) }
  }

  @Test func theHeaderOfAState() throws {
    let version = StateHeader.version
    for (old, new, problem) in [
      (#""partition":0"#, #""partition":1"#, "headerOfOtherPart 0, 2"),
      (#""eventmill_state":"#, #""eventmill_status":"#, "badHeader"),
      (
        #""eventmill_state":\#(version)"#, #""eventmill_state":1"#, "otherStateFormat 1, \(version)"
      ),
    ] {
      let found = try stateProblems { try Self.replace(old, with: new, in: &$0[0]) }
      #expect(found == ["\(Self.state) (frame 0): \(problem)"])
    }
    let found = try stateProblems { $0.removeFirst() }
    #expect(found.first == "\(Self.state) (frame 0): badHeader")
  }

  private static func replace(_ old: String, with new: String, in frame: inout [UInt8]) throws {
    let position = try #require(frame.firstRange(of: Array(old.utf8)))
    frame.replaceSubrange(position, with: Array(new.utf8))
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

  /// The ids of anonymous events come first, then people.
  @Test func keysOfAState() throws {
    for (frame, problem, change) in [
      (
        2, "badState",
        { frame in
          let (first, second) = (Self.positions(of: frame)[0], Self.positions(of: frame)[1])
          let states = Array(frame[second] + frame[first])
          frame.replaceSubrange(first.lowerBound..<second.upperBound, with: states)
        }
      ), (2, "badState", { try Self.replace("custom:", with: "eustom:", in: &$0) }),
      (2, "noStates", { $0.removeLast() }),
      (
        1, "repeatedKey",
        { frame in
          let ids = Self.positions(of: frame)
          frame.replaceSubrange(ids[0], with: frame[ids[0]] + frame[ids[0]])
          let position = frame.count - StateText.trailerLength
          let names = ids[ids.count - 1].upperBound + ids[0].count
          for byte in 0..<4 {
            frame[position + byte] = UInt8(truncatingIfNeeded: names >> (8 * byte))
          }
        }
      ),
    ] as [(Int, String, (inout [UInt8]) throws -> Void)] {
      let found = try stateProblems { try change(&$0[frame]) }
      let position = "\(Self.state) (frame \(frame)"
      let isFound = found.contains { $0.hasPrefix(position) && $0.hasSuffix(": \(problem)") }
      #expect(isFound, "\(problem): \(found)")
    }
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

  // MARK: Counts

  /// Any change of a file of counts is found at its line.
  @Test(arguments: [RunFiles.countsJSON, RunFiles.countsCSV, RunFiles.dailyCounts])
  func countsThatDifferFromTheState(_ file: String) throws {
    let output = try ForgedOutput()
    let last = try output.lines(file).count
    try output.expect(
      (0..<last).map { line in
        Forgery(file, Self.differs(file, line + 1), lines: { $0[line].append(" ") })
      })
    try output.expect([
      Forgery(file, Self.differs(file, last + 1), lines: { $0.append($0[0]) }),
      Forgery(file, Self.differs(file, last), lines: { $0.removeLast() }),
      Forgery(file, Self.differs(file, 1), lines: { $0.swapAt(0, 1) }),
    ])
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

  /// After an earlier night the counts hold more than this run accepted, but never less.
  @Test func countsOfLaterNights() throws {
    let output = try ForgedOutput()
    try output.fixture.log([Sample.event("user-1", "seen", day: 9)], "c.ndjson")
    try output.fixture.run(["c.ndjson"], to: "next") { $0.merge.previous = output.path }
    let next = output.fixture.scratch("next")
    try output.fixture.scratch.edit("next/report.json") {
      $0.replacing("\"accepted\": 1", with: "\"accepted\": 99")
    }
    let found = try output.fixture.problems(of: next)
    #expect(found.contains("report.json: fewerEvents 99, accepted, 44"), "\(found)")
  }
}
