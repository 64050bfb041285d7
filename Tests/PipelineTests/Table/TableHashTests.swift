import TestSupport
import Testing

@testable import Pipeline

/// Names and keys that were crafted to collide in a table do not.
@Suite struct TableHashTests {
  @Test func theTextsHaveOneXXH64() {
    let prefix = Array("custom:x".utf8)
    let behind = EqualHashes.texts(50, behind: prefix).map { prefix + $0 }
    for texts in [EqualHashes.texts(50), EqualHashes.texts(5, isASCII: true), behind] {
      let hashes = texts.map { withByteView(of: $0) { XXH64.hash($0) } }
      #expect(Set(texts).count == texts.count && Set(hashes).count == 1)
    }
  }

  @Test func hashesDependOnEveryByteAndTheSeed() {
    var (hashes, ofTables): (Set<UInt64>, Set<UInt64>) = ([], [])
    var count = 0
    for length in 0..<80 {
      for (changed, seed) in [(-1, 0), (-1, 1)] + (0..<length).map({ ($0, 0) }) {
        var bytes = [UInt8](repeating: 0x61, count: length)
        if changed >= 0 { bytes[changed] = 0x62 }
        withByteView(of: bytes) { view in
          let (low, high) = TableHash.secret.twoHashes(view, seed: UInt64(seed))
          hashes.formUnion([low, high])
          #expect(TableHash.of(view) == TableHash.of(view))
          ofTables.insert(TableHash.of(view))
        }
        count += 1
      }
    }
    // The hash of tables has no seed.
    #expect(hashes.count == 2 * count && ofTables.count == count - 80)
  }

  /// Names whose two words were chosen to give all of them the same hash if the hash had no secret.
  @Test func namesAreSpread() {
    let table = InternTable()
    let homes = (0..<200 as Range<UInt64>).map { number -> Int in
      let tail = number &* 0x0101_0101
      return table.home(tail << 29 | tail >> 35, tail)
    }
    #expect(Set(homes).count > 80, "of 256 places")
  }
}
