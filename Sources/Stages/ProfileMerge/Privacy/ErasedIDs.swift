package import Pipeline

/// The ids that a run was asked to erase, as they occur in texts. Later nights only know their
/// hashes (``Erasures``).
package struct ErasedIDs: Sendable, Equatable {
  /// In byte order; ids that ignore case are in upper case.
  private var ids: [[UInt8]] = []
  private var caseless: [[UInt8]] = []
  /// By first byte: the lengths of the ids that begin with it, ascending.
  private var lengths: [[Int]] = []
  private var longest = 0

  var isEmpty: Bool { longest == 0 }

  /// Ids of these sections.
  package init(_ names: [(section: KeySection, id: [UInt8])] = []) {
    guard !names.isEmpty else { return }
    lengths = Array(repeating: [], count: 256)
    for (section, id) in names {
      let isCaseless = section == .install && Self.isUUID(id)
      let text = isCaseless ? id.map(Self.upper) : id
      if isCaseless { caseless.append(text) } else { ids.append(text) }
      for first in Set([text[0], isCaseless ? Self.lower(text[0]) : text[0]])
      where !lengths[Int(first)].contains(id.count) {
        lengths[Int(first)].append(id.count)
      }
      longest = max(longest, id.count)
    }
    ids.sort { $0.lexicographicallyPrecedes($1) }
    caseless.sort { $0.lexicographicallyPrecedes($1) }
    for first in lengths.indices { lengths[first].sort() }
  }

  /// Whether `isID` holds for a part of the text that is a whole word: no letter, digit or `_` at
  /// its ends is next to another one outside. Only parts as long as an id are checked. Complexity:
  /// O(`text.count` · lengths of ids).
  package func isWord(in text: ByteView, _ isID: (ByteView) -> Bool) -> Bool {
    if isEmpty { return false }
    for start in 0..<text.count {
      let lengths = lengths[Int(text[start])]
      if lengths.isEmpty || !Self.isEdge(text, start) { continue }
      for length in lengths where start + length <= text.count {
        let end = start + length
        if Self.isEdge(text, end), isID(text[start..<end]) { return true }
      }
    }
    return false
  }

  /// Whether a truncated text may end with the beginning of an id, or within the escape of its
  /// first character.
  package func mayBegin(atEndOf text: ByteView) -> Bool {
    if isEmpty { return false }
    let whole = Self.withoutOpenEscape(text)
    let isOpen = whole.count < text.count
    if isOpen, whole.isEmpty || !Self.isInner(whole[whole.count - 1]) { return true }
    for start in max(0, whole.count - longest)..<whole.count where Self.isEdge(whole, start) {
      let beginning = whole.dropFirst(start).array
      if Self.has(ids, beginning) || Self.has(caseless, beginning.map(Self.upper)) { return true }
    }
    return false
  }

  private static func isUUID(_ id: [UInt8]) -> Bool {
    var text = ByteBuffer(capacity: id.count)
    for byte in id { text.append(byte) }
    return UUIDText.shape(text.view).isUUID
  }

  /// Whether one of the sorted `ids` begins with `beginning`.
  private static func has(_ ids: [[UInt8]], _ beginning: [UInt8]) -> Bool {
    let index = ids.indices.binarySearch { ids[$0].lexicographicallyPrecedes(beginning) }
    return index < ids.count && ids[index].starts(with: beginning)
  }

  /// The text without an incomplete escape at its end.
  private static func withoutOpenEscape(_ text: ByteView) -> ByteView {
    // The longest one is the first half of a surrogate pair and most of the second.
    for length in 1...min(12, max(1, text.count)) where length <= text.count {
      let start = text.count - length
      guard text[start] == UInt8(ascii: "\\") else { continue }
      let isOpen = length == 1 || text[start + 1] == UInt8(ascii: "u") && length < 6
      if !isOpen { return text }
      return text[0..<start]
    }
    return text
  }

  /// Whether a word may begin or end at `index`.
  private static func isEdge(_ text: ByteView, _ index: Int) -> Bool {
    index == 0 || index == text.count || !(isInner(text[index - 1]) && isInner(text[index]))
  }

  private static func isInner(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF:
      true
    default: false
    }
  }

  private static func upper(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte ? byte & ~0x20 : byte
  }

  private static func lower(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
  }
}
