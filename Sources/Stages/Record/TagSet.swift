package import Pipeline

/// The stored form of tags: in lower case, each once, in order of first occurrence (data-model 7).
package enum TagSet {
  /// Stores the tags of the array at `node` that are not dropped. Complexity: O(bytes).
  package static func store(_ node: Node, in tape: Tape, with fold: KeyFold) {
    fold.begin()
    tape.forEachItem(of: node.index) { item, _ in
      if !tape[item].isDropped { lowercase(item, in: tape) }
    }
    tape.forEachItem(of: node.index) { item, _ in
      if !tape[item].isDropped, isRepeated(item, of: tape, in: fold) {
        tape[item].flags |= TapeEntry.dropped
      }
    }
  }

  /// The same for usual tags: at most ten short ASCII texts, all different. Returns false, having
  /// changed nothing, when this cannot be decided cheaply. Complexity: O(tags²) word comparisons.
  package static func storeUsual(_ node: Node, in tape: Tape) -> Bool {
    var heads = [10 of UInt64](repeating: 0)
    var tails = [10 of UInt64](repeating: 0)
    var capitals: UInt32 = 0
    var count = 0
    let first = node.index + 1
    let end = Int(tape[node].next)
    for item in first..<end {
      let entry = tape[item]
      guard count < Limits.tags, entry.kind == .string,
        let (head, tail) = tape.words(of: entry), Characters.isASCII(head | tail),
        head & 0xFF > 0x20
      else { return false }
      let (lowHead, lowTail) = (Characters.lowercased(head), Characters.lowercased(tail))
      for earlier in 0..<count where heads[earlier] == lowHead && tails[earlier] == lowTail {
        return false
      }
      (heads[count], tails[count]) = (lowHead, lowTail)
      if lowHead != head || lowTail != tail { capitals |= 1 << UInt32(count) }
      count += 1
    }
    while capitals != 0 {
      let position = capitals.trailingZeroBitCount
      tape.rewrite(first + position, as: heads[position], tails[position])
      capitals &= capitals - 1
    }
    return true
  }

  private static func isRepeated(_ item: Int, of tape: Tape, in fold: KeyFold) -> Bool {
    let text = tape.bytes(at: item)
    return fold.add(KeyFold.tag(text), item: item) { tape.bytes(at: $0) == text } != nil
  }

  /// Lower-cases an item, if it is a text.
  static func lowercase(_ item: Int, in tape: Tape) {
    guard tape[item].kind == .string, Characters.needsLowercasing(tape.bytes(at: item)) else {
      return
    }
    tape.rewrite(item) { Characters.appendLowercased($0, to: &$1) }
  }
}
