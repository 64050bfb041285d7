import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct NameInfoCacheTests {
  @Test func aNameIsLookedAtOncePerBlock() {
    let cache = NameInfoCache(0)
    let tape = Tape()
    var calls = 0
    func info(_ number: UInt16) -> Int {
      cache.info(of: number, in: tape) {
        calls += 1
        return calls
      }
    }
    tape.bind(to: "x")
    #expect(info(3) == 1 && info(3) == 1 && info(700) == 2 && info(3) == 1)
    // What stands between was never met.
    #expect(info(4) == 3 && info(4) == 3)
    tape.bind(to: "x")
    #expect(info(3) == 4 && info(3) == 4)
  }

  /// A reader works on the blocks of many units, each with a tape of its own.
  @Test func theNamesOfAnotherTapeAreOthers() {
    let cache = NameInfoCache(0)
    let tapes = [Tape(), Tape()]
    for tape in tapes { tape.bind(to: "x") }
    for (index, tape) in tapes.enumerated() {
      #expect(cache.info(of: 1, in: tape) { 10 + index } == 10 + index)
    }
    #expect(cache.info(of: 1, in: tapes[0]) { 20 } == 20)
  }

  @Test func nothingIsRememberedOfNamesWithoutANumber() {
    let cache = NameInfoCache("none" as StaticString)
    let tape = Tape()
    for name in ["a", "b"] as [StaticString] {
      let found = cache.info(of: 0, in: tape) { name }
      #expect(ByteView(found) == ByteView(name))
    }
  }
}
