import TestSupport
import Testing

@testable import Pipeline
@testable import Stages

@Suite struct StateFrameTests {
  private static let start = RandomHistory.start

  /// Frames of one run, as bytes, and the names of another one that reads them.
  private struct Read {
    let names = RunNames()
    var state: [UInt8] = []
    var profiles: [UInt8] = []

    /// The frames of a section of what `fixture` goes on from, one behind the other.
    static func frames(of fixture: PreviousFixture, _ section: KeySection) throws -> [Read] {
      let part = try #require(fixture.part)
      let reader = try FrameFileReader()
      var stretch = IndexBlock(reader)
      var frames: [Read] = []
      for number in part.stretches(section) {
        try stretch.read(number, of: part)
        for entry in stretch.entries {
          var state = ByteBuffer()
          var profiles = ByteBuffer()
          try reader.decode(
            entry.state, of: part.state, content: entry.entry.state.text, frame: nil, into: &state)
          try reader.decode(
            entry.profiles, of: part.profiles, content: entry.entry.profiles.text, frame: nil,
            into: &profiles)
          frames.append(Read(state: state.view.array, profiles: profiles.view.array))
        }
      }
      return frames
    }

    /// Calls `body` with each key as it stands there, and whole; false when something is not sound.
    func forEach(
      known: SnapshotNames? = nil,
      _ body: (_ key: StateFrame.Key, _ whole: KeyState) throws -> Void
    ) rethrows -> Bool {
      var frame = StateFrame(names: names, known: known)
      return try withByteView(of: state) { state in
        try withByteView(of: profiles) { profiles in
          guard frame.bind(to: state, profiles: profiles) else { return false }
          while !frame.isAtEnd {
            guard let key = frame.next(), let whole = frame.whole(key, keepsIDs: true) else {
              return false
            }
            try body(key, whole)
          }
          return true
        }
      }
    }
  }

  /// How many records of a state have values or times of their own, and how many refer to events.
  private static func counts(_ state: KeyState) -> (own: Int, references: Int) {
    var (own, references) = (0, 0)
    _ = state.contains { record in
      if record.publishedRun == nil { own += 1 } else { references += 1 }
      return false
    }
    return (own, references)
  }

  private static func event(_ key: String, _ name: String, _ time: Int, n: Int = 1) -> Step {
    Step(kind: .event, key: key, name: name, time: start + time, value: #"{"n":\#(n)}"#)
  }

  /// Every profile stands beside its key, whatever the ids are; of installations that fold away
  /// there is none.
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
    var found: [String] = []
    for section in [KeySection.custom, .install] {
      let kind = section == .custom ? "person" : "installation"
      for frame in try Read.frames(of: fixture, section) {
        let isSound = frame.forEach { key, _ in
          if let profile = key.profile {
            let id = quoted(section.id(of: key.state.key).text)
            #expect(profile.text.hasPrefix("{\"id\":\(id),\"kind\":\"\(kind)\","))
            #expect(profile.text.hasSuffix("}\n"))
          }
          found.append("\(key.state.key.text)\(key.profile == nil ? " folds" : "")")
        }
        #expect(isSound)
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

  /// Events that the profile has as the key has them stand in one reference; those that an
  /// installation added to stand in the state.
  @Test func eventsOfTheProfileStandOnce() throws {
    let fixture = try PreviousFixture([
      Self.event("custom:u", "a", 1), Self.event("custom:u", "b", 2),
      Self.event("custom:u", "b", 3), Self.event("custom:u", "d", 4),
      Self.event("custom:u", "e", 5), Self.event("install:i", "c", 6),
      Self.event("install:i", "e", 6), Step(kind: .touch, key: "install:i"),
      Step(kind: .link, key: "install:i", time: Self.start, value: "u"),
    ])
    let person = try #require(try Read.frames(of: fixture, .custom).first)
    var found: [String] = []
    let isSound = person.forEach { key, whole in
      // a and b; then c, which is none of its own, is passed over, and d; e is another one.
      #expect(Self.counts(key.state) == (own: 1, references: 2))
      let names = person.names.events.list()
      _ = whole.contains { record in
        let register = record.eventRegister
        found.append(
          "\(names[record.name].text) \(register.count) \(register.seen.first - Self.start) "
            + "\(register.seen.last - Self.start) \(register.value.text)")
        return false
      }
    }
    #expect(isSound)
    #expect(
      found.sorted() == [
        #"a 1 1 1 {"n":1}"#, #"b 2 2 3 {"n":1}"#, #"d 1 4 4 {"n":1}"#, #"e 1 5 5 {"n":1}"#,
      ])
    let installation = try #require(try Read.frames(of: fixture, .install).first)
    let isWhole = installation.forEach { key, _ in
      #expect(key.profile == nil && Self.counts(key.state) == (own: 2, references: 0))
    }
    #expect(isWhole)
  }

  /// Without values in profiles the state is the only one that has them.
  @Test func valuesThatAreNotPublishedStandInTheState() throws {
    let bare = Step(kind: .event, key: "custom:u", name: "a", time: Self.start)
    let fixture = try PreviousFixture(
      [bare, Self.event("custom:u", "b", 1)], withValues: false)
    let frame = try #require(try Read.frames(of: fixture, .custom).first)
    let isSound = frame.forEach { key, _ in
      #expect(Self.counts(key.state) == (own: 1, references: 1))
    }
    #expect(isSound)
  }

  /// Whether a frame with one key, of which these records are known, is sound.
  private static func isSound(_ records: [Mutation]) throws -> Bool {
    let run = RunNames()
    _ = run.events.intern("a")
    _ = run.attributes.intern("k")
    var state = KeyState(key: "custom:u")
    var bytes = ByteBuffer()
    for record in records { record.append(to: &bytes) }
    state.records = bytes.view
    var text = StateText()
    _ = text.append(
      state, published: nil, withValues: true, names: SnapshotNames(run), oldestID: .min)
    try text.cut(try ZstdEncoder(level: 1))
    let taken = Taken()
    try text.append(to: taken)
    return Read(state: try taken.text(), profiles: []).forEach { _, _ in }
  }

  /// Takes one frame.
  private final class Taken: FrameTarget {
    private var bytes: [UInt8] = []
    private var length = 0

    func append(frame: ByteView, decompressed: Int, lines: Int) throws(Failure) {
      (bytes, length) = (frame.array, decompressed)
    }

    func text() throws -> [UInt8] {
      var text = ByteBuffer()
      let position = SeekTable.Frame(
        offset: 0, compressed: bytes.count, decompressedOffset: 0, decompressed: length)
      let reader = try FrameFileReader()
      let damage = withByteView(of: bytes) { reader.decode($0, at: position, into: &text) }
      #expect(damage == nil)
      return text.view.array
    }
  }

  /// A value that is none would trap whoever reads its items, or be published as it stands.
  @Test(arguments: [
    ("1", true), ("-1.5e3", true), ("true", true), (#""a\"b""#, true), ("[]", true),
    (#"["a","\u001f\\"]"#, true), ("", false), ("[", false), ("[1]", false), (#"["a""#, false),
    (#"["a",]"#, false), (#"["a"]]"#, false), (#"["\u00"#, false), (#"["\ud800"]"#, false),
    ("{}", false), (#""a"#, false), (#""a"b"#, false), (#"["a\"#, false),
  ])
  func aValueThatNobodySetsIsNotSound(value: String, isSound: Bool) throws {
    let found = try withByteView(of: value) { value in
      try Self.isSound([Mutation(.set, name: 0, time: Self.start, value: value)])
    }
    #expect(found == isSound, "\(value)")
  }

  /// A profile puts the time into a value that is an object, and relies on its last byte.
  @Test(arguments: [
    (0, #"{"a":1}"#, true), (0, "", false), (0, "{}", false), (0, #"{"a":1"#, false),
    (0, "true", false), (1, "true", true), (1, "false", true), (1, "", false), (1, "null", false),
    (2, "true", false), (256, #"{"a":1}"#, false),
  ])
  func aValueThatItsRegisterCannotHaveIsNotSound(
    register: UInt32, value: String, isSound: Bool
  ) throws {
    let found = try withByteView(of: value) { value in
      try Self.isSound([Mutation(.single, name: register, time: Self.start, value: value)])
    }
    #expect(found == isSound, "\(register) \(value)")
  }

  /// Counts whose sum overflows would trap the merge.
  @Test func countsOfAKeyHaveALimitTogether() throws {
    let most = UInt64(StateLayout.maximumCount)
    let time = UInt64(Self.start)
    func record(_ count: UInt64) -> Mutation {
      Mutation(.register, name: 0, time: Self.start, words: (count, time))
    }
    #expect(try Self.isSound([record(most)]))
    #expect(try !Self.isSound([record(most), record(1)]))
  }

  /// Names that the totals do not list would have no numbers in the tables of the output.
  @Test func aNameThatIsNotKnownIsNotSound() throws {
    let event = Self.event("custom:u", "a", 1)
    let set = Step(kind: .set, key: "custom:u", name: "k", time: Self.start, value: "1")
    for step in [event, set] {
      let frame = try #require(
        try Read.frames(of: PreviousFixture([step]), .custom).first)
      let isKnown = frame.forEach(known: SnapshotNames(RunNames())) { _, _ in }
      #expect(!isKnown)
      let isSound = frame.forEach { _, _ in }
      #expect(isSound)
    }
  }

  /// Whatever the bytes of a frame and its profiles are, reading ends: with a key or a refusal.
  @Test(arguments: Effort.first(3, of: Array(1...20 as ClosedRange<UInt64>)))
  func bytesThatWereChangedTrapNobody(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    history.hasPrivacy = true
    var random = RepeatableRandom(seed: seed)
    let fixture = try PreviousFixture(history.steps(60), days: 30)
    var (sound, refused) = (0, 0)
    for section in KeySection.allCases {
      for frame in try Read.frames(of: fixture, section) {
        for _ in 0..<200 {
          var changed = frame
          for _ in 0...random.next() % 3 {
            if random.next() % 4 > 0 || changed.profiles.isEmpty {
              Self.change(&changed.state, &random)
            } else {
              Self.change(&changed.profiles, &random)
            }
          }
          var text = ByteBuffer()
          let isSound = changed.forEach { _, whole in
            // What was taken has to stand what is done with it.
            text.removeAll()
            var lines = StateLines(SnapshotNames(changed.names))
            lines.append(whole, to: &text)
          }
          if isSound { sound += 1 } else { refused += 1 }
        }
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
