import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct SortedRunTests {
  /// That of seed 0 has no keys.
  @Test(arguments: [0, 1, 2, 3] as [UInt64])
  func whatWasWrittenIsRead(seed: UInt64) throws {
    let fixture = try SpillFixture()
    var states = RandomStates(seed: seed)
    var expected: [[PlainState]] = []
    let partitions = states.number(in: 1...3)
    let path = try fixture.write { writer in
      for partition in 0..<partitions {
        for section in KeySection.allCases {
          // Some sections have nothing.
          let isEmpty = seed == 0 || states.number(in: 0...3) == 0
          let count = isEmpty ? 0 : states.number(in: 1...700)
          let keys = (0..<count).map { "\(section.prefix.text)\($0)" }.sorted(by: less)
            .filter { KeyHash.partition(hash($0), of: partitions) == partition }
          var written: [PlainState] = []
          for key in keys {
            let state = states.next(key)
            written.append(PlainState(state))
            try writer.append(state, section: section, hash: hash(key), partition: partition)
          }
          expected.append(written)
        }
      }
    }
    let spill = try SortedRun(
      spill: PositionedFile(path, doing: "testing"), partitions: partitions, .own)
    for partition in 0..<partitions {
      for section in KeySection.allCases {
        let all = expected[partition * 3 + section.rawValue]
        #expect(try spill.states(partition, section) == all, "seed \(seed)")
        guard all.count > 2 else { continue }
        for _ in 0..<6 {
          let limits = (0..<2).map { _ in "\(section.prefix.text)\(states.number(in: 0...800))" }
            .sorted(by: less)
          for (lower, upper) in [(0, 1), (0, nil), (nil, 0)] as [(Int?, Int?)] {
            let (lower, upper) = (lower.map { limits[$0] }, upper.map { limits[$0] })
            let found = try spill.states(partition, section, from: lower, to: upper)
            let wanted = all.filter { state in
              !(lower.map { less(state.key, $0) } ?? false)
                && (upper.map { less(state.key, $0) } ?? true)
            }
            #expect(found == wanted, "seed \(seed), \(lower ?? "-") to \(upper ?? "-")")
          }
        }
      }
    }
  }

  /// Cuts are keys with which groups begin, in order, and their numbers of keys add up to those
  /// before the last of them.
  @Test func cutsAreWhereGroupsBegin() throws {
    let fixture = try SpillFixture()
    let keys = (0..<20_000).map { "custom:\($0)" }.sorted(by: less)
    let spill = try fixture.spill(try fixture.write(keys) { _ in Array(repeating: 0, count: 40) })
    var cuts: [(key: String, keys: Int)] = []
    spill.forEachCut(.custom) { cuts.append(($0.text, $1)) }
    #expect(cuts.count > 5)
    #expect(cuts.map(\.key) == cuts.map(\.key).sorted(by: less))
    for (number, cut) in cuts.enumerated() {
      #expect(KeyHash.beginsGroup(hash(cut.key)))
      let before = number == 0 ? 0 : keys.firstIndex(of: cuts[number - 1].key)
      #expect(cut.keys == keys.firstIndex(of: cut.key).map { $0 - (before ?? 0) })
    }
    spill.forEachCut(.install) { key, _ in Issue.record("a cut at \(key.text)") }
  }

  /// Each key whose state is longer than a usual frame has a frame of its own, and is whole.
  @Test func statesLongerThanAFrame() throws {
    let fixture = try SpillFixture()
    let lengths = ["custom:a": 3 << 20, "custom:b": 1, "custom:c": 2 << 20, "install:a": 1 << 20]
    let path = try fixture.write(lengths.keys.sorted()) { key in
      Array(repeating: 7, count: lengths[key] ?? 0)
    }
    let spill = try fixture.spill(path)
    let found = try spill.states(0, .custom) + spill.states(0, .install)
    #expect(found.map(\.key) == lengths.keys.sorted())
    #expect(found.allSatisfy { $0.records.count - Mutation.headLength == lengths[$0.key] })
    #expect(
      try spill.states(0, .custom, from: "custom:b", to: "custom:c").map(\.key) == ["custom:b"])
  }

  /// Keys of another process that are out of order would be merged twice. Long states, of all keys
  /// but "a", end their frame.
  @Test(
    arguments: [
      (["a", "b", "c"], 0, true), (["b", "a"], 0, false), (["a", "a"], 0, false),
      (["a", "b", "c"], 2 << 20, true), (["b", "a"], 2 << 20, false),
      (["a", "c", "b"], 2 << 20, false),
    ] as [([String], Int, Bool)])
  func keysOutOfOrderAreRefused(keys: [String], length: Int, isSound: Bool) throws {
    let names = RunNames()
    _ = names.attributes.intern("k")
    let fixture = try SpillFixture()
    let path = try fixture.write(names: names.lists) { writer in
      for key in keys {
        let text = String(repeating: "x", count: key == "a" ? 0 : length)
        try withByteView(of: "\"\(text)\"") { value in
          let records = ByteBuffer(records: [
            Mutation(.set, time: Rules.earliestTime, value: value)
          ])
          try withByteView(of: "custom:\(key)") { key in
            try writer.append(
              KeyState(key: key, records: records.view), section: .custom, hash: XXH64.hash(key),
              partition: 0)
          }
        }
      }
    }
    let failure = Failure.of(
      try SortedRun(spill: PositionedFile(path, doing: "testing"), partitions: 1, .partial)
        .states(0, .custom))
    #expect(failure?.kind == (isSound ? nil : .corrupt))
  }

  /// The ranges cover a section. Their limits are keys of other sources. They are read in any
  /// order, some concurrently. Each key is returned once, and each frame is read and decoded once.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func rangesShareFrames(seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    let fixture = try SpillFixture()
    let count = Int.random(in: 1...6000, using: &random)
    // Keys are repeated, also across the end of a frame.
    let keys = (0..<count).map { "custom:\($0 / 3 * 2)" }.sorted(by: less)
    let path = try fixture.write(keys) { _ in Array(repeating: 0, count: 90) }
    let reads = Locked(0)
    let spill = try SortedRun(
      spill: PositionedFile(
        path, doing: "testing",
        system: System { call in
          if call == .read { reads.withLock { $0 += 1 } }
          return nil
        }), partitions: 1, .own)
    reads.withLock { $0 = 0 }

    let cuts = Set(
      (0..<Int.random(in: 0...30, using: &random)).map { _ in
        "custom:\(Int.random(in: 0...count, using: &random))"
      }
    ).sorted(by: less)
    var limits = ByteBuffer()
    let positions = cuts.map { cut in
      limits.append(text: cut)
      return limits.count - cut.utf8.count..<limits.count
    }
    let ends = [nil] + positions.map { limits[$0] } + [nil]
    var ranges = zip(ends, ends.dropFirst()).map { KeyRange(lower: $0, upper: $1) }
    ranges.shuffle(using: &random)
    let reader = try KeyFrameReader(names: RunNames())
    var open: [RunCursor] = []
    var found: [String] = []
    while !ranges.isEmpty || !open.isEmpty {
      if let range = ranges.popLast() {
        let piece = KeyRangeTask(partition: 0, section: .custom, range: range)
        if let cursor = try RunCursor(spill, piece, isShared: true, reader) { open.append(cursor) }
      }
      // Two ranges at a time advance, a stretch each.
      while open.count > (ranges.isEmpty ? 0 : 2) {
        let number = Int.random(in: open.indices, using: &random)
        for _ in 0..<Int.random(in: 1...400, using: &random) {
          guard let head = open[number].head else { break }
          found.append(head.key.text)
          try open[number].advance()
        }
        if open[number].head == nil { open.remove(at: number) }
      }
    }
    #expect(found.sorted(by: less) == keys, "seed \(seed)")
    #expect(reads.withLock { $0 } == spill.stretches(.custom).count, "seed \(seed)")
  }

  /// A small spill with everything in it.
  private static func small(_ fixture: SpillFixture) throws -> (path: String, bytes: [UInt8]) {
    var states = RandomStates(seed: 5)
    let path = try fixture.write { writer in
      for partition in 0..<2 {
        let keys = ["anonymous:1", "anonymous:2"] + (1...8).map { "custom:\($0)" } + ["install:a"]
        for key in keys where KeyHash.partition(hash(key), of: 2) == partition {
          let state = states.next(key)
          try writer.append(
            state, section: try #require(KeySection(of: state.key)), hash: hash(key),
            partition: partition)
        }
      }
    }
    let name = String(path.dropFirst(fixture.scratch.path.count + 1))
    return (path, try fixture.scratch.bytes(name))
  }

  /// Reads all of a spill.
  private static func readAll(_ path: String) throws(Failure) -> Int {
    let spill = try SortedRun(spill: PositionedFile(path, doing: "testing"), partitions: 2, .own)
    let reader = try KeyFrameReader(names: RunNames())
    var count = 0
    for partition in 0..<2 {
      for section in KeySection.allCases {
        let all = KeyRangeTask(partition: partition, section: section, range: .all)
        guard let cursor = try RunCursor(spill, all, isShared: false, reader) else { continue }
        while cursor.head != nil {
          count += 1
          try cursor.advance()
        }
      }
    }
    return count
  }

  /// Cut or changed at any byte, it is corrupt: never a crash or different keys without an error.
  /// (Only some changed bits have no effect: those that encode a frame's header in another valid
  /// way.)
  @Test func damagedAnywhereItIsCorruptOrTheSame() throws {
    let fixture = try SpillFixture()
    let (path, bytes) = try Self.small(fixture)
    #expect(try Self.readAll(path) == 11)
    for length in bytes.indices {
      let cut = try fixture.scratch.write(Array(bytes[..<length]), to: "cut")
      let failure = #expect(throws: Failure.self) { try Self.readAll(cut) }
      #expect(failure?.kind == .corrupt && failure?.path == cut, "\(length) bytes")
    }
    var silent = 0
    for position in bytes.indices {
      for change in [0x01, 0x80, 0xFF] as [UInt8] {
        var changed = bytes
        changed[position] ^= change
        let path = try fixture.scratch.write(changed, to: "changed")
        do throws(Failure) {
          #expect(try Self.readAll(path) == 11, "byte \(position)")
          silent += 1
        } catch { #expect(error.kind == .corrupt, "byte \(position)") }
      }
    }
    #expect(silent < bytes.count / 10)
  }
}
