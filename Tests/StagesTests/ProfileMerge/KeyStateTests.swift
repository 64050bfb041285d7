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

/// States as a random history leaves them, with records that can be read.
struct RandomStates: ~Copyable {
  var random: RepeatableRandom
  private var text = ByteBuffer()
  private var records = ByteBuffer()

  init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

  mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  /// A state of `key`; its texts are valid until the next one is made. Names of records have
  /// numbers below `names`.
  mutating func next(_ key: String, names: Int = 5) -> KeyState {
    text.removeAll()
    records.removeAll()
    let isInstallation = key.hasPrefix("install:")
    text.append(text: key)
    text.append(text: "custom:p\(number(in: 0...3))")
    text.append(text: "custom:q\(number(in: 0...3))")
    text.append(text: "a value of some length")
    let keyLength = key.utf8.count
    for _ in 0..<number(in: 0...4) {
      let kinds: [Mutation.Kind] = [
        .event, .identified, .counted, .set, .unset, .addItem, .removeItem, .id, .earlierID,
        .single, .erased, .untimed,
      ]
      let kind = kinds[number(in: 0...kinds.count - 1)]
      var record = Mutation(
        kind, name: UInt32(number(in: 0...names - 1)), time: number(in: -5...5),
        value: text[keyLength + 18..<keyLength + 18 + number(in: 1...22)])
      if record.naming == .none { record.name = 0 }
      if record.isID { record.value = "" }
      if kind == .single {
        let isPlace = number(in: 0...1) == 0
        record = Mutation(
          isPlace ? .location : .consent,
          TimedValue(time: record.time, value: isPlace ? "{\"n\":1}" : "true"))
      }
      if kind.hasWords { record.words = (random.next() >> 20, random.next() >> 20) }
      record.append(to: &records)
    }
    var facts = KeyFacts()
    if number(in: 0...2) == 0 { facts.clear.time = number(in: -3...3) }
    if number(in: 0...2) == 0 { facts.eraseMark.time = number(in: -3...3) }
    for _ in 0..<number(in: 0...3) where isInstallation {
      let target = keyLength + 9 * number(in: 0...1)
      facts.links.merge(
        InstallationLink(time: number(in: -9...9), target: text[target..<target + 9]))
    }
    if number(in: 0...3) == 0 { facts.links.erase(through: number(in: -9...9)) }
    if isInstallation, number(in: 0...9) == 0 { facts.links.standAlone() }
    facts.touched.isSet = number(in: 0...3) == 0
    var texts: [[UInt8]] = []
    var visitor = RegisterRecording { texts.append(ByteBuffer(records: [$0]).view.array) }
    facts.each(&visitor)
    for text in texts { records.append(contentsOf: text) }
    if number(in: 0...1) == 0 {
      Self.seen(-number(in: 0...5), number(in: 0...5)).append(to: &records)
    }
    return KeyState(key: text[0..<keyLength], records: records.view)
  }
}

extension RandomStates {
  static func seen(_ first: Int, _ last: Int) -> Mutation {
    Mutation(.seen, time: last, words: (0, UInt64(bitPattern: Int64(first))))
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
        while KeyState(bytes, at: &offset) != nil {
          if offset <= before { Issue.record("no way forward, seed \(seed)") }
          before = offset
        }
        if offset > bytes.count { Issue.record("beyond the end, seed \(seed)") }
      }
    }
  }

  @Test func factsTakeWhatWins() {
    var records = ByteBuffer(records: [Mutation(.link, time: 5, value: "custom:b")])
    #expect(!KeyFacts(records.view).isKnown, "a link alone does not publish a key")
    for record in [
      Mutation(.link, time: 5, value: "custom:a"), RandomStates.seen(2, 9),
      Mutation(.clear, time: 7), Mutation(.link, time: 6, value: "custom:0"),
      Mutation(.set, name: 0, time: 1, value: "1"), Mutation(.clear, time: 6), Mutation(.touched),
      Mutation(.eraseMark, time: 20),
    ] {
      record.append(to: &records)
    }
    let facts = KeyFacts(records.view)
    #expect(
      facts.seen.times == Seen(first: 1, last: 9) && facts.clear.time == 7 && facts.touched.isSet)
    #expect(facts.links.current?.target == "custom:a" && facts.links.current?.time == 5)
    #expect(facts.links.latest?.target == "custom:0" && facts.eraseMark.time == 20)
    #expect(facts.isKnown)
  }
}
