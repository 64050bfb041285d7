import Pipeline

/// Values of any form as v2 takes them (dialects 4 "Values").
extension ForeignDraft {
  /// No JSON text is written further than this, in bytes, as no more than ``Limits/string``
  /// characters of it are kept. So a text whose characters are of uncommonly many bytes is cut
  /// here.
  private static var longestJSON: Int { 16 << 10 }

  // MARK: - What says something

  /// Whether the entry at `node` is an object or array with nothing in it.
  func isEmptyContainer(_ node: Int) -> Bool {
    let entry = tape[node]
    return (entry.kind == .object || entry.kind == .array) && Int(entry.next) == node + 1
  }

  /// Whether anything of the value at `node` is kept, as a member's value: not null, nor blank
  /// text, nor an array or object of which nothing is left, nor a number beyond all doubles.
  ///
  /// Complexity: O(entries of the value), and usually of its first ones; the recursion is as deep
  /// as the value, which is bounded by ``Scanner/maxDepth``.
  func hasContent(_ node: Int, names: Int) -> Bool {
    let entry = tape[node]
    switch entry.kind {
    case .null, .key: return false
    case .true, .false, .date: return true
    case .integer, .double: return isFinite(entry)
    case .string: return hasContent(text: entry)
    case .object:
      // Too deep to be an object: its text.
      if names > Limits.nesting { return Int(entry.next) > node + 1 }
      var key = node + 1
      while key < Int(entry.next) {
        if canCopyVerbatim(tape[key + 1]) || hasContent(key + 1, names: names + 1),
          scratch.names.key(tape[key], in: tape).kind == .key
        {
          return true
        }
        key = Int(tape[key].next)
      }
      return false
    case .array:
      if names > Limits.nesting { return Int(entry.next) > node + 1 }
      var item = node + 1
      while item < Int(entry.next) {
        if hasContent(item: item, names: names) { return true }
        item = Int(tape[item].next)
      }
      return false
    }
  }

  /// The same as an item of an array, where numbers are text.
  private func hasContent(item: Int, names: Int) -> Bool {
    let entry = tape[item]
    return entry.kind == .integer || entry.kind == .double || hasContent(item, names: names)
  }

  /// Whether the characters of a text that are kept are not all blank.
  func hasContent(text entry: TapeEntry) -> Bool {
    let text = tape.bytes(entry)
    if Characters.isBlank(text) { return false }
    guard text.count > Limits.v2.string, text[0] <= UInt8(ascii: " ") || text[0] >= 0x80,
      let cut = Characters.cut(text, to: Limits.v2.string)
    else { return true }
    return !Characters.isBlank(text[0..<cut.length])
  }

  private func isFinite(_ entry: TapeEntry) -> Bool {
    guard entry.hasExponent || entry.length > Limits.v2.string else { return true }
    return DecimalNumber.isFinite(tape.bytes(entry))
  }

  // MARK: - Values

  /// Appends the value at `node`, of which something is kept (``hasContent(_:names:)``), and which
  /// stands at `path`. Complexity: O(bytes and entries of the value), sorting aside.
  func appendValue(_ node: Int, names: Int, at path: inout FieldPath) {
    let entry = tape[node]
    switch entry.kind {
    case .string: appendText(entry, at: path)
    case .integer where !DecimalNumber.fitsInt64(tape.bytes(entry)): appendDouble(entry)
    case .object where names <= Limits.nesting:
      appendObject(at: path, names: names + 1) { addMembers(of: node, names: names + 1, at: path) }
    case .array where names <= Limits.nesting: appendArray(node, names: names, at: &path)
    case .object, .array: appendJSON(node, at: path)
    default: tape.appendScalar(entry)
    }
  }

  /// Appends `entry`, a string or what is one from now on, cut to what v2 takes, with spaces for
  /// line feeds.
  func appendText(_ entry: TapeEntry, at path: FieldPath) {
    tape.appendScalar(text(entry, at: path))
  }

  /// The string for ``appendText(_:at:)``, not yet appended.
  func text(_ entry: TapeEntry, at path: FieldPath) -> TapeEntry {
    var text = entry
    text.kind = .string
    text.flags &= TapeEntry.decoded
    if entry.isDecoded, tape.bytes(entry).firstIndex(of: UInt8(ascii: "\n")) != nil {
      text = tape.text { written in
        let source = tape.bytes(entry)
        for index in 0..<source.count {
          let byte = source[index]
          written.append(byte == UInt8(ascii: "\n") ? UInt8(ascii: " ") : byte)
        }
      }
    }
    if text.length > Limits.v2.string,
      let cut = Characters.cut(tape.bytes(text), to: Limits.v2.string)
    {
      lose(.stringTruncated, at: path, limit: Limits.v2.string, actual: cut.count)
      text.length = UInt32(cut.length)
    }
    return text
  }

  /// Appends the value at `node` as JSON text in a form of its own, cut to what v2 takes of a text.
  func appendJSON(_ node: Int, at path: FieldPath) {
    var text = json(node)
    if text.length > Limits.v2.string,
      let cut = Characters.cut(tape.bytes(text), to: Limits.v2.string)
    {
      // How long it would be is not known when it was not written to its end.
      lose(
        .stringTruncated, at: path, limit: Limits.v2.string,
        actual: text.length > Self.longestJSON ? nil : cut.count)
      text.length = UInt32(cut.length)
    }
    tape.appendScalar(text)
  }

  /// The JSON text of the value at `node`, not yet appended.
  private func json(_ node: Int) -> TapeEntry {
    var entry = tape[node]
    // What was scanned from text that had to be decoded stands there as text already.
    if entry.isDecoded, entry.length <= Self.longestJSON, SortedJSON.isSourceText(node, of: tape) {
      entry.kind = .string
      entry.flags = TapeEntry.decoded
      return entry
    }
    return tape.text { scratch.json.append(node, of: tape, atMost: Self.longestJSON, to: &$0) }
  }

  /// Appends an integer beyond 64 bits as the double next to it.
  private func appendDouble(_ entry: TapeEntry) {
    let value = Double(tape.bytes(entry).text) ?? 0
    var number = tape.text { $0.appendJSON(value) }
    number.kind = .double
    number.flags |= TapeEntry.exponent
    tape.appendScalar(number)
  }

  // MARK: - Arrays

  /// Appends an array: of objects, if all items are, else of texts. Without the first `skipped`
  /// items, which do not count for anything. Returns its tape index.
  @discardableResult
  func appendArray(
    _ node: Int, names: Int, at path: inout FieldPath, skipping skipped: Int = 0
  ) -> Int {
    let items = items(of: node, names: names, skipping: skipped)
    let array = tape.appendContainer(.array) {
      var item = node + 1
      var position = 0
      var left = min(items.count, Limits.array)
      // Behind the last item that is kept others may stand that are lost.
      while left > 0 || items.areLost, item < Int(tape[node].next) {
        let entry = tape[item]
        if position >= skipped, entry.kind != .null {
          path.push(index: position)
          if !hasContent(item: item, names: names) {
            noteLostContent(value: item, names: names, at: path)
          } else if left > 0 {
            left -= 1
            appendItem(item, areObjects: items.areObjects, names: names, at: &path)
          }
          path.pop()
        }
        position += 1
        item = Int(entry.next)
      }
    }
    if items.count > Limits.array {
      lose(.arrayTruncated, at: path, limit: Limits.array, actual: items.count)
    }
    return array
  }

  private func appendItem(
    _ item: Int, areObjects: Bool, names: Int, at path: inout FieldPath
  ) {
    switch tape[item].kind {
    case .object where areObjects:
      let first = tape.count
      appendValue(item, names: names, at: &path)
      if isEmptyContainer(first) { tape.truncate(to: first) }
    case .object, .array: appendJSON(item, at: path)
    default: appendText(tape[item], at: path)
    }
  }

  /// How many items of the array, but for the first `skipped`, say something, whether those are all
  /// objects, and whether any other is not null. Complexity: O(items), and of what they hold
  /// usually the first entries.
  func items(
    of node: Int, names: Int, skipping skipped: Int = 0
  ) -> (count: Int, areObjects: Bool, areLost: Bool) {
    var count = 0
    var areObjects = true
    var areLost = false
    var position = 0
    var item = node + 1
    while item < Int(tape[node].next) {
      if position >= skipped {
        if hasContent(item: item, names: names) {
          count += 1
          if tape[item].kind != .object { areObjects = false }
        } else if tape[item].kind != .null {
          areLost = true
        }
      }
      position += 1
      item = Int(tape[item].next)
    }
    return (count, areObjects, areLost)
  }
}
