@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What is wrong with the index of a part is found: it must say what the frames are.
@Suite struct VerifyIndexTests {
  private static let index = RunFiles.index(1, of: ForgedOutput.partitions)

  /// The entries of an index.
  private static func entries(_ output: ForgedOutput, _ body: (IndexEntry) throws -> Void) throws {
    let file = try FrameFile("\(output.path)/\(index)", doing: "reading")
    let reader = try FrameFileReader()
    for frame in file.frames.indices {
      var text = ByteBuffer()
      try reader.decode(frame: frame, of: file, into: &text)
      var offset = 0
      while let entry = IndexEntry(text.view, at: &offset) { try body(entry) }
    }
  }

  /// What is said of an index with other entries, which the manifest vouches for.
  private static func problems(
    _ change: (_ number: Int, _ entry: IndexEntry, _ writer: IndexWriter) throws -> Void
  ) throws -> [String] {
    let output = try ForgedOutput()
    let scratch = try ScratchDirectory()
    let file = SeekableFile(try OutputFile(path: "index", in: scratch.path))
    let writer = try IndexWriter(file)
    var number = 0
    try entries(output) { entry in
      try change(number, entry, writer)
      number += 1
      try writer.endFrame()
    }
    _ = try file.finish()
    try output.fixture.scratch.write(try scratch.bytes("index"), to: "out/\(index)")
    try output.list(index, lines: 0)
    #expect(try output.problems() == [])
    return try output.indexProblems()
  }

  private static func other(
    _ frame: WrittenFrame, text: Int = 0, lines: Int = 0, hash: UInt32 = 0
  ) -> WrittenFrame {
    .init(
      compressed: frame.compressed, text: frame.text + text, lines: frame.lines + lines,
      hash: frame.hash ^ hash)
  }

  @Test(arguments: 0..<7)
  func everyMemberCounts(change: Int) throws {
    let found = try Self.problems { number, entry, writer in
      guard number == 2 else { return try writer.append(entry) }
      try #require(entry.fact(FrameFacts.persons) != nil)
      var (state, profiles, key, facts) = (entry.state, entry.profiles, entry.key, entry.facts)
      switch change {
      case 0: state = Self.other(state, text: 1)
      case 1: state = Self.other(state, lines: 1)
      case 2: state = Self.other(state, hash: 1)
      case 3: profiles = Self.other(profiles, text: 1)
      case 4: profiles = Self.other(profiles, hash: 1)
      case 5: key = "custom:x"
      default: facts = facts.dropFirst(4)
      }
      try writer.append(IndexEntry(state: state, profiles: profiles, key: key, facts: facts))
    }
    #expect(found == ["\(Self.index): otherEntry 2"])
  }

  /// Its frames may be cut elsewhere; every frame of the state has one entry.
  @Test(arguments: [
    ("unchanged", []), ("profiles", ["entriesOfOtherProfiles"]), ("few", ["fewerEntriesThanState"]),
    ("many", ["otherEntry", "otherEntry", "moreEntriesThanState"]),
  ])
  func everyFrameHasAnEntry(change: String, codes: [String]) throws {
    let found = try Self.problems { number, entry, writer in
      let lines = change == "profiles" && number == 1 ? 1 : 0
      let written = IndexEntry(
        state: entry.state, profiles: Self.other(entry.profiles, lines: lines), key: entry.key,
        facts: entry.facts)
      if change != "few" || number < 2 { try writer.append(written) }
      if change == "many" && number == 0 { try writer.append(written) }
    }
    let prefix = "\(Self.index): "
    let foundCodes = found.map { $0.dropFirst(prefix.count).prefix { $0 != " " } }
    #expect(foundCodes == codes.map { $0[...] })
  }

  /// Also if the frame after the last one cannot be compared with profiles.
  @Test func aFrameWithoutProfilesIsFound() throws {
    let output = try ForgedOutput()
    try output.changeFrames(ForgedOutput.part(1, of: RunFiles.state)) { $0.append($0[1]) }
    #expect(try output.indexProblems().last == "\(Self.index): moreEntriesThanProfiles")
  }

  @Test func damageIsAProblem() throws {
    let output = try ForgedOutput()
    func expect(_ problem: String, _ change: () throws -> Void) throws {
      try change()
      let found = try output.indexProblems()
      #expect(found.count == 1 && found[0].contains(problem), "\(found)")
    }
    for (problem, change) in [
      ("unreadable ", { $0[10] ^= 1 }), ("unreadable it has no seek table", { $0.removeLast() }),
    ] as [(String, (inout [UInt8]) -> Void)] {
      try expect(problem) {
        try output.damage(Self.index, change)
        try output.list(Self.index)
      }
    }
    try expect("\(Self.index): listedButUnreadable No such file or directory") {
      try output.fixture.scratch.remove("out/\(Self.index)")
    }
  }
}
