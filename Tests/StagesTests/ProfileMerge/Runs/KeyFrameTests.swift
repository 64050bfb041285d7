@testable import Jobs
import TestSupport
import Testing

@testable import Pipeline
@testable import Stages

@Suite struct KeyFrameTests {
  private static let start = RandomHistory.start

  /// Frames of one run, as bytes, and the names of another one that reads them.
  private struct Read {
    let names = RunNames()
    var content = SortedRun.Content.state
    var state: [UInt8] = []
    var profiles: [UInt8] = []

    /// The frames of some sections of `run`, in order.
    static func frames(
      of run: SortedRun?, _ sections: [KeySection] = KeySection.allCases
    ) throws -> [Read] {
      let run = try #require(run)
      let reader = try FrameFileReader()
      var stretch = IndexBlock(reader)
      var frames: [Read] = []
      for number in sections.flatMap({ run.stretches($0) }) {
        try stretch.read(number, of: run)
        for entry in stretch.entries {
          var state = ByteBuffer()
          var profiles = ByteBuffer()
          try reader.decode(
            entry.entry.state, of: run.state, from: entry.state.lowerBound, into: &state)
          if let file = run.profiles {
            try reader.decode(
              entry.entry.profiles, of: file, from: entry.profiles.lowerBound, into: &profiles)
          }
          frames.append(
            Read(content: run.content, state: state.view.array, profiles: profiles.view.array))
        }
      }
      return frames
    }

    /// Calls `body` with each key as stored, the line of its profile, and its whole state. Returns
    /// false if it is not sound, or not a frame of `keys` keys.
    func forEach(
      known: SnapshotNames? = nil, keys: Int? = nil,
      _ body: (_ key: KeyState, _ profile: ByteView?, _ whole: KeyState) throws -> Void = {
        _, _, _ in
      }
    ) throws -> Bool {
      let reader = try KeyFrameReader(names: names, known: known?.lists)
      var frame = KeyFrame()
      frame.text.append(contentsOf: state)
      frame.profiles.append(contentsOf: profiles)
      guard reader.bind(&frame, content, keys: keys) else { return false }
      var position = KeyFrame.Position()
      while !frame.isEnd(position) {
        guard let key = frame.next(&position) else { return false }
        let profile = frame.profile(before: position)
        guard let whole = reader.whole(key, profile, keepsIDs: true) else { return false }
        try body(key, profile, whole)
      }
      return true
    }
  }

  private static func expectSound(
    _ frame: Read, _ body: (KeyState, ByteView?, KeyState) throws -> Void
  ) throws {
    let isSound = try frame.forEach(body)
    #expect(isSound)
  }

  /// How many records of a state have values or times of their own, and how many refer to events.
  private static func counts(_ state: KeyState) -> (own: Int, references: Int) {
    var (own, references) = (0, 0)
    state.forEach { if $0.kind == .published { references += 1 } else { own += 1 } }
    return (own, references)
  }

  private static func event(_ key: String, _ name: String, _ time: Int, n: Int = 1) -> Step {
    Step(kind: .event, key: key, name: name, time: start + time, value: #"{"n":\#(n)}"#)
  }

  /// Consecutive events that are equal in the profile and in the key are stored as one reference.
  /// Events that an installation adds to are stored in the state.
  @Test func eventsOfTheProfileStandOnce() throws {
    let fixture = try PreviousFixture([
      Self.event("custom:u", "a", 1), Self.event("custom:u", "b", 2),
      Self.event("custom:u", "b", 3), Self.event("custom:u", "d", 4),
      Self.event("custom:u", "e", 5), Self.event("install:i", "c", 6),
      Self.event("install:i", "e", 6), Step(kind: .touch, key: "install:i"),
      Step(kind: .link, key: "install:i", time: Self.start, value: "u"),
    ])
    let person = try #require(try Read.frames(of: fixture.part, [.custom]).first)
    var found: [String] = []
    try Self.expectSound(person) { key, _, whole in
      // One reference for a and b. The installation's c is skipped. One reference for d. The state
      // has e.
      #expect(Self.counts(key) == (own: 1, references: 2))
      let names = person.names.events.list()
      whole.forEach { record in
        let register = record.eventRegister
        found.append(
          "\(names[record.name].text) \(register.count) \(register.seen.first - Self.start) "
            + "\(register.seen.last - Self.start) \(register.value.text)")
      }
    }
    #expect(
      found.sorted() == [
        #"a 1 1 1 {"n":1}"#, #"b 2 2 3 {"n":1}"#, #"d 1 4 4 {"n":1}"#, #"e 1 5 5 {"n":1}"#,
      ])
    let installation = try #require(try Read.frames(of: fixture.part, [.install]).first)
    try Self.expectSound(installation) { key, profile, _ in
      #expect(profile == nil && Self.counts(key) == (own: 3, references: 0))
    }
  }

  /// If profiles have no values, only the state has them.
  @Test func valuesThatAreNotPublishedStandInTheState() throws {
    let bare = Step(kind: .event, key: "custom:u", name: "a", time: Self.start)
    let fixture = try PreviousFixture([bare, Self.event("custom:u", "b", 1)], withValues: false)
    let frame = try #require(try Read.frames(of: fixture.part, [.custom]).first)
    try Self.expectSound(frame) { key, _, _ in
      #expect(Self.counts(key) == (own: 1, references: 1))
    }
  }

  /// Whether a frame of `keys` that each have these records is sound.
  private static func isSound(
    _ records: [Mutation], keys: [ByteView] = ["custom:u"]
  ) throws -> Bool {
    let run = RunNames()
    _ = (run.events.intern("a"), run.attributes.intern("k"))
    let bytes = ByteBuffer(records: records)
    var text = StateText()
    var facts = FrameFacts()
    for key in keys {
      text.append(
        KeyState(key: key, records: bytes.view), published: [], withValues: true,
        names: SnapshotNames(run), oldestID: .min, noting: &facts)
    }
    try text.cut(try ZstdEncoder(level: 1))
    let taken = KeptFrames()
    try text.frames.append(to: taken)
    let frame = taken.frames[0]
    let position = SeekTable.Frame(
      offset: 0, compressed: frame.bytes.count, decompressedOffset: 0,
      decompressed: frame.written.text)
    var decoded = ByteBuffer()
    let reader = try FrameFileReader()
    let damage = withByteView(of: frame.bytes) { reader.decode($0, at: position, into: &decoded) }
    #expect(damage == nil)
    return try Read(state: decoded.array, profiles: []).forEach()
  }

  /// An invalid value of an attribute would trap the reader of its items, or be published
  /// unchanged. A profile puts the time into a value of a register that is an object, and relies on
  /// its last byte.
  @Test(
    arguments: [
      (nil, ["1", "-1.5e3", "true", #""a\"b""#, "[]", #"["a","\u001f\\"]"#], true),
      (nil, ["", "[", "[1]", #"["a""#, #"["a",]"#, #"["a"]]"#, #"["\u00"#, #"["\ud800"]"#], false),
      (nil, ["{}", #""a"#, #""a"b"#, #"["a\"#], false),
      (nil, ["hello", "null", "trues", "1,2", "1/2", "\"a\nb\"", "[\"a\u{1F}\"]"], false),
      (0, [#"{"a":1}"#], true), (0, ["", "{}", #"{"a":1"#, "true"], false),
      (1, ["true", "false"], true), (1, ["", "null"], false),
      (2, ["true"], false), (256, [#"{"a":1}"#], false),
    ] as [(UInt32?, [String], Bool)])
  func aValueThatNobodySetsIsNotSound(register: UInt32?, values: [String], isSound: Bool) throws {
    for value in values {
      let found = try withByteView(of: value) { value in
        let kind: FactKind = register == nil ? .set : .single
        return try Self.isSound([
          Mutation(kind, name: register ?? 0, time: Self.start, value: value)
        ])
      }
      #expect(found == isSound, "\(value)")
    }
  }

  /// Parts of a record that this program never writes would stay in every later state. Counts whose
  /// sum overflows would trap the merge.
  @Test func aRecordWithPartsThatNobodyWritesIsNotSound() throws {
    for (kind, value, form, isSound) in [
      (.set, "1", .date, true), (.unset, "", .plain, true), (.unset, "", .date, false),
      (.unset, "1", .plain, false), (.addItem, "a", .plain, true), (.addItem, "a", .url, false),
      (.removeItem, "a", .date, false), (.single, #"{"a":1}"#, .plain, true),
      (.single, #"{"a":1}"#, .date, false),
    ] as [(FactKind, ByteView, KeyForm, Bool)] {
      let record = Mutation(kind, time: Self.start, form: form, value: value)
      #expect(try Self.isSound([record]) == isSound, "\(record)")
    }
    let counted = [UInt64(FrameLayout.maximumCount), 1].map {
      Mutation(.counted, name: 0, time: Self.start, words: ($0, UInt64(Self.start)))
    }
    #expect(try Self.isSound([counted[0]]))
    #expect(try !Self.isSound(counted))
    #expect(try !Self.isSound([counted[0]], keys: ["custom:t", "custom:u"]))
    var unknown = ByteBuffer(records: [Mutation(.set, time: Self.start, value: "1")]).array
    unknown[9] = 3
    var offset = 0
    let isRead = withByteView(of: unknown) { Mutation($0, at: &offset) != nil }
    #expect(!isRead)
  }

  /// Names that the totals do not list would have no numbers in the tables of the output.
  @Test func aNameThatIsNotKnownIsNotSound() throws {
    let set = Step(kind: .set, key: "custom:u", name: "k", time: Self.start, value: "1")
    for step in [Self.event("custom:u", "a", 1), set] {
      let fixture = try PreviousFixture([step])
      let frame = try #require(try Read.frames(of: fixture.part, [.custom]).first)
      #expect(try !frame.forEach(known: SnapshotNames(RunNames())))
      #expect(try frame.forEach())
    }
  }

  /// Reading any bytes of a frame and its profiles ends, with a key or a refusal: of a part, and of
  /// what processes hand to each other.
  @Test(arguments: Effort.first(3, of: Array(1...20 as ClosedRange<UInt64>)))
  func bytesThatWereChangedTrapNobody(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    history.hasPrivacy = true
    let fixture = try PreviousFixture(history.steps(60), days: 30)
    history.hasUntimed = true
    let handedOver = try HandedOver(history.steps(60))
    for run in [fixture.part, handedOver.partial, handedOver.memberships] {
      try Self.change(try #require(run), seed)
    }
  }

  /// Ranges that share a frame of a partial go by the number of keys that its index has: one that
  /// was changed made the merge trap.
  @Test func anotherNumberOfKeysThanInTheIndexIsRefused() throws {
    var history = RandomHistory(seed: 5)
    let fixture = try HandedOver(history.steps(60))
    let frames = try Read.frames(of: fixture.partial) + Read.frames(of: fixture.memberships)
    #expect(frames.count > 1)
    for frame in frames {
      var keys = 0
      #expect(try frame.forEach { _, _, _ in keys += 1 })
      for other in -1...1 { #expect(try frame.forEach(keys: keys + other) == (other == 0)) }
    }
  }

  private static func change(_ run: SortedRun, _ seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    var (sound, refused) = (0, 0)
    for frame in try Read.frames(of: run) {
      #expect(try frame.forEach())
      for _ in 0..<200 {
        var changed = frame
        for _ in 0...random.next() % 3 {
          if random.next() % 4 > 0 || changed.profiles.isEmpty {
            Self.change(&changed.state, &random)
          } else {
            Self.change(&changed.profiles, &random)
          }
        }
        let isSound = try changed.forEach { _, _, whole in
          // Every later step must handle an accepted key.
          var text = ByteBuffer()
          StateLines(SnapshotNames(changed.names)).append(whole, to: &text)
        }
        if isSound { sound += 1 } else { refused += 1 }
      }
    }
    #expect(sound > 0 && refused > 0, "seed \(seed)")
  }

  private static func change(_ bytes: inout [UInt8], _ random: inout RepeatableRandom) {
    if bytes.isEmpty { return }
    let position = Int(random.next() % UInt64(bytes.count))
    switch random.next() % 4 {
    case 0: bytes[position] ^= 1 << UInt8(random.next() % 8)
    case 1: bytes[position] = [0, 1, 0x7F, 0x80, 0xFF][Int(random.next() % 5)]
    case 2: bytes.remove(at: position)
    default: bytes.removeLast(min(bytes.count, Int(random.next() % 20)))
    }
  }
}

/// Runs that a process hands to another one, of a history.
private struct HandedOver {
  private let fixture: SpillFixture
  let partial: SortedRun
  let memberships: SortedRun

  init(_ steps: [Step]) throws {
    let fixture = try SpillFixture()
    let run = try MergeRun()
    try run.apply(steps)
    let plan = try run.sources().plan
    let lists = plan.names.lists
    let reader = try plan.makeReader()
    var compactor = MutationCompactor(plan.names.order)
    var duplicates = DuplicateTally()
    let copied = StateSlice()
    let path = try fixture.write(names: lists) { writer in
      for section in KeySection.allCases {
        for piece in try plan.pieces(0, section) {
          var sources = try plan.cursors(piece, isShared: true, reader)
          while let key = sources.key {
            let state = sources.merged(by: &compactor, &duplicates)
            try writer.append(state, section: section, hash: XXH64.hash(key), partition: 0)
            if section == .install, let link = state.facts.links.current {
              Memberships.append(state, link, to: &copied.bytes)
            }
            try sources.advance()
          }
        }
      }
    }
    let memberships = Memberships(KeyLogOptions(partitions: 1), files: fixture.store(), jobs: 1)
    try memberships.add(copied)
    try memberships.sort()
    try memberships.write(run.names, level: 1) { _ throws(Failure) in
      try fixture.staging.folder.create("work/members")
    }
    self.fixture = fixture
    partial = try SortedRun(spill: PositionedFile(path, doing: "testing"), partitions: 1, .partial)
    self.memberships = try SortedRun(
      spill: PositionedFile("\(fixture.staging.folder.path)/work/members", doing: "testing"),
      partitions: 1, .memberships)
  }
}
