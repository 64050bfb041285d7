package import Pipeline

/// The rules for event names and attribute keys (data-model 6).
package enum KeyName {
  /// Classifies the key at tape index `key`, and relabels a valid one to its stored form: the inner
  /// key in lower case. Complexity: O(length of the key), limited to 37 bytes.
  package static func classify(_ key: Int, in tape: Tape) {
    let (kind, inner) = kind(of: tape.bytes(at: key))
    tape[key].keyKind = kind
    guard kind.isValid else { return }
    narrow(key, to: inner, in: tape)
    lowercase(key, in: tape)
  }

  /// The kind of a raw key, and the range of its inner key; the whole key if it is invalid.
  package static func kind(of raw: ByteView) -> (KeyKind, Range<Int>) {
    Characters.isName(raw) ? (.plain, 0..<raw.count) : split(raw)
  }

  /// The kind of a raw key that is not plain, and the range of its inner key.
  private static func split(_ raw: ByteView) -> (KeyKind, Range<Int>) {
    let whole = 0..<raw.count
    guard raw.count > 0 else { return (.bad, whole) }
    if raw[0] == UInt8(ascii: "$") { return (.reserved, whole) }
    guard raw[raw.count - 1] == UInt8(ascii: ")"),
      let form = KeyForm.typed.first(where: { raw.starts(with: ByteView($0.opening)) })
    else { return (.bad, whole) }
    let start = form.opening.utf8CodeUnitCount
    let inner = start..<max(start, raw.count - 1)
    return Characters.isName(raw[inner]) ? (KeyKind(form), inner) : (.bad, whole)
  }

  /// Removes the first `count` bytes from the name at `index`.
  package static func dropPrefix(_ count: Int, of index: Int, in tape: Tape) {
    if count > 0 { narrow(index, to: count..<Int(tape[index].length), in: tape) }
  }

  /// Reduces the text of the entry at `index` to a part of it.
  package static func narrow(_ index: Int, to range: Range<Int>, in tape: Tape) {
    var entry = tape[index]
    precondition(range.upperBound <= Int(entry.length), "a part cannot be longer than the text")
    entry.start += UInt32(range.lowerBound)
    entry.length = UInt32(range.count)
    tape[index] = entry
  }

  package static func lowercase(_ index: Int, in tape: Tape) {
    guard Characters.nameShape(tape.bytes(at: index)).isMixed else { return }
    tape.rewrite(index, appendLowercase)
  }

  /// Whether two names are equal except for the case of ASCII letters.
  static func isSame(_ a: ByteView, _ b: ByteView) -> Bool {
    guard a.count == b.count else { return false }
    for index in 0..<a.count
    where Characters.lowercased(a[index]) != Characters.lowercased(b[index]) {
      return false
    }
    return true
  }

  /// Whether two raw keys have the same stored form; invalid ones are equal as written.
  static func isSameKey(_ a: ByteView, _ b: ByteView) -> Bool {
    let (one, other) = (kind(of: a), kind(of: b))
    guard one.0.isValid == other.0.isValid else { return false }
    return one.0.isValid ? isSame(a[one.1], b[other.1]) : a == b
  }

  /// A hash that such keys share. A line may have very many invalid keys that differ in case only.
  static func tag(_ key: ByteView) -> KeyFold.Tag {
    let (kind, name) = kind(of: key)
    return kind.isValid ? KeyFold.tag(ignoringCase: key[name]) : KeyFold.tag(key)
  }

  static func appendLowercase(_ name: ByteView, to text: inout ByteBuffer) {
    var position = 0
    while position + 8 <= name.count, Characters.isASCII(name.word64(at: position)) {
      text.append(word64: Characters.lowercased(name.word64(at: position)))
      position += 8
    }
    while position < name.count {
      text.append(Characters.lowercased(name[position]))
      position += 1
    }
  }

  /// A typed key, not yet appended, whose name is (the part of) the text of `entry`.
  static func typed(
    _ entry: TapeEntry, as form: KeyForm, part: Range<Int>? = nil, in tape: Tape
  ) -> TapeEntry {
    precondition(form != .plain, "a plain key is the name itself")
    return tape.key { text in
      let name = tape.bytes(entry)
      text.append(form.opening)
      text.append(part.map { name[$0] } ?? name)
      text.append(UInt8(ascii: ")"))
    }
  }

  /// Writes a key as in canonical records, cut to whole characters after `limit` bytes.
  package static func append(
    _ key: TapeEntry, of tape: Tape, atMost limit: Int = .max,
    to text: inout ByteBuffer
  ) {
    if key.keyForm != .plain { text.append(key.keyForm.opening) }
    let name = tape.bytes(key)
    if name.count <= limit {
      text.append(name)
    } else {
      text.append(name[0..<Characters.wholeCharacters(name, atMost: limit)])
      text.append("…" as ByteView)
    }
    if key.keyForm != .plain { text.append(UInt8(ascii: ")")) }
  }
}
