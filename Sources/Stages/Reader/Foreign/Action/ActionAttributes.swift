import Pipeline

/// The attributes of a `batch.user.event` (dialects 3), drafted in the form of v2.
extension ActionReading {
  /// Appends the object at `attributes`, a field of the arguments at `path`.
  func appendAttributes(_ attributes: Int, at path: FieldPath) {
    let path = path.field(attributes - 1)
    dropOverwritten(of: attributes, at: path)
    tape.forEachMember(of: attributes) { position in
      let key = tape[position]
      let value = tape[position + 1]
      if key.isDropped { return }
      switch value.kind {
      case _ where tape.bytes(key).starts(with: "$"):
        // Not label and tags, which are not attributes of actions.
        tape.appendMember(key) { tape.appendScalar(.fault(.reservedKey)) }
      case .string: appendText(value, under: key)
      case .integer, .double, .true, .false: tape.appendMember(key) { tape.appendScalar(value) }
      default: batch.findings.add(.actionAttributeSkipped, at: path.field(position), of: tape)
      }
    }
  }

  /// Drops each field of the object at `path` that a later one overwrites, as in v2 (data-model 6);
  /// the later one may itself be skipped. Another value is a loss. Complexity: O(bytes of the
  /// keys).
  private func dropOverwritten(of object: Int, at path: FieldPath) {
    guard batch.mayRepeatKeys(object) else { return }
    func key(_ position: Int) -> ByteView { tape.bytes(at: position) }
    reader.fold.forEachOverwritten(
      of: object, in: tape, tag: { KeyName.tag(key($0)) },
      isSame: { KeyName.isSameKey(key($0), key($1)) }
    ) { position, winner in
      tape[position].flags |= TapeEntry.dropped
      if KeyName.kind(of: key(position)).0 != KeyName.kind(of: key(winner)).0
        || !tape.isSameValue(position + 1, winner + 1)
      {
        batch.unread.add(.valueOverwritten, key: Node(position), in: path, of: tape)
      }
    }
  }

  /// Text is a date when it has exactly the form that the SDKs write.
  private func appendText(_ value: TapeEntry, under key: TapeEntry) {
    guard let time = Self.date(tape.bytes(value)), Characters.isName(tape.bytes(key)) else {
      tape.appendMember(key) { tape.appendScalar(value) }
      return
    }
    tape.appendMember(KeyName.typed(key, as: .date, in: tape)) {
      tape.appendDate(milliseconds: time)
    }
  }

  /// The time of `yyyy-MM-ddTHH:mm:ss.SSS` with a zone, in milliseconds; nil for any other text.
  private static func date(_ text: ByteView) -> Int? {
    if text.count == 24 { return Timestamp.parseCanonical(text) }
    // The parser takes other forms; here three digits and the zone fill the text.
    guard text.count == 29, text[10] == UInt8(ascii: "T"), text[19] == UInt8(ascii: "."),
      Characters.isDigit(text[22]), text[23] == UInt8(ascii: "+") || text[23] == UInt8(ascii: "-")
    else { return nil }
    return Timestamp.parse(text)
  }
}
