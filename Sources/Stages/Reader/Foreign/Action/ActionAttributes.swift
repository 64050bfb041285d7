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
    noteOverwritten(of: attributes, at: path)
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

  /// Notes the dropped fields of the object at `path` that the last of their name overwrites with
  /// another value. Complexity: O(bytes of the keys) where there are some.
  private func noteOverwritten(of object: Int, at path: FieldPath) {
    var hasDropped = false
    tape.forEachMember(of: object) { if tape[$0].isDropped { hasDropped = true } }
    guard hasDropped else { return }
    fold.begin()
    tape.forEachMember(of: object) { position in
      let key = AttributeKey(tape.bytes(at: position))
      _ = fold.add(key.tag, item: position) { key.isSame(as: AttributeKey(tape.bytes(at: $0))) }
    }
    tape.forEachMember(of: object) { position in
      guard tape[position].isDropped else { return }
      let key = AttributeKey(tape.bytes(at: position))
      let winner = fold.latest(key.tag) { key.isSame(as: AttributeKey(tape.bytes(at: $0))) }
      guard let winner,
        AttributeKey(tape.bytes(at: winner)).kind != key.kind
          || !tape.isSameValue(position + 1, winner + 1)
      else { return }
      batch.unread.add(.valueOverwritten, key: Node(position), in: path, of: tape)
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
    if isUTC { return Timestamp.parseCanonical(text) }
    // The parser takes other forms; here three digits and the zone fill the text.
    let (last, zone) = (text[ByteView(form).count - 1], text[ByteView(form).count])
    guard Characters.isDigit(last), zone == UInt8(ascii: "+") || zone == UInt8(ascii: "-") else {
      return nil
    }
    return Timestamp.parse(text)
  }
}

/// An attribute key as written, to be compared with others.
private struct AttributeKey {
  private let text: ByteView
  let kind: KeyKind
  private var isValid: Bool { kind.isValid }
  /// The whole of a key that is not valid.
  private let name: ByteView

  init(_ text: ByteView) {
    let (kind, name) = KeyName.kind(of: text)
    self.text = text
    self.kind = kind
    self.name = text[name]
  }

  /// A hash that equal keys share.
  var tag: KeyFold.Tag { isValid ? KeyFold.tag(ignoringCase: name) : KeyFold.tag(text) }

  func isSame(as other: AttributeKey) -> Bool {
    guard isValid, other.isValid else { return isValid == other.isValid && text == other.text }
    return KeyName.isSame(name, other.name)
  }
}
