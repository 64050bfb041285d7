/// A run of whole lines of one input: the unit of work that passes through the stages.
///
/// Invariants:
/// 1. `bytes` holds whole lines, each ended by `\n`; the block source adds the last `\n` of a file
///    that lacks it.
/// 2. Once it is sealed, a quote and zeros follow `bytes`, ``padding`` bytes together: a kernel may
///    read past the last line, and the search for the end of a text ends.
/// 3. A block has one owner at a time; it changes hands with the unit that carries it.
///
/// Where records are not the lines of the file, each is a line of the block.
///
/// A line longer than `--max-line` gets a block of its own, which has ``overlong`` set and holds
/// only the beginning of the line (for the rejects file).
package final class Block {
  /// Readable bytes after the content, for kernels that read 64 bytes at a time.
  package static let padding = 64

  package var content: ByteBuffer
  /// Index of the input in the run's sorted list of inputs.
  package var input = 0
  /// Number in its file of the first line, from 1.
  package var firstLine = 1
  /// Offset of the first byte in the decompressed file.
  package var offset = 0
  /// For the beginning of a line above the limit: the length of the line, without end, CR and BOM.
  package var overlong: Int?

  package struct Position: Equatable, Sendable {
    /// From 1, as above.
    package let line: Int
    /// In the decompressed file.
    package let offset: Int
  }

  /// The beginnings of the lines that are records over any part of the file; else empty.
  package var records: [Position] = []
  /// Whether the file ends with the last line, without a line feed.
  package var lacksLineFeed = false
  /// Whether the file ends within an array of records.
  package var lacksBracket = false
  package init(capacity: Int) { content = ByteBuffer(capacity: capacity + Block.padding) }

  package func clear(of input: Int) {
    content.removeAll()
    self.input = input
    overlong = nil
    records.removeAll()
    (lacksLineFeed, lacksBracket) = (false, false)
  }

  /// The number in its file of the line with this index.
  package func number(ofLine index: Int) -> Int {
    records.isEmpty ? firstLine + index : records[index].line
  }

  /// The offset in its file of the line with this index, which begins at `start`.
  package func offset(ofLine index: Int, at start: Int) -> Int {
    records.isEmpty ? offset + start : records[index].offset
  }

  /// Writes what follows the content. Called when the block is filled.
  package func seal() { content.pad(Block.padding, with: JSONByte.quote) }
  var isSealed: Bool { content.isPadded(Block.padding, with: JSONByte.quote) }
  package var bytes: ByteView { content.view }
}
