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
    let records = ByteBuffer(records: [Mutation(.location, time: 0, value: location.view)])
    let state = KeyState(key: "custom:u", records: records.view)
    let profile = String(repeating: "x", count: max(profileLength - 1, 0)) + "\n"
    for hash in keys {
      try frames.begin("custom:u", hash, encoders)
      frames.append(state, names: names, oldestID: .min)
      guard profileLength > 0 else { continue }
      frames.profiles.text.append(text: profile)
      frames.profiles.lines += 1
    }
    try frames.cut(encoders)
    try frames.cut(encoders)
    let (states, profiles) = (KeptFrames(), KeptFrames())
    try frames.state.frames.append(to: states)
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

  private static func times(_ count: Int, _ hash: UInt64) -> [UInt64] {
    Array(repeating: hash, count: count)
  }

  /// A frame with eight keys ends before the next one that may end it. Long groups are cut by their
  /// keys, and by their text: the key that brings it to 1 MiB is the last one of its frame, in
  /// whichever file.
  @Test func framesEndWhereKeysAndTextSay() throws {
    let group = [Self.inside, Self.inside, Self.begin, Self.inside, Self.begin, Self.begin]
    let nine = Self.times(9, Self.inside)
    for (keys, length, profileLength, expected) in [
      ([], 1000, 100, []), ([Self.begin], 1000, 100, [1]), (group, 1000, 100, [2, 2, 1, 1]),
      (Self.times(7, Self.inside) + [Self.end], 1000, 100, [8]),
      (Self.times(8, Self.inside) + [Self.end], 1000, 100, [8, 1]),
      (Self.times(20, Self.inside) + [Self.end], 1000, 100, [20, 1]),
      (Self.times(20, Self.end), 1000, 100, [8, 8, 4]),
      (Self.times(300, Self.inside), 1000, 100, [128, 128, 44]), (nine, 300_000, 100, [4, 4, 1]),
      (nine, 1000, 300_000, [4, 4, 1]), (nine, 1 << 20 - 1, 100, [2, 2, 2, 2, 1]),
      (nine, 1 << 20, 100, Array(repeating: 1, count: 9)),
    ] as [([UInt64], Int, Int, [Int])] {
      let found = try Self.frames(keys, length: length, profileLength: profileLength)
      #expect(found.state == expected && found.profiles == expected, "\(length), \(profileLength)")
    }
  }

  /// Keys with little text need more of them: installations that fold into people. These have a
  /// state and no profile: then the frame of profiles is empty, but it is there.
  @Test func framesStayAlignedWithoutProfiles() throws {
    let groups = try Self.frames(Self.times(3, Self.begin), profileLength: 0)
    #expect(groups.state == [1, 1, 1] && groups.profiles == [0, 0, 0])
    let short = try Self.frames(Self.times(100, Self.end), length: 200, profileLength: 0)
    #expect(short.state == Array(repeating: 11, count: 9) + [1])
  }

  /// Two lists of keys differ by a few insertions. Soon after each, their frames are equal again.
  @Test(arguments: [4, 5, 6] as [UInt64])
  func keysThatComeMoveFewCuts(seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    let hashes = (0..<6000).map { _ in random.next() }
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
    for position in stride(from: 5900, to: 0, by: -200) { more.insert(random.next(), at: position) }
    let kept = before.intersection(try ends(more))
    #expect(Double(kept.count) > 0.6 * Double(before.count), "seed \(seed)")
    #expect(kept.count < before.count)
  }

  @Test func nothingIsLeftForTheNextPiece() throws {
    let encoders = try SnapshotEncoders(level: 1)
    var frames = SnapshotFrames()
    try frames.begin("custom:u", Self.begin, encoders)
    let run = RunNames()
    var cache = NameCache(of: run.events)
    let id = EventID(high: 1, tail: 1)
    let records = ByteBuffer(records: [
      Mutation(id, isEarlier: true, name: cache.id(of: "a"), time: 1)
    ])
    let left = KeyState(key: "custom:u", records: records.view)
    frames.append(left, names: SnapshotNames(run), oldestID: .min)
    frames.removeAll()
    try frames.cut(encoders)
    try frames.begin("custom:v", Self.begin, encoders)
    try frames.cut(encoders)
    let state = KeptFrames()
    try frames.state.frames.append(to: state)
    #expect(state.frames.map(\.written.text) == [StateText.trailerLength])
    try frames.index.forEach { entry in
      #expect(entry.key == "custom:v" && entry.fact(FrameFacts.oldestID) == nil)
      var persons = DirtyPersonFilter()
      persons.insert(XXH64.hash("custom:u"))
      #expect(!entry.mayHave(persons))
    }
  }
}
