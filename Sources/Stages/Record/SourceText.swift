import Pipeline

/// Where tape entries stand in the source, with their quotes, and which of them stand there as they
/// would be written (data-model 11).
enum SourceText {
  /// The opening quote of a key that is not decoded.
  static func start(ofKey key: TapeEntry) -> Int {
    let prefix =
      switch key.keyForm {
      case .plain: 0
      case .date: 5
      case .url: 4
      }
    return Int(key.start) - prefix - 1
  }

  /// The end of a value that is not decoded.
  static func end(of value: TapeEntry) -> Int {
    Int(value.start) + Int(value.length) + (value.kind == .string ? 1 : 0)
  }
}

extension Tape {
  /// Whether the value at `node`, in a line without white space between tokens, is written just as
  /// it stands in the source: nothing in it is decoded, relabelled or dropped.
  /// Complexity: O(entries of the value).
  @inline(__always)
  func isVerbatim(_ node: Int) -> Bool {
    let entry = self[node]
    switch entry.kind {
    case .string: return !entry.isDecoded
    case .integer, .double, .true, .false, .null: return true
    case .key, .date: return false
    case .array, .object: return isVerbatimContainer(node, end: Int(entry.next))
    }
  }

  /// An entry for the text of what is in the object or array at `node` of the source, in a line
  /// without white space between tokens, if it is written just as it stands there
  /// (``TapeEntry/prevalidated``); nil for any other value. Complexity: O(entries of the value).
  func verbatimText(_ node: Int) -> TapeEntry? {
    var entry = self[node]
    // What was drafted has no text.
    guard entry.kind == .object || entry.kind == .array, entry.length > 0, !entry.isDecoded,
      isVerbatimContainer(node, end: Int(entry.next))
    else { return nil }
    entry.start += 1
    entry.length -= 2
    entry.flags = TapeEntry.prevalidated
    return entry
  }

  private func isVerbatimContainer(_ node: Int, end: Int) -> Bool {
    for index in node + 1..<end {
      let entry = self[index]
      if entry.kind == .date || entry.flags & (TapeEntry.decoded | TapeEntry.dropped) != 0 {
        return false
      }
    }
    return true
  }
}
