import CSIMD
import Foundation
import TestSupport
import Testing

@testable import Pipeline

/// The index of blocks: each kernel against what is found byte by byte.
@Suite struct LineIndexTests {
  private struct Expected: Equatable {
    var ranges: [Range<Int>] = []
    var quotes: [[Int]] = []
    var clean: [Bool] = []
  }

  /// The expected index of `bytes`.
  private static func expected(_ bytes: [UInt8]) -> Expected {
    var expected = Expected()
    var (start, quotes, isClean, isEscaped) = (0, [Int](), true, false)
    for (position, byte) in bytes.enumerated() {
      if byte == 0x0A {
        expected.ranges.append(start..<position)
        expected.quotes.append(quotes)
        expected.clean.append(isClean)
        (start, quotes, isClean) = (position + 1, [], true)
      } else if byte < 0x20 || byte > 0x7F || byte == 0x5C {
        isClean = false
      }
      if byte == 0x22, !isEscaped { quotes.append(position) }
      isEscaped = byte == 0x5C && !isEscaped
    }
    return expected
  }

  private static func found(_ bytes: ByteView, _ index: LineIndex) -> Expected {
    index.read(bytes)
    var found = Expected()
    for number in 0..<index.count {
      let line = index[number]
      found.ranges.append(line.range)
      found.quotes.append(line.quotes.map { Int(unsafe index.start(of: $0..<$0 + 1).pointee) })
      found.clean.append(line.isClean)
    }
    return found
  }

  /// Bytes in which quotes, backslashes and line ends are as frequent as `chance` of 16 says.
  private static func bytes(_ count: Int, _ chance: Int, _ random: inout RepeatableRandom)
    -> [UInt8]
  {
    let special: [UInt8] = [0x22, 0x22, 0x5C, 0x5C, 0x0A, 0x0D, 0x09, 0x00, 0x1F, 0x7F, 0x80, 0xFF]
    return (0..<count).map { _ in
      Int.random(in: 0..<16, using: &random) < chance
        ? special[Int.random(in: 0..<special.count, using: &random)] : 0x61
    }
  }

  @Test(arguments: LineIndex.Kernel.allCases.filter(\.isAvailable))
  func kernelsFindWhatIsThere(kernel: LineIndex.Kernel) {
    var random = RepeatableRandom(seed: 5)
    let index = LineIndex(kernel: kernel)
    for count in 0..<300 {
      for chance in [1, 4, 16] {
        // Views of a larger array, so that they begin at any address.
        let offset = count % 64
        let all = Self.bytes(offset + count, chance, &random)
        unsafe all.withUnsafeBufferPointer { buffer in
          guard let base = buffer.baseAddress else { return }
          let view = unsafe ByteView(base: base + offset, count: count)
          #expect(Self.found(view, index) == Self.expected(Array(all[offset...])))
        }
      }
    }
  }

  @Test(arguments: LineIndex.Kernel.allCases.filter(\.isAvailable))
  func nothingIsReadBehindTheBytes(kernel: LineIndex.Kernel) {
    let page = Int(getpagesize())
    let mapped = unsafe mmap(
      nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages = unsafe mapped, unsafe pages != MAP_FAILED,
      unsafe mprotect(pages + page, page, PROT_NONE) == 0
    else {
      Issue.record("there are no pages to be had")
      return
    }
    defer { _ = unsafe munmap(pages, 2 * page) }
    var random = RepeatableRandom(seed: 6)
    let index = LineIndex(kernel: kernel)
    for count in 0..<200 {
      let bytes = Self.bytes(count, 4, &random)
      let start = unsafe pages + page - count
      unsafe start.copyMemory(from: bytes, byteCount: count)
      let view = unsafe ByteView(base: start.assumingMemoryBound(to: UInt8.self), count: count)
      #expect(Self.found(view, index) == Self.expected(bytes))
    }
  }
}
