/// The fields of objects in the byte order of their keys; of repeated keys the last (data-model 2).
///
/// A stack: an object inside an open one may be opened. Nothing is allocated after warm-up, except
/// to sort many keys. One thread at a time.
package struct MemberOrder: ~Copyable {
  private var keys = PlainList<Int32>()

  package init() {}

  /// Only between objects.
  package mutating func shrink(to limit: Int) { keys.shrink(to: limit) }

  package subscript(index: Int) -> Int { Int(keys[index]) }

  /// Opens the object at `node`; returns the range of its fields. O(n) when they are in order.
  package mutating func push(_ node: Int, of tape: Tape) -> Range<Int> {
    let first = keys.count
    var isSorted = true
    tape.forEachMember(of: node) { key in
      if isSorted, keys.count > first {
        isSorted = tape.bytes(at: self[keys.count - 1]) < tape.bytes(at: key)
      }
      keys.append(Int32(truncatingIfNeeded: key))
    }
    if !isSorted { sort(from: first, of: tape) }
    return first..<keys.count
  }

  package mutating func pop(_ range: Range<Int>) {
    precondition(range.upperBound == keys.count, "objects are closed from the inside out")
    keys.truncate(to: range.lowerBound)
  }

  /// Sorts the keys from `first` on, and removes all but the last of those with the same text.
  private mutating func sort(from first: Int, of tape: Tape) {
    keys.sort(from: first) { a, b in
      let (one, other) = (tape.bytes(at: Int(a)), tape.bytes(at: Int(b)))
      return one < other || a < b && one == other
    }
    var kept = first
    for index in first..<keys.count {
      if kept > first, tape.bytes(at: self[kept - 1]) == tape.bytes(at: self[index]) {
        keys[kept - 1] = keys[index]
      } else {
        keys[kept] = keys[index]
        kept += 1
      }
    }
    keys.truncate(to: kept)
  }
}
