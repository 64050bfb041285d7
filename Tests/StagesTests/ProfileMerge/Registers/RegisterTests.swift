import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The laws of the merge, for every register of a key.
@Suite struct RegisterTests {
  /// What a register makes of records.
  fileprivate typealias Records = [String]

  /// Random records that registers hear, with texts that stay valid.
  fileprivate struct RandomRecords {
    var random: RepeatableRandom
    let texts: [ByteView] = ["custom:a", "custom:b", "custom:c"]

    mutating func number(_ range: ClosedRange<Int>) -> Int {
      range.lowerBound + Int(random.next() % UInt64(range.count))
    }

    mutating func next(_ kinds: [Mutation.Kind]) -> Mutation {
      let kind = kinds[number(0...kinds.count - 1)]
      let day = DayNumber.milliseconds
      let time = 20_000 * day + number(0...5)
      let text = texts[number(0...2)]
      switch kind {
      case .counted:
        let first = UInt64(time - number(0...3))
        return Mutation(
          kind, name: 0, time: time, words: (UInt64(number(1...3)), first), value: "{}")
      case .untimed:
        return Mutation(
          kind, time: EventTime.absent, words: (UInt64(number(1...3)), 0), value: "{}")
      case .identified, .id, .earlierID:
        let id = (UInt64(number(0...2)) << 16 | 7, UInt64(number(0...2)))
        return Mutation(kind, name: UInt32(number(0...1)), time: time, words: id)
      case .set:
        let isArray = number(0...1) == 0
        return Mutation(kind, time: time, value: isArray ? "[\"x\"]" : "5")
      case .single:
        return number(0...1) == 0
          ? Mutation(.consent, TimedValue(time: time, value: number(0...1) == 0 ? "true" : "false"))
          : Mutation(.location, TimedValue(time: time, value: "{\"n\":1}"))
      case .days, .profileDays: return Mutation(kind, time: (20_000 + number(0...3)) * day)
      case .run:
        return Mutation(kind, name: UInt32(number(0...1)), words: (UInt64(number(0...3)), 0))
      case .erased: return Mutation(kind, words: (UInt64(number(0...3)), 1))
      case .seen: return Mutation(kind, time: time, words: (0, UInt64(time - number(0...3))))
      case .touched, .unlinked, .alone: return Mutation(kind)
      case .event, .unset, .clear, .eraseMark: return Mutation(kind, time: time)
      default: return Mutation(kind, time: time, value: text)
      }
    }
  }

  /// Checks one register after the other.
  fileprivate struct Laws: RegisterVisitor {
    let seed: UInt64
    var checked = 0

    mutating func visit<R: Register & ~Copyable>(_ register: inout R) {
      checked += 1
      var random = RandomRecords(random: RepeatableRandom(seed: seed))
      // Those of links only count behind the number of earlier events of their source.
      let heard = Self.kinds(of: R.heard).filter { $0 != .link || R.kinds.contains($0) }
      let all = (0..<random.number(0...9)).map { _ in random.next(heard) }
      let texts = all.map { Self.text($0) }
      let expected = Self.merged(texts, &register)
      let what = "\(R.self), seed \(seed)"
      for _ in 0..<4 {
        #expect(
          Self.merged(texts.shuffled(using: &random.random), &register) == expected, "\(what)")
      }
      // What was merged before, and what others have told the register besides.
      let cut = random.number(0...texts.count)
      let (front, back) = (Array(texts[..<cut]), Array(texts[cut...]))
      let others = all[..<cut].filter { !R.kinds.contains($0.kind) }.map { Self.text($0) }
      let grouped = Self.merged(front, &register) + others + back
      #expect(Self.merged(grouped, &register) == expected, "grouped, \(what)")
      // What a mark has removed from a state is what it removes from all states together; so is
      // what an earlier mark has removed before.
      let mark = 20_000 * DayNumber.milliseconds + random.number(-1...6)
      let erased = Self.merged(texts, &register, erasedThrough: mark)
      let left = Self.merged(front, &register, erasedThrough: mark) + others + back
      #expect(Self.merged(left, &register, erasedThrough: mark) == erased, "erased, \(what)")
      let earlier = Self.merged(front, &register, erasedThrough: mark - 2) + others + back
      #expect(Self.merged(earlier, &register, erasedThrough: mark) == erased, "twice, \(what)")
      for text in expected { Self.expectSound(text, as: R.self, "\(what)") }
      #expect(Self.merged([], &register).isEmpty, "what was removed is gone, \(what)")
    }

    private static func kinds(of kinds: Mutation.Kinds) -> [Mutation.Kind] {
      (0...UInt8.max).map { Mutation.Kind(byte: $0) }
        .filter { kinds.contains($0) && RegisterTests.known.contains($0) }
    }

    private static func text(_ record: Mutation) -> [UInt8] {
      ByteBuffer(records: [record]).view.array
    }

    /// The records of the register after those in `texts`, and an erasure, sorted.
    private static func merged<R: Register & ~Copyable>(
      _ texts: [[UInt8]], _ register: inout R, erasedThrough mark: Int? = nil
    ) -> [[UInt8]] {
      register.removeAll()
      var bytes = ByteBuffer()
      for text in texts { bytes.append(contentsOf: text) }
      var offset = 0
      while let record = Mutation(bytes.view, at: &offset) {
        register.add(record, rank: record.name)
      }
      register.settle()
      if let mark { register.erase(through: mark) }
      var records: [[UInt8]] = []
      register.forEachRecord { records.append(text($0)) }
      return records.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func expectSound<R: Register & ~Copyable>(
      _ text: [UInt8], as type: R.Type, _ what: String
    ) {
      withByteView(of: text) { bytes in
        var offset = 0
        guard let record = Mutation(bytes, at: &offset) else { return }
        var place = RecordPlace(section: .install, hasProfile: true, content: .partial)
        let isSound = R.kinds.contains(record.kind) && R.isSound(record, &place)
        #expect(isSound, "\(record), \(what)")
      }
    }
  }

  fileprivate static let known: Set<Mutation.Kind> = [
    .event, .identified, .counted, .untimed, .set, .unset, .addItem, .removeItem, .single, .seen,
    .clear, .id, .earlierID, .erased, .days, .run, .eraseMark, .link, .unlinked, .alone, .touched,
  ]

  @Test(arguments: Array(1...60) as [UInt64])
  func everyRegisterMergesInAnyOrder(seed: UInt64) {
    var laws = Laws(seed: seed)
    var registers = KeyRegisters()
    registers.eachOfAll(&laws)
    #expect(laws.checked == 12)
  }

  /// The bytes of a damaged frame may name any kind.
  @Test func aByteThatIsNoKindIsNotSound() {
    let others: Set<Mutation.Kind> = [.profileDays, .published]
    var registers = KeyRegisters()
    for byte in 0...UInt8.max {
      let kind = Mutation.Kind(byte: byte)
      if Self.known.contains(kind) || others.contains(kind) { continue }
      for time in [0, 20_000 * DayNumber.milliseconds, EventTime.absent] {
        var place = RecordPlace(section: .install, hasProfile: true, content: .partial)
        let record = Mutation(kind, time: time, words: (1, 1), value: "true")
        let isSound = registers.isSound(record, &place)
        #expect(!isSound, "\(byte)")
      }
    }
  }

  /// Each kind has one register, and another byte.
  @Test func noKindBelongsToTwo() {
    struct Owners: RegisterVisitor {
      var owners: [Mutation.Kind: Int] = [:]

      mutating func visit<R: Register & ~Copyable>(_ register: inout R) {
        for kind in RegisterTests.known where R.kinds.contains(kind) {
          owners[kind, default: 0] += 1
        }
      }
    }
    var owners = Owners()
    var registers = KeyRegisters()
    registers.eachOfAll(&owners)
    #expect(owners.owners == Dictionary(uniqueKeysWithValues: Self.known.map { ($0, 1) }))
  }
}
