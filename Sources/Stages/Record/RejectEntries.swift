package import Pipeline

/// The reject entries of one block (data-model 15), with each line's raw text stored once: every
/// entry of a line repeats it, so the text is generated while it is written.
package struct RejectEntries: ~Copyable {
  private var text = ByteBuffer(capacity: 1 << 12)
  /// The ranges of head and raw text of each entry; an entry that was added whole has no raw text.
  private var entries: [(head: Range<Int>, raw: Range<Int>?)] = []

  /// Lines of the block whose text is withheld, by index.
  package private(set) var withheld: [Int] = []

  package mutating func withhold(line: Int) { withheld.append(line) }

  package var count: Int { entries.count }

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

  /// Adds an entry: what `write` appends, then the raw part at `raw`; without one a whole line.
  package mutating func add(raw: Range<Int>?, _ write: (inout ByteBuffer) -> Void) {
    let start = text.count
    write(&text)
    entries.append((head: start..<text.count, raw: raw))
  }

  /// Calls `write` with the lines of all entries, in pieces.
  package func forEachPiece(_ write: (ByteView) throws(Failure) -> Void) throws(Failure) {
    for entry in entries {
      try write(text[entry.head])
      if let raw = entry.raw { try write(text[raw]) }
      try write(entry.raw == nil ? "\n" : "}\n")
    }
  }
}

/// The part of a line that a reject entry is about (data-model 15), or all of it; entries of a line
/// are in this order.
package enum RejectScope: UInt8, CaseIterable, Sendable {
  case line, event, operation

  /// The name in outputs.
  package var name: ByteView { self == .line ? "line" : self == .event ? "event" : "operation" }

  package init?(_ name: ByteView) {
    guard let scope = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = scope
  }
}
