import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct PreviousStretchTests {
  private static let start = RandomHistory.start

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
    for section in [KeySection.custom, .install] {
      let reader = try FrameFileReader()
      var stretch = PreviousStretch(reader)
      var profiles = PreviousProfiles(reader)
      let frames = part.frames(section)
      try stretch.read(frames, end: nil, of: part)
      try profiles.read(frames, of: part)
      var count = 0
      for group in stretch.groups {
        var place = group.text.lowerBound
        while place < group.text.upperBound {
          let lineFound = stretch.line(at: place)
          let line = try #require(lineFound)
          place += line.text.count
          let profile = profiles.next(for: line.text, section)
          if let profile {
            count += 1
            let name = section == .custom ? "custom_id" : "installation_id"
            let id = quoted(section.id(of: line.key).text)
            #expect(profile.text.hasPrefix("{\"identifiers\":{\"\(name)\":\(id)"))
            #expect(profile.text.hasSuffix("\n"))
          }
          found.append("\(line.key.text)\(profile == nil ? " folds" : "")")
        }
      }
      let lineCount = profiles.lineCount
      #expect(lineCount == count)
      let behind = profiles.next(for: "{\"key\":\"custom:x\"}\n", section)
      #expect(behind == nil)
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
      var profiles = PreviousProfiles(try FrameFileReader())
      try profiles.read(part.frames(.custom), of: part)
      withByteView(of: line + "\n") { line in
        let profile = profiles.next(for: line, .custom)
        #expect((profile != nil) == isFound, "\(line.text)")
      }
    }
  }

  /// Groups are frames from a key that begins one to the next, in order and without gaps.
  @Test func groupsCoverTheFrames() throws {
    // Long enough for frames that end within a group.
    let steps = (0..<4000).map {
      Step(kind: .touch, key: "custom:\($0 % 13 == 0 ? "\\" : "")\($0)")
    }
    let fixture = try PreviousFixture(steps)
    let part = try #require(fixture.part)
    let frames = part.frames(.custom)
    var stretch = PreviousStretch(try FrameFileReader())
    try stretch.read(frames, end: "custom:end", of: part)
    let groups = stretch.groups
    #expect(groups.count > 40)
    #expect(groups.first?.frames.lowerBound == frames.lowerBound)
    #expect(groups.last?.frames.upperBound == frames.upperBound)
    #expect(groups.last?.end == "custom:end")
    for (group, next) in zip(groups, groups.dropFirst()) {
      #expect(group.frames.upperBound == next.frames.lowerBound)
      #expect(group.text.upperBound == next.text.lowerBound)
      let end = try #require(group.end)
      #expect(end == next.first && KeyHash.beginsGroup(XXH64.hash(end)))
      let first = stretch.line(at: next.text.lowerBound)?.key.text
      #expect(first == end.text)
    }
  }
}
