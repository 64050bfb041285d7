import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The laws of the merge, for every register of a key.
@Suite struct RegisterTests {
  /// Checks one register after the other.
  fileprivate struct Laws: RegisterVisitor {
    let seed: UInt64
    var checked = 0

    mutating func visit<R: Register & ~Copyable>(_ register: inout R) {
      checked += 1
      var random = RandomStates(seed: seed)
      // Those of links only count behind the number of earlier events of their source.
      let heard = Self.kinds(of: R.heard).filter { $0 != .link || R.kinds.contains($0) }
      var all: [Mutation] = []
      for _ in 0..<random.number(in: 0...9) { all.append(random.record(of: heard)) }
      let texts = all.map { Self.text($0) }
      let expected = Self.merged(texts, &register)
      let what = "\(R.self), seed \(seed)"
      for _ in 0..<4 {
        #expect(
          Self.merged(texts.shuffled(using: &random.random), &register) == expected, "\(what)")
      }
      // What was merged before, and what others have told the register besides.
      let cut = random.number(in: 0...texts.count)
      let (front, back) = (Array(texts[..<cut]), Array(texts[cut...]))
      let others = all[..<cut].filter { !R.kinds.contains($0.kind) }.map { Self.text($0) }
      let grouped = Self.merged(front, &register) + others + back
      #expect(Self.merged(grouped, &register) == expected, "grouped, \(what)")
      // What a mark has removed from a state is what it removes from all states together; so is
      // what an earlier mark has removed before.
      let mark = 20_000 * DayNumber.milliseconds + random.number(in: -1...6)
      let erased = Self.merged(texts, &register, erasedThrough: mark)
      let left = Self.merged(front, &register, erasedThrough: mark) + others + back
      #expect(Self.merged(left, &register, erasedThrough: mark) == erased, "erased, \(what)")
      let earlier = Self.merged(front, &register, erasedThrough: mark - 2) + others + back
      #expect(Self.merged(earlier, &register, erasedThrough: mark) == erased, "twice, \(what)")
      for text in expected { Self.expectSound(text, as: R.self, "\(what)") }
      #expect(Self.merged([], &register).isEmpty, "what was removed is gone, \(what)")
    }

    private static func kinds(of kinds: Mutation.Kinds) -> [FactKind] {
      (0...UInt8.max).map { FactKind(byte: $0) }
        .filter { kinds.contains($0) && RandomStates.kinds.contains($0) }
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

  @Test(arguments: Array(1...60) as [UInt64])
  func everyRegisterMergesInAnyOrder(seed: UInt64) {
    var laws = Laws(seed: seed)
    var registers = KeyRegisters()
    registers.eachOfAll(&laws)
    #expect(laws.checked == 12)
  }

  /// The bytes of a damaged frame may name any kind.
  @Test func aByteThatIsNoKindIsNotSound() {
    let others: Set<FactKind> = [.profileDays, .published]
    var registers = KeyRegisters()
    for byte in 0...UInt8.max {
      let kind = FactKind(byte: byte)
      if RandomStates.kinds.contains(kind) || others.contains(kind) { continue }
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
      var owners: [FactKind: Int] = [:]

      mutating func visit<R: Register & ~Copyable>(_ register: inout R) {
        for kind in RandomStates.kinds where R.kinds.contains(kind) {
          owners[kind, default: 0] += 1
        }
      }
    }
    var owners = Owners()
    var registers = KeyRegisters()
    registers.eachOfAll(&owners)
    #expect(owners.owners == Dictionary(uniqueKeysWithValues: RandomStates.kinds.map { ($0, 1) }))
  }
}
