import TestSupport
import Testing

@testable import Pipeline

@Suite struct ZstdFrameExtentTests {
  private func extent(
    _ bytes: [UInt8], compressed: Int = 1 << 20, content: Int = 1 << 20, windowLog: Int = 27
  ) -> ZstdFrameExtent {
    withByteView(of: bytes) {
      ZstdFrameExtent.of(
        $0,
        within: ZstdFrameExtent.Limits(
          compressed: compressed, content: content, windowLog: windowLog))
    }
  }

  @Test(arguments: [0, 1, 255, 256, 1000, 70_000, 300_000])
  func aFrameEndsWhereItsBlocksEnd(count: Int) throws {
    let frame = try zstdFrame(noise(count, seed: 3))
    let whole = ZstdFrameExtent.whole(compressed: frame.count, content: count, isSkippable: false)
    #expect(extent(frame) == whole)
    #expect(extent(frame + frame) == whole, "what follows does not matter")
    for end in stride(from: 0, to: frame.count, by: max(1, frame.count / 200)) {
      #expect(extent(Array(frame[..<end])) == .incomplete, "\(end) of \(frame.count) bytes")
    }
  }

  @Test func aSkippableFrameHasNoContent() {
    let frame = skippableFrame(10)
    #expect(extent(frame) == .whole(compressed: 18, content: 0, isSkippable: true))
    for end in 0..<18 { #expect(extent(Array(frame[..<end])) == .incomplete) }
    #expect(extent(skippableFrame(0)) == .whole(compressed: 8, content: 0, isSkippable: true))
    // Gigabytes of it are not waited for.
    let huge: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 0xFF, 0xFF, 0xFF, 0xEF]
    #expect(extent(huge) == .incomplete)
    #expect(extent(huge + [UInt8](repeating: 0, count: 100), compressed: 108) == .unsuited)
  }

  @Test func limitsAreWhatStillSuits() throws {
    let frame = try zstdFrame(noise(5000, seed: 3))
    let whole = ZstdFrameExtent.whole(compressed: frame.count, content: 5000, isSkippable: false)
    #expect(extent(frame, compressed: frame.count, content: 5000) == whole)
    #expect(extent(frame, compressed: frame.count - 1) == .unsuited)
    #expect(extent(frame, content: 4999) == .unsuited)
    #expect(extent(Array(frame[..<18]), content: 4999) == .unsuited, "its header is enough")
    #expect(extent(Array(frame[..<500]), compressed: 500) == .unsuited, "no more is waited for")
  }

  @Test func whatCannotBeDecodedInOneGo() throws {
    #expect(extent(try zstdFrame(noise(5000, seed: 3), contentSize: false)) == .unsuited)
    #expect(extent(Array("what follows is no frame".utf8)) == .unsuited)
    // Another kind of block than there is.
    var damaged = try zstdFrame(noise(300, seed: 3))
    damaged[7] |= 0x06
    #expect(extent(damaged) == .unsuited)
    // A window of 2 MiB, with the length of the content behind it.
    let wide: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x80, 0x58, 1, 0, 0, 0, 0x01, 0, 0]
    #expect(extent(wide, windowLog: 21) == .whole(compressed: 13, content: 1, isSkippable: false))
    #expect(extent(wide, windowLog: 20) == .unsuited)
  }
}
