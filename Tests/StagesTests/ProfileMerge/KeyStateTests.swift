import Pipeline
import TestSupport
import Testing

@testable import Stages

/// A state as plain values, to be compared.
struct PlainState: Equatable, CustomStringConvertible {
  var key: String
  var hasProfile = false
  var records: [UInt8] = []

  init(_ state: KeyState) {
    (key, hasProfile, records) = (state.key.text, state.hasProfile, state.records.array)
  }

  var description: String { "\(key) \(hasProfile) \(records.count) bytes" }
}

/// Random records, and states of them.
struct RandomStates: ~Copyable {
  /// The kinds of records that are merged.
  static let kinds: [FactKind] = [
    .event, .identified, .counted, .untimed, .set, .unset, .addItem, .removeItem, .single, .seen,
    .clear, .id, .earlierID, .erased, .days, .run, .eraseMark, .link, .unlinked, .alone, .touched,
  ]
  private static let texts: [ByteView] = ["custom:a", "custom:b", "custom:c"]
  private static let values: [ByteView] = ["", "{}", "{\"n\":1}"]

  var random: RepeatableRandom
  private var text = ByteBuffer()
  private var records = ByteBuffer()

  init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

  mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func word(in range: ClosedRange<UInt64>) -> UInt64 {
    UInt64.random(in: range, using: &random)
  }

  /// A record of one of `kinds`, with a text that stays valid.
  mutating func record(of kinds: [FactKind]) -> Mutation {
    let kind = kinds[number(in: 0...kinds.count - 1)]
    let day = DayNumber.milliseconds
    let time = 20_000 * day + number(in: 0...5)
    let (text, value) = (Self.texts[number(in: 0...2)], Self.values[number(in: 0...2)])
    let isFirst = number(in: 0...1) == 0
    switch kind {
    case .counted:
      let first = UInt64(time - number(in: 0...3))
      return Mutation(kind, time: time, words: (word(in: 1...3), first), value: value)
    case .untimed:
      return Mutation(kind, time: EventTime.absent, words: (word(in: 1...3), 0), value: value)
    case .identified, .id, .earlierID:
      let id = (word(in: 0...2) << 16 | 7, word(in: 0...2))
      return Mutation(kind, name: isFirst ? 0 : 1, time: time, words: id)
    case .set: return Mutation(kind, time: time, value: isFirst ? "[\"x\"]" : "5")
    case .single where isFirst: return Mutation(.location, time: time, value: "{\"n\":1}")
    case .single:
      let flag: ByteView = number(in: 0...1) == 0 ? "true" : "false"
      return Mutation(.consent, time: time, value: flag)
    case .days: return Mutation(kind, time: (20_000 + number(in: 0...3)) * day)
    case .run: return Mutation(kind, name: isFirst ? 0 : 1, words: (word(in: 0...3), 0))
    case .erased: return Mutation(kind, words: (word(in: 0...3), 1))
    case .seen: return Mutation(kind, time: time, words: (0, UInt64(time - number(in: 0...3))))
    case .touched, .unlinked, .alone: return Mutation(kind)
    case .event: return Mutation(kind, time: time, value: value)
    case .unset, .clear, .eraseMark: return Mutation(kind, time: time)
    default: return Mutation(kind, time: time, value: text)
    }
  }

  /// A state of `key`; its texts are valid until the next one is made.
  mutating func next(_ key: String) -> KeyState {
    text.removeAll()
    text.append(text: key)
    records.removeAll()
    let kinds = Self.kinds.filter { key.hasPrefix("install:") || !$0.isOfLinks }
    for _ in 0..<number(in: 0...8) { record(of: kinds).append(to: &records) }
    return KeyState(key: text.view, records: records.view)
  }
}

@Suite struct KeyStateTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func bytesKeepEverything(seed: UInt64) {
    var states = RandomStates(seed: seed)
    var expected: [PlainState] = []
    var bytes = ByteBuffer()
    for number in 0..<300 {
      var state = states.next(["custom:", "install:", "anonymous:"][number % 3] + "é\(number)\0")
      state.hasProfile = states.number(in: 0...1) == 0
      expected.append(PlainState(state))
      state.append(to: &bytes)
    }
    var (found, offset): ([PlainState], Int) = ([], 0)
    while let state = KeyState(bytes.view, at: &offset) { found.append(PlainState(state)) }
    #expect(found == expected, "seed \(seed)")
    #expect(offset == bytes.count)
  }

  /// Bytes other than a state are refused, without a trap and without reading past their end.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func otherBytesAreRefused(seed: UInt64) {
    var states = RandomStates(seed: seed)
    var bytes = ByteBuffer()
    for number in 0..<3 { states.next("install:\(number)").append(to: &bytes) }
    for length in 0..<bytes.count {
      var offset = 0
      while KeyState(bytes[0..<length], at: &offset) != nil {}
      #expect(offset <= length)
    }
    for _ in 0..<3000 {
      withByteView(of: Mutations.mutate(bytes.view.array, &states.random)) { bytes in
        var (offset, before) = (0, -1)
        while let state = KeyState(bytes, at: &offset) {
          var end = 0
          while Mutation(state.records, at: &end) != nil {}
          if end > state.records.count { Issue.record("beyond the state, seed \(seed)") }
          if offset <= before { Issue.record("no way forward, seed \(seed)") }
          before = offset
        }
        if offset > bytes.count { Issue.record("beyond the end, seed \(seed)") }
      }
    }
  }
}
