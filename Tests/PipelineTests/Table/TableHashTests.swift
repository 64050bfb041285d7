import TestSupport
import Testing

@testable import Pipeline

/// Names and keys that were crafted to collide in a table do not.
@Suite struct TableHashTests {
  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    withByteView(of: bytes) { XXH64.hash($0) }
  }

  private static func tableHash(_ bytes: [UInt8]) -> UInt64 {
    withByteView(of: bytes) { TableHash.of($0) }
  }

  @Test func theTextsHaveOneXXH64() {
    let prefix = Array("custom:x".utf8)
    for texts in [EqualHashes.texts(50), EqualHashes.texts(5, isASCII: true)] {
      #expect(Set(texts).count == texts.count)
      #expect(Set(texts.map(Self.hash)).count == 1)
    }
    let texts = EqualHashes.texts(50, behind: prefix).map { prefix + $0 }
    #expect(Set(texts.map(Self.hash)).count == 1)
  }

  @Test func equalBytesHaveEqualHashesAndOthersHaveOthers() {
    var hashes: Set<UInt64> = []
    var count = 0
    for length in 0..<80 {
      for changed in 0..<max(1, length) {
        var bytes = [UInt8](repeating: 0x61, count: length)
        if length > 0 { bytes[changed] = 0x62 }
        #expect(Self.tableHash(bytes) == Self.tableHash(bytes))
        hashes.insert(Self.tableHash(bytes))
        count += 1
      }
    }
    #expect(hashes.count == count)
  }

  /// Changing a byte, the length or the seed changes both hashes.
  @Test func twoHashesDependOnEveryByteAndTheSeed() {
    var hashes: Set<UInt64> = []
    var count = 0
    for length in 0..<80 {
      for (changed, seed) in [(-1, 0), (-1, 1)] + (0..<length).map({ ($0, 0) }) {
        var bytes = [UInt8](repeating: 0x61, count: length)
        if changed >= 0 { bytes[changed] = 0x62 }
        let (low, high) = withByteView(of: bytes) {
          TableHash.secret.twoHashes($0, seed: UInt64(seed))
        }
        hashes.formUnion([low, high])
        count += 2
      }
    }
    #expect(hashes.count == count)
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
