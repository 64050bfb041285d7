import Pipeline
import TestSupport
import Testing

@Suite struct ByteViewTests {
  @Test func ordersByUnsignedBytes() {
    let sorted: [[UInt8]] = [[], [0], [0, 0], [0x61], [0x61, 0x62], [0x62], [0x80], [0xFF]]
    for (i, a) in sorted.enumerated() {
      for (j, b) in sorted.enumerated() {
        withByteView(of: a) { a in
          withByteView(of: b) { b in
            #expect((a < b) == (i < j))
            #expect((a == b) == (i == j))
          }
        }
      }
    }
  }

  @Test func readsWordsInLittleEndian() {
    withByteView(of: [1, 2, 3, 4, 5, 6, 7, 8, 9]) { view in
      #expect(view.word64(at: 1) == 0x0908_0706_0504_0302)
      #expect(view.word32(at: 5) == 0x0908_0706)
    }
  }

  @Test func readingOutsideTraps() async {
    await #expect(processExitsWith: .failure) { _ = ByteView("abc")[3] }
    await #expect(processExitsWith: .failure) { _ = ByteView("abc")[1..<4] }
    await #expect(processExitsWith: .failure) { _ = ByteView("abcdefgh").word64(at: 1) }
  }
}
