import Pipeline

/// The attributes of a `batch.user.event` (dialects 3), drafted in the form of v2.
///
/// Works on one tape; no state.
struct ActionAttributes {
  let batch: RecordBatch
  let tape: Tape
  /// Scratch memory.
  let fold: KeyFold

  /// Appends the object at `attributes`, a field of the arguments at `path`. Complexity: O(bytes of
  /// the keys and of texts).
  func append(_ attributes: Int, at path: FieldPath) {
    var path = path
    path.push(key: attributes - 1)
    dropOverwritten(of: attributes)
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
      default:
        path.push(key: position)
        batch.findings.add(.actionAttributeSkipped, at: path, of: tape)
        path.pop()
      }
    }
  }

  /// Drops each field that a later one overwrites, as in v2 (data-model 6); the later one may
  /// itself be skipped. Complexity: O(fields) for names with a number.
  private func dropOverwritten(of object: Int) {
    batch.keys.beginObject()
    var areKnown = true
    tape.forEachMember(of: object) { position in
      let identity = batch.keys[tape[position].number].identity
      if identity == 0 { areKnown = false }
      let earlier = batch.keys.note(identity, at: position)
      if identity != 0, earlier.exists { tape[earlier].flags |= TapeEntry.dropped }
    }
    if !areKnown { dropOverwrittenByText(of: object) }
  }

  /// The same by the texts of the keys. Complexity: O(bytes of the keys).
  private func dropOverwrittenByText(of object: Int) {
    fold.begin()
    tape.forEachMember(of: object) { position in
      let key = AttributeKey(tape.bytes(at: position))
      let earlier = fold.add(key.tag, item: position) {
        key.isSame(as: AttributeKey(tape.bytes(at: $0)))
      }
      if let earlier { tape[earlier].flags |= TapeEntry.dropped }
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
    let form: StaticString = "yyyy-MM-ddTHH:mm:ss.SSS"
    let isUTC = text.count == 24 && text[23] == UInt8(ascii: "Z")
    guard isUTC || text.count == 29, text[10] == UInt8(ascii: "T"), text[19] == UInt8(ascii: ".")
    else { return nil }
    // The parser takes fractions of any length; here three digits and the zone fill the text.
    let zone = text[ByteView(form).count]
    guard isUTC || zone == UInt8(ascii: "+") || zone == UInt8(ascii: "-") else { return nil }
    return Timestamp.parse(text)
  }
}

/// An attribute key as written, to be compared with others.
private struct AttributeKey {
  private let text: ByteView
  private let isValid: Bool
  /// The whole of a key that is not valid.
  private let name: ByteView

  init(_ text: ByteView) {
    let (kind, name) = KeyName.kind(of: text)
    self.text = text
    isValid = kind.isValid
    self.name = text[name]
  }

  /// A hash that equal keys share.
  var tag: KeyFold.Tag { isValid ? KeyFold.tag(ignoringCase: name) : KeyFold.tag(text) }

  func isSame(as other: AttributeKey) -> Bool {
    guard isValid, other.isValid else { return isValid == other.isValid && text == other.text }
    return KeyName.isSame(name, other.name)
  }
}
