import Pipeline

/// Conversion of any value to v2 (dialects 4 "Values").
extension ForeignDraft {
  /// Longest JSON text that is written, in bytes: at most ``Limits/string`` characters are kept.
  private static var longestJSON: Int { 16 << 10 }

  // MARK: - Content

  @inline(__always)
  func isEmptyContainer(_ node: Int) -> Bool {
    let entry = tape[node]
    return Int(entry.next) == node + 1 && (entry.kind == .object || entry.kind == .array)
      && entry.flags & TapeEntry.prevalidated == 0
  }

  /// Whether anything of the value at `node` is kept as a field's value. Complexity: O(entries of
  /// the value), usually of its first ones; the recursion is bounded by ``Scanner/maxDepth``.
  func hasContent(_ node: Int, names: Int) -> Bool {
    let entry = tape[node]
    switch entry.kind {
    case .null, .key: return false
    case .true, .false, .date: return true
    case .integer, .double: return isFinite(entry)
    case .string: return hasContent(text: entry)
    // Too deep, so it becomes its text.
    case .object where names > Limits.nesting, .array where names > Limits.nesting:
      return Int(entry.next) > node + 1
    case .object:
      var key = node + 1
      while key < Int(entry.next) {
        let isNamed = self.names.key(tape[key], in: tape).kind == .key
        if isNamed, hasContent(key + 1, names: names + 1) { return true }
        key = Int(tape[key].next)
      }
      return false
    case .array:
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
    let kind = tape[item].kind
    return kind == .integer || kind == .double || hasContent(item, names: names)
  }

  /// Whether the kept characters of a text are not all blank.
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

  /// Whether the scalar is certainly kept unchanged as a field's value.
  @inline(__always)
  func canCopyVerbatim(_ entry: TapeEntry) -> Bool {
    entry.kind == .string
      ? canCopyVerbatim(text: entry) : PlainValue.isTriviallyValid(entry, of: tape)
  }

  /// Whether a text is short, begins with a visible character, and has no line feed.
  @inline(__always)
  func canCopyVerbatim(text entry: TapeEntry) -> Bool {
    let limit = UInt32(Limits.v2.string)
    return PlainValue.isText(entry, atMost: limit, of: tape)
      || entry.isDecoded && PlainValue.isDecodedText(entry, atMost: limit, of: tape)
  }

  // MARK: - Unchanged values

  /// An entry for the text of an object or array that equals its draft; nil means unknown.
  func textAsIs(_ node: Int, names: Int) -> TapeEntry? {
    guard copiesText, names <= Limits.nesting, let text = tape.sourceText(ofContainer: node),
      text.kind == .object ? isObjectAsIs(node, names: names) : isArrayAsIs(node, names: names)
    else { return nil }
    return text
  }

  private func isObjectAsIs(_ node: Int, names: Int) -> Bool {
    let tape = tape
    let end = Int(tape[node].next)
    var seen: UInt64 = 0
    var count = 0
    var key = node + 1
    while key < end {
      let name = tape[key]
      let bit: UInt64 = 1 &<< UInt64(name.number & 63)
      guard count < Limits.v2.attributes, !name.isDecoded, name.number != 0,
        self.names.key(name, in: tape).number == name.number,
        seen & bit == 0 || !tape.hasMember(name.number, from: node + 1, to: key)
      else { return false }
      let value = tape[key + 1]
      let isAsIs =
        switch value.kind {
        case .object where names < Limits.nesting: isObjectAsIs(key + 1, names: names + 1)
        case .array where names < Limits.nesting: isArrayAsIs(key + 1, names: names + 1)
        default: isScalarAsIs(value) && !isDate(value)
        }
      guard isAsIs else { return false }
      seen |= bit
      count += 1
      key = Int(name.next)
    }
    return count > 0
  }

  private func isArrayAsIs(_ node: Int, names: Int) -> Bool {
    let end = Int(tape[node].next)
    var count = 0
    var item = node + 1
    let kind = item < end ? tape[item].kind : .null
    while item < end {
      let entry = tape[item]
      guard count < Limits.array, entry.kind == kind,
        kind == .object ? isObjectAsIs(item, names: names) : kind == .string && isScalarAsIs(entry)
      else { return false }
      count += 1
      item = Int(entry.next)
    }
    return count > 0
  }

  @inline(__always)
  private func isScalarAsIs(_ entry: TapeEntry) -> Bool {
    canCopyVerbatim(entry) && !entry.isDecoded
  }

  // MARK: - Values

  /// Appends what is kept of the value at `node`; nothing for a value without content. Complexity:
  /// O(bytes and entries of the value), sorting aside.
  func append(_ node: Int, names: Int, at path: inout FieldPath) {
    let entry = tape[node]
    switch entry.kind {
    case .null, .key: break
    case .string, .integer, .double, .true, .false, .date: append(scalar: entry, at: path)
    case .object where names <= Limits.nesting:
      appendObject(at: path, isKept: false) { addMembers(of: node, names: names + 1, at: path) }
    case .array where names <= Limits.nesting: appendArray(node, names: names, at: &path)
    case .object, .array: if Int(entry.next) > node + 1 { appendJSON(node, at: path) }
    }
  }

  /// Appends what is kept of a scalar: of an integer beyond 64 bits the nearest double.
  func append(scalar entry: TapeEntry, at path: FieldPath) {
    switch entry.kind {
    case .string where !canCopyVerbatim(text: entry):
      if hasContent(text: entry) {
        appendText(entry, at: path)
      } else if !Characters.isBlank(tape.bytes(entry)) {
        lose(.stringTruncated, at: path)
      }
    case .integer where !isFinite(entry), .double where !isFinite(entry):
      lose(.numberOutOfRange, at: path)
    case .integer where !DecimalNumber.fitsInt64(tape.bytes(entry)):
      let value = Double(tape.bytes(entry).text) ?? 0
      var number = tape.text { value.appendJSON(to: &$0) }
      number.kind = .double
      number.flags |= TapeEntry.exponent
      tape.appendScalar(number)
    default: tape.appendScalar(entry)
    }
  }

  /// Appends `entry` as a string, cut to the limits of v2, with spaces for line feeds.
  func appendText(_ entry: TapeEntry, at path: FieldPath) {
    tape.appendScalar(text(entry, at: path))
  }

  /// The scalar at `node` as a string of at most `limit` characters, appended; none for a blank
  /// one. An object or array is a loss.
  func text(at node: Node, atMost limit: Int, _ path: FieldPath) -> Node {
    let entry = tape[node]
    if entry.kind == .null { return .none }
    guard entry.kind != .object, entry.kind != .array else {
      lose(.wrongType, at: path)
      return .none
    }
    let text = text(entry, at: path, limit: limit)
    return Characters.isBlank(tape.bytes(text)) ? .none : Node(tape.appendScalar(text))
  }

  /// The string for ``appendText(_:at:)``, not yet appended.
  func text(_ entry: TapeEntry, at path: FieldPath, limit: Int = Limits.v2.string) -> TapeEntry {
    var text = entry
    text.kind = .string
    text.flags &= TapeEntry.decoded
    if entry.isDecoded, tape.bytes(entry).firstIndex(of: JSONByte.lineFeed) != nil {
      text = tape.text { written in
        let source = tape.bytes(entry)
        for index in 0..<source.count {
          written.append(source[index] == JSONByte.lineFeed ? JSONByte.space : source[index])
        }
      }
    }
    cut(&text, to: limit, at: path)
    return text
  }

  /// Cuts a text; its full length is unknown when it `isPart` of one.
  private func cut(_ text: inout TapeEntry, to limit: Int, isPart: Bool = false, at path: FieldPath)
  {
    guard text.length > limit, let cut = Characters.cut(tape.bytes(text), to: limit) else { return }
    lose(.stringTruncated, at: path, limit: limit, actual: isPart ? nil : cut.count)
    text.length = UInt32(cut.length)
  }

  /// Appends the value at `node` as JSON text in a normal form, cut to the limits of v2.
  func appendJSON(_ node: Int, at path: FieldPath) {
    var text = json(node)
    cut(&text, to: Limits.v2.string, isPart: text.length > Self.longestJSON, at: path)
    tape.appendScalar(text)
  }

  /// The JSON text of the value at `node`, not yet appended.
  func json(_ node: Int) -> TapeEntry {
    var entry = tape[node]
    // A value scanned from decoded text already is text there.
    if entry.isDecoded, entry.length <= Self.longestJSON, SortedJSON.isSourceText(node, of: tape) {
      entry.kind = .string
      entry.flags = TapeEntry.decoded
      return entry
    }
    return tape.text { scratch.json.append(node, of: tape, atMost: Self.longestJSON, to: &$0) }
  }

  // MARK: - Arrays

  /// Appends what is kept of an array, after the first `skipped` items: of objects, if all items
  /// with content are, and not `asTexts`; else of texts.
  func appendArray(
    _ node: Int, names: Int, at path: inout FieldPath, skipping skipped: Int = 0,
    asTexts: Bool = false
  ) {
    let end = Int(tape[node].next)
    let areTexts = asTexts || !areObjects(node, names: names, skipping: skipped)
    let array = tape.append(TapeEntry(kind: .array))
    var (item, position, count) = (node + 1, 0, 0)
    while item < end {
      let entry = tape[item]
      if position >= skipped, entry.kind != .null {
        let (first, firstLoss) = (tape.count, batch.findings.count)
        path.push(index: position)
        switch entry.kind {
        case .object where areTexts && hasContent(item, names: names),
          .array where areTexts && hasContent(item, names: names):
          appendJSON(item, at: path)
        case .integer, .double, .true, .false: appendText(entry, at: path)
        default: append(item, names: names, at: &path)
        }
        path.pop()
        if tape.count > first {
          count += 1
          // An object with an overwritten field counts.
          if count > Limits.array || isEmptyContainer(first) { tape.truncate(to: first) }
          if count > Limits.array { batch.findings.truncate(to: firstLoss) }
        }
      }
      position += 1
      item = Int(entry.next)
    }
    if count == 0 {
      tape.truncate(to: array)
      return
    }
    tape[array].next = UInt32(truncatingIfNeeded: tape.count)
    if count > Limits.array { lose(.arrayTruncated, at: path, limit: Limits.array, actual: count) }
  }

  /// Whether all items of the array with content, after the first `skipped`, are objects.
  func areObjects(_ array: Int, names: Int, skipping skipped: Int = 0) -> Bool {
    let end = Int(tape[array].next)
    var (item, position) = (array + 1, 0)
    while item < end {
      if tape[item].kind != .object, position >= skipped, hasContent(item: item, names: names) {
        return false
      }
      position += 1
      item = Int(tape[item].next)
    }
    return true
  }
}
