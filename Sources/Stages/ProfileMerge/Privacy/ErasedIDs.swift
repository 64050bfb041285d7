package import Pipeline

/// The ids that a run was asked to erase, as they occur in texts. Later nights only know their
/// hashes (``Erasures``).
package struct ErasedIDs: Sendable, Equatable {
  /// In byte order, with spaces for `+` and no-break spaces.
  private let ids: [[UInt8]]
  /// UUIDs, which ignore case, in upper case.
  private let caseless: [[UInt8]]
  private let longest: Int
  /// Of the ids that do not ignore case.
  private let hashes: PhraseHashes

  package var isEmpty: Bool { longest == 0 }

  package init(_ names: [(section: KeySection, id: [UInt8])] = []) {
    var (ids, caseless): ([[UInt8]], [[UInt8]]) = ([], [])
    for (section, id) in names {
      if section == .install, Self.isUUID(id) {
        caseless.append(id.map(Self.upper))
      } else {
        ids.append(Self.spelling(id))
      }
    }
    ids.sort { $0.lexicographicallyPrecedes($1) }
    caseless.sort { $0.lexicographicallyPrecedes($1) }
    longest = names.reduce(0) { max($0, $1.id.count) }
    hashes = PhraseHashes(ids)
    (self.ids, self.caseless) = (ids, caseless)
  }

  package static func == (a: Self, b: Self) -> Bool { a.ids == b.ids && a.caseless == b.caseless }
  package var window: PhraseHashes.Window { hashes.window }

  /// Moves `window` past the next part of a text (``Words``), and returns whether an id that does
  /// not ignore case ends there.
  package func advance(
    _ window: inout PhraseHashes.Window, past range: Range<Int>, of text: ByteView
  ) -> Bool {
    hashes.advance(&window, past: range, of: text) { phrase in
      let phrase = Self.spelling(phrase.array)
      let index = ids.indices.binarySearch { ids[$0].lexicographicallyPrecedes(phrase) }
      return index < ids.count && ids[index] == phrase
    }
  }

  /// Whether a truncated text may end with the beginning of an id. Complexity: O(1), ids being
  /// short.
  package func mayBegin(atEndOf text: ByteView) -> Bool {
    for start in max(0, text.count - longest)..<text.count where Words.isBoundary(text, start) {
      let beginning = text.dropFirst(start).array
      if Self.has(ids, Self.spelling(beginning)) || Self.has(caseless, beginning.map(Self.upper)) {
        return true
      }
    }
    return false
  }

  private static func isUUID(_ id: [UInt8]) -> Bool {
    var text = ByteBuffer(capacity: id.count)
    text.append(contentsOf: id)
    return UUIDText.shape(text.view).isUUID
  }

  /// Whether one of the sorted `ids` begins with `beginning`.
  private static func has(_ ids: [[UInt8]], _ beginning: [UInt8]) -> Bool {
    let index = ids.indices.binarySearch { ids[$0].lexicographicallyPrecedes(beginning) }
    return index < ids.count && ids[index].starts(with: beginning)
  }

  /// As ``PhraseHashes`` compares it.
  private static func spelling(_ id: [UInt8]) -> [UInt8] {
    let space = UInt8(ascii: " ")
    return id.map { $0 == UInt8(ascii: "+") ? space : $0 }.replacing([0xC2, 0xA0], with: [space])
  }

  private static func upper(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte ? byte & ~0x20 : byte
  }
}
