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
  /// Whether one of the members whose keys stand from `start` up to `end` has the key with this
  /// number.
  func hasMember(_ number: UInt16, from start: Int, to end: Int) -> Bool {
    var key = start
    while key < end {
      if self[key].number == number { return true }
      key = Int(self[key].next)
    }
    return false
  }

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

  /// An entry for the text of what is in the object or array at `node` of the source
  /// (``TapeEntry/prevalidated``), which is written just as it stands there, in a line without
  /// white space between tokens; nil for any other value.
  func sourceText(ofContainer node: Int) -> TapeEntry? {
    var entry = self[node]
    // What was drafted has no text.
    guard entry.kind == .object || entry.kind == .array, entry.length > 0, !entry.isDecoded else {
      return nil
    }
    entry.start += 1
    entry.length -= 2
    entry.flags = TapeEntry.prevalidated
    return entry
  }
}
