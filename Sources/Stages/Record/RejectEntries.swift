package import Pipeline

/// The reject entries of one block (data-model 15), with each line's raw text kept once.
///
/// One line may have thousands of bad events, and every entry repeats the raw line; so the text
/// comes into being piece by piece where it is written, and memory stays that of the block.
package struct RejectEntries: ~Copyable {
  private var text = ByteBuffer(capacity: 1 << 12)
  /// Where head and raw text of each entry stand; an entry that is kept as it is has no raw text.
  private var entries: [(head: Range<Int>, raw: Range<Int>?)] = []

  /// Lines of the block whose text is withheld, by their positions in it.
  package private(set) var withheld: [Int] = []

  package init() {}

  /// Notes that the text of a line is withheld.
  package mutating func withhold(line: Int) { withheld.append(line) }

  /// Number of entries.
  package var count: Int { entries.count }

  /// Forgets everything.
  package mutating func removeAll() {
    text.removeAll()
    entries.removeAll(keepingCapacity: true)
    withheld.removeAll(keepingCapacity: true)
  }

  /// Forgets everything, and the room that an unusual block needed.
  mutating func recycle() {
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
    entries.recycle()
    withheld.recycle()
  }

  /// Adds the raw part of a line, as `write` appends it, and returns where it is kept.
  package mutating func addRaw(_ write: (inout ByteBuffer) -> Void) -> Range<Int> {
    let start = text.count
    write(&text)
    return start..<text.count
  }

  /// Adds an entry: what `write` appends, then the raw part at `raw`.
  package mutating func add(raw: Range<Int>, _ write: (inout ByteBuffer) -> Void) {
    let start = text.count
    write(&text)
    entries.append((head: start..<text.count, raw: raw))
  }

  /// Adds an entry that is the line `text`, which has no line end.
  package mutating func add(whole text: ByteView) {
    let start = self.text.count
    self.text.append(text)
    entries.append((head: start..<self.text.count, raw: nil))
  }

  /// Hands out the lines of all entries, in pieces.
  ///
  /// - Throws: what `write` throws.
  package func forEachPiece(
    _ write: (ByteView) throws(Failure) -> Void
  ) throws(Failure) {
    for entry in entries {
      try write(text[entry.head])
      if let raw = entry.raw {
        try write(text[raw])
        try write("}\n")
      } else {
        try write("\n")
      }
    }
  }
}
