import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct EventIDTests {
  /// 80 bits of the fingerprint are kept.
  @Test func theInputIsNoPartOfWhatTellsEventsApart() {
    let print = Fingerprint(low: 0x0123_4567_89AB_CDEF, high: 42)
    let (a, b) = (InputSourceID(path: "a"), InputSourceID(path: ""))
    let id = EventID(print, source: a)
    #expect(id.source == a && id.high == 42 && id.lowBits == 0xCDEF)
    for (low, high, isSame) in [
      (0, 0, true), (1 << 16, 0, true), (1, 0, false), (0x8000, 0, false), (0, 1, false),
    ] as [(UInt64, UInt64, Bool)] {
      let other = EventID(Fingerprint(low: print.low ^ low, high: print.high ^ high), source: b)
      #expect(other.source == b && other.isSame(as: id) == isSame, "\(low) \(high)")
    }
  }

  /// The order of ids is the order of their digits in a state.
  @Test(arguments: [1, 2] as [UInt64])
  func digitsAreSortedAndReadBack(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let ids = (0..<600).map { number in
      let (low, high, source) = (random.next(), random.next(), random.next())
      let isOfFew = number % 3 > 0
      return EventID(
        Fingerprint(low: isOfFew ? low % 4 << 14 : low, high: isOfFew ? high % 3 : high),
        source: InputSourceID(number: isOfFew ? source % 4 : source))
    }
    let digits = ids.map { id in
      var all = ByteBuffer()
      var key = ByteBuffer()
      StateNumber.append(id, to: &all)
      StateNumber.appendKey(id, to: &key)
      let input = XXH64.text(id.source.number).suffix(12)
      #expect(all.text == key.text + input, "seed \(seed)")
      #expect(
        key.text == XXH64.text(id.high) + XXH64.text(UInt64(id.lowBits)).suffix(4), "seed \(seed)")
      return (all: all.text, key: key.text)
    }
    #expect(
      zip(ids, digits).sorted { $0.0 < $1.0 }.map(\.1.all) == digits.map(\.all).sorted(),
      "seed \(seed)")
    for (a, b) in zip(ids.indices, ids.indices.dropFirst()) {
      #expect(ids[a].isSame(as: ids[b]) == (digits[a].key == digits[b].key), "seed \(seed)")
    }
  }
}
