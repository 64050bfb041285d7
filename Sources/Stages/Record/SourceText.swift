import Pipeline

extension TapeEntry {
  /// The offset of the opening quote of a key that is not decoded.
  var keyStart: Int { Int(start) - keyForm.opening.utf8CodeUnitCount - 1 }

  /// The offset after a value that is not decoded.
  var valueEnd: Int { Int(start) + Int(length) + (kind == .string ? 1 : 0) }
}

extension Tape {
  /// Whether one of the fields whose keys are in `start..<end` has the key with this number.
  func hasMember(_ number: UInt16, from start: Int, to end: Int) -> Bool {
    var key = start
    while key < end {
      if self[key].number == number { return true }
      key = Int(self[key].next)
    }
    return false
  }

  /// Whether the value at `node`, in a compact line, is canonical in the source: nothing in it is
  /// decoded, relabelled or dropped. Complexity: O(entries of the value).
  @inline(__always)
  func isVerbatim(_ node: Int) -> Bool {
    let entry = self[node]
    switch entry.kind {
    case .string: return !entry.isDecoded
    case .integer, .double, .true, .false, .null: return true
    case .key, .date: return false
    case .array, .object:
      for index in node + 1..<Int(entry.next) {
        let entry = self[index]
        if entry.kind == .date || entry.flags & (TapeEntry.decoded | TapeEntry.dropped) != 0 {
          return false
        }
      }
      return true
    }
  }

  /// An entry for the text of the content of the object or array at `node` of the source
  /// (``TapeEntry/prevalidated``), which is canonical; nil for any other value.
  func sourceText(ofContainer node: Int) -> TapeEntry? {
    var entry = self[node]
    // Drafted values have no text.
    guard entry.kind == .object || entry.kind == .array, entry.length > 0, !entry.isDecoded else {
      return nil
    }
    entry.start += 1
    entry.length -= 2
    entry.flags = TapeEntry.prevalidated
    return entry
  }
}
