import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct EventIDTests {
  private static let sources = ["a", "b", ""].map { InputSourceID(path: $0) }

  @Test func theInputIsNoPartOfWhatTellsEventsApart() {
    let print = Fingerprint(low: 0x0123_4567_89AB_CDEF, high: 42)
    let ids = Self.sources.map { EventID(print, source: $0) }
    for (id, source) in zip(ids, Self.sources) {
      #expect(id.source == source)
      #expect(id.high == 42 && id.lowBits == 0xCDEF)
      for other in ids { #expect(id.isSame(as: other)) }
    }
    for other in [
      Fingerprint(low: print.low, high: 43), Fingerprint(low: print.low ^ 1, high: 42),
      Fingerprint(low: print.low ^ 0x8000, high: 42),
    ] {
      #expect(!EventID(other, source: Self.sources[0]).isSame(as: ids[0]))
    }
    // 80 bits are kept.
    let far = Fingerprint(low: print.low ^ 1 << 16, high: 42)
    #expect(EventID(far, source: Self.sources[0]) == ids[0])
  }

  @Test func mergingKeepsTheFirstInput() {
    let print = Fingerprint(low: 1, high: 2)
    let ids = [7, 3, 9].map { EventID(print, source: InputSourceID(number: $0)) }
    #expect(ids.dropFirst().reduce(ids[0]) { $0.merged(with: $1) }.source.number == 3)
    #expect(ids.dropLast().reduce(ids[2]) { $0.merged(with: $1) }.source.number == 3)
  }

  /// The order of ids is the order of their digits in a state.
  @Test(arguments: [1, 2] as [UInt64])
  func theOrderIsThatOfTheDigits(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let ids = (0..<400).map { _ in
      EventID(
        Fingerprint(low: random.next() % 4 << 14, high: random.next() % 3),
        source: InputSourceID(number: random.next() % 4))
    }
    func digits(_ id: EventID) -> String {
      var text = ByteBuffer()
      StateNumber.append(id, to: &text)
      return text.view.text
    }
    func key(_ id: EventID) -> String {
      var text = ByteBuffer()
      StateNumber.appendKey(id, to: &text)
      return text.view.text
    }
    #expect(ids.sorted { $0 < $1 }.map(digits) == ids.map(digits).sorted(), "seed \(seed)")
    for (a, b) in zip(ids, ids.dropFirst()) {
      #expect(a.isSame(as: b) == (key(a) == key(b)), "seed \(seed)")
      #expect(digits(a).hasPrefix(key(a)))
    }
  }

  @Test(arguments: [1, 2] as [UInt64])
  func digitsAreReadBack(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    for _ in 0..<200 {
      let print = Fingerprint(low: random.next(), high: random.next())
      let id = EventID(print, source: InputSourceID(number: random.next()))
      var digits = ByteBuffer()
      StateNumber.append(id, to: &digits)
      #expect(digits.count == 32)
      #expect(StateNumber.eventID(digits.view) == id, "seed \(seed)")
    }
  }
}
