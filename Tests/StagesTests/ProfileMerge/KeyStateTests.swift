import Pipeline
import TestSupport
import Testing

@testable import Stages

/// A state as plain values, to be compared.
struct PlainState: Equatable, CustomStringConvertible {
  var key: String
  var seen = Seen.never
  var clear = Int.min
  var eraseMark = Int.min
  var hasErasedLink = false
  var standsAlone = false
  var links: [String] = []
  var isTouched = false
  var records: [UInt8] = []

  init(_ state: KeyState) {
    key = state.key.text
    seen = state.seen
    clear = state.clear
    eraseMark = state.eraseMark
    hasErasedLink = state.links.hasErased
    standsAlone = state.links.standsAlone
    links = [state.links.earliest, state.links.other, state.links.latest].map { link in
      link.map { "\($0.target.text) @\($0.time)" } ?? "-"
    }
    isTouched = state.isTouched
    records = state.records.array
  }

  var description: String {
    "\(key) \(seen) \(clear) \(eraseMark) \(hasErasedLink) \(links) \(isTouched) \(records.count) bytes"
  }
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
        .event, .identified, .register, .set, .unset, .addItem, .removeItem, .id, .earlierID,
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
      if Mutation.hasWords(kind) { record.words = (random.next() >> 20, random.next() >> 20) }
      record.append(to: &records)
    }
    var state = KeyState(key: text[0..<keyLength])
    if number(in: 0...1) == 0 {
      state.seen = Seen(first: -number(in: 0...5), last: number(in: 0...5))
    }
    if number(in: 0...2) == 0 { state.clear = number(in: -3...3) }
    if number(in: 0...2) == 0 { state.eraseMark = number(in: -3...3) }
    for _ in 0..<number(in: 0...3) where isInstallation {
      let target = keyLength + 9 * number(in: 0...1)
      state.links.merge(
        InstallationLink(time: number(in: -9...9), target: text[target..<target + 9]))
    }
    if number(in: 0...3) == 0 { state.links.erase(through: number(in: -9...9)) }
    if isInstallation, number(in: 0...9) == 0 { state.links.standAlone() }
    state.isTouched = number(in: 0...3) == 0
    state.records = records.view
    return state
  }
}

@Suite struct KeyStateTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func bytesKeepEverything(seed: UInt64) {
    var states = RandomStates(seed: seed)
    var expected: [PlainState] = []
    var bytes = ByteBuffer()
    for number in 0..<300 {
      let state = states.next(["custom:", "install:", "anonymous:"][number % 3] + "é\(number)\0")
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

  @Test func mergingTakesWhatWins() {
    var state = KeyState(key: "install:i")
    #expect(!state.isKnown)
    var other = KeyState(key: "install:i")
    other.links.merge(InstallationLink(time: 5, target: "custom:b"))
    state.merge(other)
    #expect(!state.isKnown, "a link alone makes nobody known")
    other.links = InstallationLinks(only: InstallationLink(time: 5, target: "custom:a"))
    (other.seen, other.clear) = (Seen(first: 2, last: 3), 7)
    state.merge(other)
    other.links = InstallationLinks(only: InstallationLink(time: 6, target: "custom:0"))
    (other.seen, other.clear, other.isTouched) = (Seen(first: 1, last: 1), 6, true)
    state.merge(other)
    state.merge(KeyState(key: "install:i"))
    #expect(state.seen == Seen(first: 1, last: 3) && state.clear == 7 && state.isTouched)
    #expect(state.link?.target == "custom:a" && state.link?.time == 5)
    #expect(state.links.latest?.target == "custom:0")
    #expect(state.isKnown)
  }
}
