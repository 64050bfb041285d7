import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct NameMapTests {
  private static let map = NameMap(
    events: [30, 31, 32, 33, 34], attributes: [3, 4, 5, 6, 0xFFFF_FFFF])

  /// What the map makes of names.
  private static func numbers(_ naming: Mutation.Naming) -> [UInt32] {
    switch naming {
    case .event: [30, 31, 32, 33, 34]
    case .attribute: [3, 4, 5, 6, 0xFFFF_FFFF]
    case .none: Array(0..<UInt32(RegisterKind.allCases.count))
    }
  }

  /// The names of all records of all states of `bytes`.
  private static func names(_ bytes: ByteView) -> [(name: UInt32, naming: Mutation.Naming)] {
    var names: [(name: UInt32, naming: Mutation.Naming)] = []
    var offset = 0
    while let state = KeyState(bytes, at: &offset) {
      var position = 0
      while let record = Mutation(state.records, at: &position) {
        names.append((record.name, record.naming))
      }
    }
    return names
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func namesGetTheirNumbers(seed: UInt64) {
    var states = RandomStates(seed: seed)
    var text = ByteBuffer()
    for number in 0..<100 { states.next("custom:\(number)").append(to: &text) }
    let before = Self.names(text.view)
    let bytes = text.view.array
    let isTaken = Self.map.relabel(&text)
    #expect(isTaken)
    let after = Self.names(text.view)
    #expect(before.count == after.count && before.count > 100)
    for (before, after) in zip(before, after) {
      #expect(before.naming == after.naming)
      #expect(after.name == Self.numbers(after.naming)[Int(before.name)], "seed \(seed)")
    }
    // Nothing but names has changed.
    let changed = zip(bytes, text.view.array).count { $0 != $1 }
    #expect(bytes.count == text.count && changed <= 4 * before.count)
  }

  @Test func aNameThatIsNotListedIsRefused() {
    for kind in [Mutation.Kind.event, .set] {
      for name in [4, 5] as [UInt32] {
        var records = ByteBuffer()
        Mutation(kind, name: name, time: 1, value: "1").append(to: &records)
        var state = KeyState(key: "custom:u")
        state.records = records.view
        var text = ByteBuffer()
        state.append(to: &text)
        let isTaken = Self.map.relabel(&text)
        #expect(isTaken == (name == 4))
      }
    }
  }

  @Test func whatIsCutIsRefused() {
    var states = RandomStates(seed: 1)
    var text = ByteBuffer()
    var ends: Set<Int> = [0]
    for number in 0..<5 {
      states.next("custom:\(number)").append(to: &text)
      ends.insert(text.count)
    }
    let bytes = text.view.array
    for length in 0...bytes.count {
      var cut = ByteBuffer()
      cut.append(contentsOf: Array(bytes[..<length]))
      let isTaken = Self.map.relabel(&cut)
      #expect(isTaken == ends.contains(length), "\(length) bytes")
    }
  }

  /// Whatever the bytes are: they are refused, or what is left can be read as records with numbers
  /// of the run.
  @Test(arguments: Array(1...5) as [UInt64])
  func otherBytesAreRefusedOrRead(seed: UInt64) {
    var states = RandomStates(seed: seed)
    var refused = 0
    for _ in 0..<2000 {
      var text = ByteBuffer()
      for number in 0..<states.number(in: 1...3) {
        states.next("install:\(number)").append(to: &text)
      }
      var changed = ByteBuffer()
      changed.append(contentsOf: Mutations.mutate(text.view.array, &states.random))
      guard Self.map.relabel(&changed) else {
        refused += 1
        continue
      }
      for (name, naming) in Self.names(changed.view) {
        if !Self.numbers(naming).contains(name) { Issue.record("number \(name), seed \(seed)") }
      }
    }
    #expect(refused > 500, "seed \(seed)")
  }
}
