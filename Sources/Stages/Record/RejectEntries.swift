package import Pipeline

/// The reject entries of one block (data-model 15), with each line's raw text stored once.
///
/// One line may have thousands of invalid events, and every entry repeats the raw line; so the text
/// is generated piece by piece while it is written, and memory stays that of the block.
package struct RejectEntries: ~Copyable {
  private var text = ByteBuffer(capacity: 1 << 12)
  /// The ranges of head and raw text of each entry; an entry that was added whole has no raw text.
  private var entries: [(head: Range<Int>, raw: Range<Int>?)] = []

  /// Lines of the block whose text is withheld, by index.
  package private(set) var withheld: [Int] = []

  /// Records that the text of a line is withheld.
  package mutating func withhold(line: Int) { withheld.append(line) }

  /// Number of entries.
  package var count: Int { entries.count }

  /// Removes everything, and releases excess capacity.
  package mutating func recycle() {
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
    entries.recycle()
    withheld.recycle()
  }

  /// Adds the raw part of a line, which `write` appends, and returns its range.
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

  /// Adds an entry that is the line `text`, without a line end.
  package mutating func add(whole text: ByteView) {
    let start = self.text.count
    self.text.append(text)
    entries.append((head: start..<self.text.count, raw: nil))
  }

  /// Calls `write` with the lines of all entries, in pieces.
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
