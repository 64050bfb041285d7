@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct StateIndexTests {
  private static func keys(_ part: SortedRun, _ stretches: Range<Int>) throws -> [String] {
    let cursor = try RunCursor(names: RunNames())
    var keys: [String] = []
    for number in stretches {
      try cursor.begin(stretch: number, of: part)
      while let key = try cursor.next() { keys.append(key.key.text) }
    }
    return keys
  }

  @Test(arguments: [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (3000, 2100, 200)])
  func sectionsAreFound(people: Int, installations: Int, ids: Int) throws {
    // Long enough for frames of few keys.
    let value = quoted(String(repeating: "x", count: 900))
    var steps = (0..<people).map {
      Step(
        kind: .set, key: "custom:\($0 % 7 == 0 ? "\"" : "")\($0)", name: "k",
        time: RandomHistory.start, value: value)
    }
    steps += (0..<installations).map { Step(kind: .touch, key: "install:\($0)") }
    steps += (0..<ids).map {
      Step(kind: .event, key: "", name: "a", time: RandomHistory.start, id: "\($0)")
    }
    let fixture = try PreviousFixture(steps, days: 1)
    let part = try #require(fixture.part)
    var end = 1
    for (section, count) in zip(KeySection.allCases, [ids, people, installations]) {
      let stretches = part.stretches(section)
      #expect(stretches.lowerBound == end)
      end = stretches.upperBound
      let keys = try Self.keys(part, stretches)
      #expect(keys.count == count)
      #expect(keys.allSatisfy { $0.hasPrefix(section.prefix.text) })
      #expect(keys == keys.sorted(by: less))
      guard section != .anonymous else { continue }
      try Self.expectRanges(of: part, section, keys)
    }
  }

  /// Among the stretches of any range are all that hold its keys.
  private static func expectRanges(
    of part: SortedRun, _ section: KeySection, _ keys: [String]
  ) throws {
    var cuts: [String] = []
    part.forEachCut(section) { key, _ in cuts.append(key.text) }
    #expect(cuts == cuts.sorted(by: less) && cuts.allSatisfy(keys.contains))
    if keys.count > 2500 { #expect(!cuts.isEmpty) }
    var limits: [String?] = [nil, "\(section.prefix.text)", "\(section.prefix.text)~"]
    limits += cuts.map { $0 }
    limits += stride(from: 0, to: keys.count, by: 977).map { keys[$0] }
    for lower in limits {
      for upper in limits {
        if let lower, let upper, !less(lower, upper) { continue }
        var text = ByteBuffer()
        text.append(text: lower ?? "")
        let position = text.count
        text.append(text: upper ?? "")
        let range = KeyRange(
          lower: lower.map { _ in text[0..<position] },
          upper: upper.map { _ in text.view.dropFirst(position) })
        let found = Set(try Self.keys(part, part.stretches(part.stretches(section), in: range)))
        let wanted = keys.filter { key in
          !(lower.map { less(key, $0) } ?? false) && (upper.map { less(key, $0) } ?? true)
        }
        #expect(found.isSuperset(of: wanted), "\(lower ?? "-") to \(upper ?? "-")")
      }
    }
  }

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

    func open() throws -> SortedRun {
      try SortedRun(state: state, profiles: profiles, index: index)
    }
  }

  private static func publish(_ keys: [String]) throws -> Published {
    let run = try MergeRun()
    try run.apply(keys.map { Step(kind: .touch, key: $0) })
    return try run.publish()
  }

  @Test func anIndexOfLongerFilesIsCorrupt() throws {
    let (one, two) = (
      try Self.publish((0..<500).map { "custom:\($0)" }), try Self.publish(["custom:1"])
    )
    for keyPath in [\Files.state, \Files.profiles] {
      var files = Files(one)
      files[keyPath: keyPath] = Files(two)[keyPath: keyPath]
      let failure = #expect(throws: Failure.self) { try files.open() }
      #expect(failure?.kind == .corrupt && failure?.path == files.index)
    }
  }

  /// Files of frames other than an index: the totals of the state, and a part.
  @Test func anotherFileIsNoIndex() throws {
    let published = try Self.publish(["custom:1"])
    for (other, frame) in [(RunFiles.totals, 0), (RunFiles.part(0, of: 1, in: RunFiles.state), 0)] {
      var files = Files(published)
      files.index = "\(published.path)/\(other)"
      let failure = #expect(throws: Failure.self) { try files.open() }
      #expect(failure?.kind == .corrupt && failure?.path == files.index && failure?.frame == frame)
    }
  }

  /// A part in the position of another one would give its keys to the wrong merge.
  @Test func theStateOfAnotherPartIsCorrupt() throws {
    let published = try Self.publish(["custom:1"])
    let files = Files(published)
    let failure = #expect(throws: Failure.self) {
      try SortedRun(
        state: files.state, profiles: files.profiles, index: files.index, partition: 1,
        partitions: 2)
    }
    #expect(failure?.kind == .corrupt && failure?.path == files.state)
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
      let folder = try ScratchDirectory()
      files.index = folder("index.zst")
      let target = SeekableFile(try OutputFile(path: "index.zst", in: folder.path))
      let writer = try IndexWriter(target)
      let state = try FrameFile(files.state, doing: "reading")
      let header = state.frames[0]
      var headerBytes = ByteBuffer()
      try state.read(frame: 0, into: &headerBytes)
      for key in keys {
        try withByteView(of: key) { key in
          let frame = WrittenFrame(compressed: 1, text: 1, lines: 1, hash: 0)
          let first = WrittenFrame(headerBytes.view, text: header.decompressed, lines: 1)
          try writer.append(
            IndexEntry(
              state: key.isEmpty ? first : frame, profiles: frame, key: key, facts: ""))
        }
        try writer.endFrame()
      }
      _ = try target.finish()
      if isFine {
        _ = try files.open()
      } else {
        let failure = #expect(throws: Failure.self, "\(keys)") { try files.open() }
        #expect(failure?.kind == .corrupt && failure?.path == files.index)
      }
    }
  }
}
