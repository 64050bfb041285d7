package import Pipeline

/// The stored form of tags: lower-case, each once, the first occurrence keeping its place (SPEC
/// 4.2).
package enum TagSet {
  /// Lower-cases the tags of the array at `node` that are not dropped, and drops repeated ones.
  /// Complexity: O(bytes).
  package static func store(_ node: Int32, in tape: inout Tape, with fold: inout KeyFold) {
    fold.begin()
    let first = Int(node) + 1
    let end = Int(tape[Int(node)].next)
    var item = first
    while item < end {
      if !tape[item].isDropped { lowercase(item, in: &tape) }
      item = Int(tape[item].next)
    }
    item = first
    while item < end {
      let entry = tape[item]
      if !entry.isDropped, isRepeated(item, of: tape, in: &fold) {
        tape[item].flags |= TapeEntry.dropped
      }
      item = Int(entry.next)
    }
  }

  private static func isRepeated(
    _ item: Int, of tape: borrowing Tape, in fold: inout KeyFold
  ) -> Bool {
    let text = tape.bytes(at: item)
    return fold.add(KeyFold.tag(text), item: item) { tape.bytes(at: $0) == text } != nil
  }

  private static func lowercase(_ item: Int, in tape: inout Tape) {
    guard Characters.needsLowercasing(tape.bytes(at: item)) else { return }
    tape.rewrite(item) { present, lower in
      Characters.appendLowercased(present, to: &lower)
    }
  }
}
