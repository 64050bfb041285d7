@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct StateIndexTests {
  /// Paths of the files of one part of an output.
  private struct Files {
    var state: String
    var profiles: String
    var index: String

    init(_ published: Published) {
      state = "\(published.path)/\(RunFiles.part(0, of: 1, in: RunFiles.state))"
      profiles = "\(published.path)/\(RunFiles.part(0, of: 1, in: RunFiles.profiles))"
      index = "\(published.path)/\(RunFiles.index(0, of: 1))"
    }

    /// Opens them as the last one of so many parts.
    func open(of partitions: Int = 1) throws(Failure) -> SortedRun {
      try SortedRun(
        state: state, profiles: profiles, index: index, partition: partitions - 1,
        partitions: partitions)
    }
  }

  private static func publish(_ keys: [String]) throws -> Published {
    try MergeRun.publish(
      keys.map { Step(kind: .event, key: $0, name: "a", time: RandomHistory.start) })
  }

  /// The failure of opening `files` is damage of the file at `path`.
  private static func expectCorrupt(
    _ files: Files, _ path: KeyPath<Files, String>, frame: Int? = nil, of partitions: Int = 1,
    _ what: Comment
  ) {
    let failure = #expect(throws: Failure.self, what) { try files.open(of: partitions) }
    #expect(failure?.kind == .corrupt && failure?.path == files[keyPath: path], what)
    if let frame { #expect(failure?.frame == frame, what) }
  }

  private static func writeIndex(
    in folder: ScratchDirectory, _ body: (IndexWriter) throws -> Void
  ) throws -> String {
    let target = SeekableFile(try OutputFile(path: "index.zst", in: folder.path))
    try body(IndexWriter(target))
    _ = try target.finish()
    return folder("index.zst")
  }

  /// Files of another part, and files of frames other than an index. A part in the position of
  /// another one would give its keys to the wrong merge.
  @Test func filesOfOthersAreCorrupt() throws {
    let many = try Self.publish((0..<500).map { "custom:\($0)" })
    let one = try Self.publish(["custom:1"])
    for keyPath in [\Files.state, \Files.profiles] {
      var files = Files(many)
      files[keyPath: keyPath] = Files(one)[keyPath: keyPath]
      Self.expectCorrupt(files, \.index, "a shorter file")
    }
    for other in [RunFiles.totals, RunFiles.part(0, of: 1, in: RunFiles.state)] {
      var files = Files(one)
      files.index = "\(one.path)/\(other)"
      Self.expectCorrupt(files, \.index, frame: 0, "\(other) as an index")
    }
    Self.expectCorrupt(Files(one), \.state, of: 2, "another part")
  }

  /// Forged indexes: sections out of order, keys of no kind, and an empty index.
  @Test func anIndexOutOfOrderIsCorrupt() throws {
    let published = try Self.publish(["custom:1"])
    for (keys, isFine) in [
      (["", "anonymous:1", "custom:1", "install:1"], true), ([""], true), ([], false),
      (["custom:1"], false), (["", "install:1", "custom:1"], false), (["", "event:1"], false),
      (["", ""], false),
    ] {
      var files = Files(published)
      let state = try FrameFile(files.state, doing: "reading")
      var header = ByteBuffer()
      try state.read(frame: 0, into: &header)
      let first = WrittenFrame(header.view, text: state.frames[0].decompressed, lines: 1)
      let folder = try ScratchDirectory()
      files.index = try Self.writeIndex(in: folder) { writer in
        for key in keys {
          let frame = WrittenFrame(compressed: 1, text: 1, lines: 1, hash: 0)
          try withByteView(of: key) { key in
            try writer.append(
              IndexEntry(state: key.isEmpty ? first : frame, profiles: frame, key: key, facts: ""))
          }
          try writer.endFrame()
        }
      }
      if isFine { _ = try files.open() } else { Self.expectCorrupt(files, \.index, "\(keys)") }
    }
  }

  /// The index has the profile of another key beside a state, whose events refer to it.
  @Test func aProfileThatIsMissingIsCorrupt() throws {
    let outputs = try ["custom:u", "custom:v"].map { try Self.publish([$0]) }
    let folder = try ScratchDirectory()
    var files = Files(outputs[0])
    files.profiles = Files(outputs[1]).profiles
    let indexes = try outputs.map { try FrameFile(Files($0).index, doing: "reading") }
    let reader = try FrameFileReader()
    files.index = try Self.writeIndex(in: folder) { writer in
      for frame in indexes[0].frames.indices {
        var text = ByteBuffer()
        var otherText = ByteBuffer()
        try reader.decode(frame: frame, of: indexes[0], into: &text)
        try reader.decode(frame: frame, of: indexes[1], into: &otherText)
        var (offset, otherOffset) = (0, 0)
        while var entry = IndexEntry(text.view, at: &offset),
          let other = IndexEntry(otherText.view, at: &otherOffset)
        {
          entry = IndexEntry(
            state: entry.state, profiles: other.profiles, key: entry.key, facts: entry.facts)
          try writer.append(entry)
        }
        try writer.endFrame()
      }
    }
    let cursor = try RunCursor(names: RunNames())
    #expect(try cursor.find("custom:u", in: files.open()) != nil)
    let failure = #expect(throws: Failure.self) { _ = try cursor.whole(keepsIDs: true) }
    #expect(failure?.kind == .corrupt && failure?.path == files.profiles)
  }
}
