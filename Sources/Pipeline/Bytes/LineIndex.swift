import CSIMD

/// The positions of the quotes and line ends of a block, and which of its bytes are special:
/// everything that can be found 64 bytes at a time, whatever the lines mean.
///
/// Special bytes are backslashes, control characters other than the line feed, and bytes outside
/// ASCII; text without any needs no decoding. Reused. One thread at a time.
@usableFromInline
package final class LineIndex {
  /// Longest block that is indexed, in bytes: an index takes up to sixteen times as much.
  package static let longestBlock = 1 << 20

  /// The implementations, which give the same results.
  package enum Kernel: CaseIterable, Sendable {
    case scalar, vector, avx2

    /// Whether this processor supports it.
    package var isAvailable: Bool { self != .avx2 || csimd_has_avx2() }

    /// The fastest one that this processor supports.
    static var best: Kernel { Kernel.avx2.isAvailable ? .avx2 : .vector }
  }

  /// A line that ends with a line feed.
  @frozen @usableFromInline
  package struct Line {
    /// Its bytes, without the line feed.
    @usableFromInline package let range: Range<Int>
    /// The numbers of its quotes.
    @usableFromInline package let quotes: Range<Int>
    /// Whether it has no special bytes.
    @usableFromInline package let isClean: Bool
  }

  private let kernel: Kernel
  private var positions = PlainList<UInt32>()
  private var ends = PlainList<csimd_line>()
  private(set) var specials = PlainList<UInt64>()

  /// An empty index.
  package init(kernel: Kernel = .best) { self.kernel = kernel }

  /// Number of lines.
  package var count: Int { ends.count }

  /// Indexes `bytes`, at most ``longestBlock`` of them, 64 bytes at a time.
  package func read(_ bytes: ByteView) {
    let count = bytes.count
    precondition(count <= Self.longestBlock, "a block is too long to be indexed")
    positions.removeAll()
    ends.removeAll()
    specials.removeAll()
    positions.reserve(count + 64)
    ends.reserve(count)
    specials.reserve((count + 63) / 64)
    unsafe bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else { return }
      // SAFETY: the buffers have the size that the kernels require, which return how much they
      // filled.
      unsafe fill(from: base, count)
    }
  }

  @unsafe
  private func fill(from base: UnsafePointer<UInt8>, _ count: Int) {
    let read =
      switch kernel {
      case .scalar: unsafe csimd_index_scalar
      case .vector: unsafe csimd_index_vector
      case .avx2: unsafe csimd_index_avx2
      }
    let found = unsafe read(base, count, positions.base, ends.base, specials.base)
    unsafe positions.initialized(to: found.quotes)
    unsafe ends.initialized(to: found.lines)
    unsafe specials.initialized(to: (count + 63) / 64)
  }

  /// The line at `index`.
  package subscript(index: Int) -> Line {
    let line = ends[index]
    let isFirst = index == 0
    let start = isFirst ? 0 : Int(ends[index &- 1].end) &+ 1
    let quote = isFirst ? 0 : Int(ends[index &- 1].quotes)
    return Line(
      range: start..<Int(line.end), quotes: quote..<Int(line.quotes),
      isClean: Int(line.special) <= start)
  }

  /// The positions of the quotes with these numbers.
  @unsafe
  func start(of quotes: Range<Int>) -> UnsafePointer<UInt32> {
    precondition(quotes.upperBound <= positions.count, "the index has no such quotes")
    return unsafe UnsafePointer(positions.base + quotes.lowerBound)
  }
}
