@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct PreviousFrameTests {
  private static let start = RandomHistory.start

  /// The entries of a section.
  private static func forEachEntry(
    _ section: KeySection, of part: PreviousPart, _ body: (PreviousEntry) throws -> Void
  ) throws {
    var stretch = IndexBlock(try FrameFileReader())
    for number in part.stretches(section) {
      try stretch.read(number, of: part)
      for entry in stretch.entries { try body(entry) }
    }
  }

  /// Every profile stands beside the line of its state, whatever the ids are; of installations that
  /// fold away there is none.
  @Test func profilesStandBesideTheirKeys() throws {
    var steps: [Step] = []
    for (number, id) in RandomHistory.oddIDs.enumerated() {
      steps.append(Step(kind: .touch, key: "custom:\(id)"))
      steps.append(Step(kind: .touch, key: "install:\(id)"))
      if number % 3 == 0 {
        steps.append(Step(kind: .link, key: "install:\(id)", time: Self.start, value: id))
      }
    }
    let fixture = try PreviousFixture(steps)
    let part = try #require(fixture.part)
    var found: [String] = []
    var frame = PreviousFrame(try FrameFileReader())
    for section in [KeySection.custom, .install] {
      try Self.forEachEntry(section, of: part) { entry in
        try frame.readState(entry, of: part)
        try frame.readProfiles(entry, of: part)
        var count = 0
        while let line = try frame.nextLine(of: part) {
          let profile = frame.nextProfile(for: line.text, section)
          if let profile {
            count += 1
            let kind = section == .custom ? "person" : "installation"
            let id = quoted(section.id(of: line.key).text)
            #expect(profile.text.hasPrefix("{\"id\":\(id),\"kind\":\"\(kind)\","))
            #expect(profile.text.hasSuffix("\n"))
          }
          found.append("\(line.key.text)\(profile == nil ? " folds" : "")")
        }
        #expect(count == entry.entry.profiles.lines)
        let behind = frame.nextProfile(for: "{\"key\":\"custom:x\"}\n", section)
        #expect(behind == nil)
      }
    }
    var expected: [String] = []
    for section in ["custom:", "install:"] {
      for id in RandomHistory.oddIDs.sorted(by: less) {
        let number = RandomHistory.oddIDs.firstIndex(of: id) ?? 0
        expected.append(section + id + (section == "install:" && number % 3 == 0 ? " folds" : ""))
      }
    }
    #expect(found == expected)
  }

  /// An id that is the beginning of another one is another one.
  @Test func anIDThatBeginsAsAnotherIsNotItsProfile() throws {
    let fixture = try PreviousFixture(
      ["a", "a\\", "a\"", "ab"].map { Step(kind: .touch, key: "custom:\($0)") })
    let part = try #require(fixture.part)
    for (line, isFound) in [
      (#"{"key":"custom:a","touched":true}"#, true), (#"{"key":"custom:ab"}"#, false),
      (#"{"key":"custom:a\"","touched":true}"#, false), (#"{"key":"custom:"}"#, false),
      (#"{"key":"custom:a\\"}"#, false), (#"{"key":"custom:a"#, false),
      (#"{"key":"custom:a\"#, false),
    ] {
      var frame = PreviousFrame(try FrameFileReader())
      try Self.forEachEntry(.custom, of: part) { entry in
        try frame.readProfiles(entry, of: part)
        withByteView(of: line + "\n") { line in
          let other = frame.nextProfile(for: line, .install)
          #expect(other == nil, "an installation is not the person of that id")
          let profile = frame.nextProfile(for: line, .custom)
          #expect((profile != nil) == isFound, "\(line.text)")
        }
      }
    }
  }

  /// Files whose frames are those of the index, with other text in them.
  @Test func aFrameWithoutAKeyIsCorrupt() throws {
    let run = try MergeRun()
    try run.apply([Step(kind: .touch, key: "custom:1")])
    let published = try run.publish()
    func path(_ folder: String) -> String {
      "\(published.path)/\(RunFiles.part(0, of: 1, in: folder))"
    }
    let part = try PreviousPart(
      state: path(RunFiles.state), profiles: path(RunFiles.profiles),
      index: "\(published.path)/\(RunFiles.index(0, of: 1))", jobs: 1)
    var frame = PreviousFrame(try FrameFileReader())
    var stretch = IndexBlock(try FrameFileReader())
    try stretch.read(0, of: part)
    // The header is no line with a key.
    try frame.readState(stretch.entries[0], of: part)
    let failure = #expect(throws: Failure.self) { _ = try frame.nextLine(of: part) }
    #expect(failure?.kind == .corrupt && failure?.path == path(RunFiles.state))
  }
}
