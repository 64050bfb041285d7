import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct SnapshotFramesTests {
  /// Hashes of keys: with which a group begins, before which a frame may end, and others.
  private static let begin: UInt64 = 0
  private static let end: UInt64 = 1 << 24
  private static let inside: UInt64 = 1 << 24 | 1 << 40

  /// The lines of each frame in both files, when keys with these hashes have lines of that length.
  private static func frames(
    _ keys: [UInt64], length: Int = 1000, profileLength: Int = 100
  ) throws -> (state: [Int], profiles: [Int]) {
    let encoders = try SnapshotEncoders(level: 1)
    var frames = SnapshotFrames()
    let names = SnapshotNames(RunNames())
    let location = ByteBuffer(text: String(repeating: "x", count: length - Self.stateLength))
    var records = ByteBuffer()
    Mutation(.location, TimedValue(time: 0, value: location.view)).append(to: &records)
    var state = KeyState(key: "custom:u")
    state.records = records.view
    let profile = ByteViewText(profileLength)
    for hash in keys {
      try frames.begin("custom:u", hash, encoders)
      frames.append(state, published: [], withValues: true, names: names, oldestID: .min)
      if profileLength > 0 { profile.append(to: &frames.profiles) }
    }
    try frames.cut(encoders)
    try frames.cut(encoders)
    let (states, profiles) = (KeptFrames(), KeptFrames())
    try frames.state.append(to: states)
    try frames.profiles.append(to: profiles)
    #expect(states.frames.count == profiles.frames.count)
    #expect(
      states.frames.map { $0.written.text - StateText.trailerLength }.reduce(0, +) == keys.count
        * length)
    var entry = 0
    try frames.index.forEach { found in
      #expect(found.state == states.frames[entry].written)
      #expect(found.profiles == profiles.frames[entry].written)
      entry += 1
    }
    #expect(entry == states.frames.count)
    return (states.frames.map(\.written.lines), profiles.frames.map(\.written.lines))
  }

  /// Bytes of the state of `custom:u` with an empty place.
  private static let stateLength = KeyState.headLength + 8 + Mutation.headLength

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

  /// A frame with eight keys ends before the next one that may end it.
  @Test func framesEndBeforeKeysThatMayEndThem() throws {
    func keys(_ count: Int) -> [UInt64] { Array(repeating: Self.inside, count: count) }
    #expect(try Self.frames(keys(7) + [Self.end]).state == [8])
    #expect(try Self.frames(keys(8) + [Self.end]).state == [8, 1])
    #expect(try Self.frames(keys(20) + [Self.end]).state == [20, 1])
    #expect(try Self.frames(Array(repeating: Self.end, count: 20)).state == [8, 8, 4])
  }

  /// Keys with little text need more of them: installations that fold into people.
  @Test func framesOfShortKeysHaveMoreOfThem() throws {
    let keys = Array(repeating: Self.end, count: 100)
    #expect(
      try Self.frames(keys, length: 200, profileLength: 0).state == [
        11, 11, 11, 11, 11, 11, 11, 11, 11, 1,
      ])
  }

  @Test func longGroupsAreCutByTheirKeys() throws {
    #expect(try Self.frames(Array(repeating: Self.inside, count: 300)).state == [128, 128, 44])
  }

  @Test func longGroupsAreCutByTheirText() throws {
    let keys = Array(repeating: Self.inside, count: 9)
    // The key that brings the text to 1 MiB is the last one of its frame, in whichever file.
    #expect(try Self.frames(keys, length: 300_000).state == [4, 4, 1])
    #expect(try Self.frames(keys, profileLength: 300_000).state == [4, 4, 1])
    #expect(try Self.frames(keys, length: 1 << 20).state == Array(repeating: 1, count: 9))
    #expect(try Self.frames(keys, length: 1 << 20 - 1).state == [2, 2, 2, 2, 1])
  }

  /// The cuts of frames depend on the keys and their lines, not on the pieces they arrive in.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func piecesDoNotShowInTheCuts(seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    let hashes = (0..<2000).map { _ in random.next() }
    let whole = try Self.frames(hashes).state
    var pieces: [Int] = []
    var start = 0
    for position in 1...hashes.count
    where position == hashes.count
      || KeyHash.beginsGroup(hashes[position]) && random.next() % 3 == 0
    {
      pieces += try Self.frames(Array(hashes[start..<position])).state
      start = position
    }
    #expect(pieces == whole, "seed \(seed)")
  }

  /// Two lists of keys differ by a few insertions. Soon after each, their frames are equal again.
  @Test(arguments: [4, 5, 6] as [UInt64])
  func keysThatComeMoveFewCuts(seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    let hashes = (0..<20_000).map { _ in random.next() }
    func ends(_ hashes: [UInt64]) throws -> Set<UInt64> {
      var position = 0
      return Set(
        try Self.frames(hashes).state.map { lines in
          position += lines
          return hashes[position - 1]
        })
    }
    let before = try ends(hashes)
    var more = hashes
    for position in stride(from: 19_900, to: 0, by: -200) {
      more.insert(random.next(), at: position)
    }
    let kept = before.intersection(try ends(more))
    #expect(Double(kept.count) > 0.6 * Double(before.count), "seed \(seed)")
    #expect(kept.count < before.count)
  }

  @Test func nothingIsLeftForTheNextPiece() throws {
    let encoders = try SnapshotEncoders(level: 1)
    var frames = SnapshotFrames()
    try frames.begin("custom:u", Self.begin, encoders)
    var records = ByteBuffer()
    let id = EventID(high: 1, tail: 1)
    let run = RunNames()
    var cache = NameCache(of: run.events)
    Mutation(id, isEarlier: true, name: cache.id(of: "a"), time: 1).append(to: &records)
    var left = KeyState(key: "custom:u")
    left.records = records.view
    frames.append(left, published: [], withValues: true, names: SnapshotNames(run), oldestID: .min)
    frames.removeAll()
    try frames.cut(encoders)
    try frames.begin("custom:v", Self.begin, encoders)
    try frames.cut(encoders)
    let state = KeptFrames()
    try frames.state.append(to: state)
    #expect(state.frames.map(\.written.text) == [StateText.trailerLength])
    try frames.index.forEach { entry in
      #expect(entry.key == "custom:v" && entry.fact(OldestID.number) == nil)
      var persons = DirtyPersonFilter()
      persons.insert(XXH64.hash("custom:u"))
      #expect(!PersonMarks.mayHave(persons, in: entry))
    }
  }
}
