import Pipeline

/// A range of the source that is written differently: a key in lower case, or a time.
struct WalkEdit: BitwiseCopyable {
  let start: Int
  let end: Int
  /// The time in milliseconds since 1970, or ``lowercase`` for a key.
  let time: Int

  static let lowercase = Int.min
}

/// The attributes of events (data-model 6, 7). On the tape they are one entry, the text of all
/// fields in canonical form.
extension LineWalk {
  /// Reads the attributes of an event.
  func readAttributes(
    _ cursor: inout QuoteCursor, _ event: inout EventEntry, _ limits: Limits,
    into batch: RecordBatch
  ) -> Bool {
    edits.removeAll()
    let object = beginObject()
    var count = 0
    var start = cursor.position &+ 1
    let members = cursor.members { cursor in
      let key = readKey(&cursor, in: batch)
      if limits.hasRichTypes, key.rootKind == .label || key.rootKind == .tags {
        // Label and tags are written before the others, so they must precede them.
        guard count == 0, readRootField(key.rootKind, &cursor, &event, into: batch) else {
          return false
        }
        start = cursor.position &+ 1
        return true
      }
      count &+= 1
      return note(key, in: object, depth: 0)
        && readValue(&cursor, of: key, limits, names: 1, in: batch)
    }
    guard members != nil, count <= limits.attributes else { return false }
    event.attributes = append(start..<max(start, cursor.position - 1), to: batch.tape)
    event.attributeCount = Int32(count)
    return true
  }

  private func readRootField(
    _ kind: KeyKind, _ cursor: inout QuoteCursor, _ event: inout EventEntry, into batch: RecordBatch
  ) -> Bool {
    kind == .tags
      ? !event.tags.exists && readTags(&cursor, &event, into: batch)
      : !event.label.exists && readLabel(&cursor, &event, into: batch)
  }

  /// Appends the text of fields to the tape as one entry, and returns its index.
  private func append(_ members: Range<Int>, to tape: Tape) -> Node {
    var entry = TapeEntry(
      start: members.lowerBound, length: members.count, next: tape.count + 1, kind: .object,
      flags: TapeEntry.prevalidated)
    if writesAttributes, !edits.isEmpty {
      let start = tape.decoded.count
      var position = members.lowerBound
      for index in edits.indices {
        let edit = edits[index]
        tape.decoded.append(tape.sourceBytes(position..<edit.start))
        apply(edit, to: tape)
        position = edit.end
      }
      tape.decoded.append(tape.sourceBytes(position..<members.upperBound))
      precondition(tape.decoded.count <= Int(UInt32.max), "a block's texts exceed 4 GiB")
      entry.start = UInt32(start)
      entry.length = UInt32(tape.decoded.count - start)
      entry.flags |= TapeEntry.decoded
    }
    return Node(tape.append(entry))
  }

  private func apply(_ edit: WalkEdit, to tape: Tape) {
    if edit.time == WalkEdit.lowercase {
      KeyName.appendLowercase(tape.sourceBytes(edit.start..<edit.end), to: &tape.decoded)
    } else {
      tape.decoded.append(JSONByte.quote)
      times.append(milliseconds: edit.time, to: &tape.decoded)
      tape.decoded.append(JSONByte.quote)
    }
  }

  // MARK: - Keys

  /// Begins an object without keys, and returns its number.
  func beginObject() -> UInt32 {
    object &+= 1
    if object == 0 {
      stamps.fill(with: 0)
      object = 1
    }
    return object
  }

  /// Skips a key and its colon; returns its meaning.
  @inline(__always)
  private func readKey(_ cursor: inout QuoteCursor, in batch: RecordBatch) -> KeyInfo {
    let start = cursor.position &+ 1
    let key = name(&cursor, in: batch)
    if !key.isLowercase {
      edits.append(WalkEdit(start: start, end: cursor.position &- 2, time: WalkEdit.lowercase))
    }
    return key
  }

  /// Records a key of the object with that number, at that depth among the attributes; returns
  /// whether it is valid and the first with its identity.
  @inline(__always)
  func note(_ key: KeyInfo, in object: UInt32, depth: Int) -> Bool {
    guard key.kind.isValid, key.identity != 0 else { return false }
    let slot = depth &* (InternTable.most + 1) &+ Int(key.identity)
    if stamps[slot] == object { return false }
    stamps[slot] = object
    return true
  }

  // MARK: - Values

  /// Skips the value of a key with `names` attribute names on its path, itself included; returns
  /// whether it is certainly valid.
  @inline(__always)
  private func readValue(
    _ cursor: inout QuoteCursor, of key: KeyInfo, _ limits: Limits, names: Int,
    in batch: RecordBatch
  ) -> Bool {
    switch key.kind {
    case .plain: break
    case .date: return readDate(&cursor, of: batch.tape)
    case .url: return limits.hasRichTypes && readURL(&cursor)
    case .bad, .reserved, .label, .tags: return false
    }
    switch cursor.byte {
    case JSONByte.quote: return plainText(&cursor, atMost: limits.string, mayEscape: true) != nil
    case JSONByte.t, JSONByte.f: return cursor.boolean()
    case JSONByte.openBrace, JSONByte.openBracket:
      guard limits.hasRichTypes, names <= Limits.nesting else { return false }
      return cursor.byte == JSONByte.openBrace
        ? readObject(&cursor, limits, names: names, in: batch)
        : readArray(&cursor, limits, names: names, in: batch)
    default:
      guard let number = cursor.number(next: 0) else { return false }
      return PlainValue.isTriviallyValid(number, of: batch.tape)
    }
  }

  private func readObject(
    _ cursor: inout QuoteCursor, _ limits: Limits, names: Int, in batch: RecordBatch
  ) -> Bool {
    let object = beginObject()
    let count = cursor.members { cursor in
      let key = readKey(&cursor, in: batch)
      return note(key, in: object, depth: names)
        && readValue(&cursor, of: key, limits, names: names + 1, in: batch)
    }
    return count.map { $0 <= limits.attributes } ?? false
  }

  /// Skips an array of texts or of objects.
  private func readArray(
    _ cursor: inout QuoteCursor, _ limits: Limits, names: Int, in batch: RecordBatch
  ) -> Bool {
    var kind: UInt8?
    let count = cursor.items { cursor in
      let first = kind ?? cursor.byte
      kind = first
      return first == JSONByte.openBrace
        ? readObject(&cursor, limits, names: names, in: batch)
        : plainText(&cursor, atMost: limits.string, mayEscape: true) != nil
    }
    return count.map { $0 <= Limits.array } ?? false
  }

  /// Skips a date; one that is not in the stored form becomes an edit. One that gets a remark is
  /// left to the validator.
  func readDate(_ cursor: inout QuoteCursor, of tape: Tape) -> Bool {
    let start = cursor.position
    let time: Int?
    if cursor.byte == JSONByte.quote {
      guard let range = cursor.text() else { return false }
      let text = cursor.bytes(range)
      if text.count == Timestamp.textLength, let time = Timestamp.parseCanonical(text) {
        return Rules.plausibleDates.contains(time)
      }
      time = Timestamp.parse(text)
    } else {
      guard let number = cursor.number(next: 0) else { return false }
      time = DecimalNumber.milliseconds(tape.bytes(number), per: .seconds)
    }
    guard let time, Rules.plausibleDates.contains(time) else { return false }
    edits.append(WalkEdit(start: start, end: cursor.position, time: time))
    return true
  }

  func readURL(_ cursor: inout QuoteCursor) -> Bool {
    guard let range = cursor.text(), 1...Limits.url ~= range.count,
      !cursor.hasSpecial(in: range)
    else { return false }
    let text = cursor.bytes(range)
    return !Characters.isBlank(text) && FormatRules.isURL(text)
  }
}
