import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct GroupFramesTests {
  /// Takes frames, and keeps what is known of them.
  private final class Frames: FrameTarget {
    var frames: [(bytes: [UInt8], text: Int, lines: Int)] = []

    func append(frame: ByteView, decompressed: Int, lines: Int) throws(Failure) {
      frames.append((frame.array, decompressed, lines))
    }
  }

  private static let begin: UInt64 = 0
  private static let inside: UInt64 = 1 << 24

  /// The lines of each frame in both files, when keys with these hashes have lines of that length.
  private static func frames(
    _ keys: [UInt64], length: Int = 10, profileLength: Int = 10
  ) throws -> (state: [Int], profiles: [Int]) {
    let encoder = try ZstdEncoder(level: 1)
    var frames = GroupFrames()
    let isNew = frames.isEmpty
    #expect(isNew)
    let line = ByteViewText(length)
    let profile = ByteViewText(profileLength)
    for hash in keys {
      try frames.begin(hash, encoder)
      line.append(to: &frames.state)
      if profileLength > 0 { profile.append(to: &frames.profiles) }
    }
    try frames.cut(encoder)
    try frames.cut(encoder)
    let (state, profiles) = (Frames(), Frames())
    try frames.append(to: state, profiles)
    let isEmpty = frames.isEmpty
    #expect(isEmpty == keys.isEmpty)
    #expect(state.frames.count == profiles.frames.count)
    #expect(state.frames.map(\.text).reduce(0, +) == keys.count * length)
    return (state.frames.map(\.lines), profiles.frames.map(\.lines))
  }

  /// A line of some length.
  private final class ByteViewText {
    private var bytes = ByteBuffer()

    init(_ length: Int) {
      while bytes.count < length - 1 { bytes.append(UInt8(ascii: "x")) }
      if length > 0 { bytes.append(UInt8(ascii: "\n")) }
    }

    func append(to text: inout FrameText) {
      text.text.append(bytes.view)
      text.lines += 1
    }
  }

  @Test func framesEndBeforeKeysThatBeginGroups() throws {
    let keys = [Self.inside, Self.inside, Self.begin, Self.inside, Self.begin, Self.begin]
    let (state, profiles) = try Self.frames(keys)
    #expect(state == [2, 2, 1, 1] && profiles == state)
    #expect(try Self.frames([]).state == [])
    #expect(try Self.frames([Self.begin]).state == [1])
  }

  /// Installations that fold away have a state and no profile: then the frame of profiles is empty,
  /// but it is there.
  @Test func framesStayAlignedWithoutProfiles() throws {
    let keys = Array(repeating: Self.begin, count: 3)
    let (state, profiles) = try Self.frames(keys, profileLength: 0)
    #expect(state == [1, 1, 1] && profiles == [0, 0, 0])
  }

  @Test func longGroupsAreCutByTheirKeys() throws {
    #expect(try Self.frames(Array(repeating: Self.inside, count: 1100)).state == [512, 512, 76])
  }

  @Test func longGroupsAreCutByTheirText() throws {
    let keys = Array(repeating: Self.inside, count: 9)
    // The key that brings the text to 1 MiB is the last one of its frame, in whichever file.
    #expect(try Self.frames(keys, length: 300_000).state == [4, 4, 1])
    #expect(try Self.frames(keys, profileLength: 300_000).state == [4, 4, 1])
    #expect(try Self.frames(keys, length: 1 << 20).state == Array(repeating: 1, count: 9))
    #expect(try Self.frames(keys, length: 1 << 20 - 1).state == [2, 2, 2, 2, 1])
  }

  /// Where frames are cut follows from the keys and their lines, whatever pieces they come in.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func piecesDoNotShowInTheCuts(seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    let hashes = (0..<2000).map { _ in random.next() }
    let whole = try Self.frames(hashes).state
    var pieces: [Int] = []
    var start = 0
    for place in 1...hashes.count
    where place == hashes.count || KeyHash.beginsGroup(hashes[place]) && random.next() % 3 == 0 {
      pieces += try Self.frames(Array(hashes[start..<place])).state
      start = place
    }
    #expect(pieces == whole, "seed \(seed)")
  }

  @Test func nothingIsLeftForTheNextPiece() throws {
    let encoder = try ZstdEncoder(level: 1)
    var frames = GroupFrames()
    try frames.begin(Self.begin, encoder)
    frames.state.text.append(text: "left")
    frames.removeAll()
    let isEmpty = frames.isEmpty
    #expect(isEmpty)
    let (state, profiles) = (Frames(), Frames())
    try frames.cut(encoder)
    try frames.append(to: state, profiles)
    #expect(state.frames.isEmpty && profiles.frames.isEmpty)
  }
}
