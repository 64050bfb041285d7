import Pipeline

/// What a member name means, wherever it stands (data-model 3, 6).
struct KeyMeaning: BitwiseCopyable {
  /// What the dialects take it for at the places they look at.
  var member: RootMember?
  /// What it is as an attribute key.
  var kind = KeyKind.bad
  /// What it is as an attribute key at the root of a v2 event.
  var rootKind = KeyKind.bad
  /// Where its stored form stands in it, in bytes.
  var start: UInt8 = 0
  var length: UInt8 = 0
  /// Whether the stored form is there in lower case.
  var isLowercase = true
  /// The same for keys that fall together (data-model 2, 6), another one for all others. 0 = not
  /// known, because there are too many.
  var identity: UInt16 = 0

  /// Relabels the key at tape index `key`, which has this meaning, to its stored form.
  @inline(__always)
  func relabel(_ key: Int, as kind: KeyKind, in tape: Tape) {
    var entry = tape[key]
    entry.keyKind = kind
    entry.start &+= UInt32(start)
    entry.length = UInt32(length)
    tape[key] = entry
    if !isLowercase { KeyName.lowercase(key, in: tape) }
  }
}

/// What a member name at the root of a line tells those who tell dialects.
struct NameMark: BitwiseCopyable {
  /// The bits of the dialects that it is a mark of.
  let dialects: UInt32
  /// A number below 64 that different names seldom share.
  let sign: UInt8

  /// That of `name`. Complexity: O(dialects).
  init(_ name: ByteView) {
    dialects = Dialect.marked(by: name)
    sign = Self.sign(of: name)
  }

  /// The sign of a name by its length and first byte; names of one sign are told apart by their
  /// bytes.
  @inline(__always)
  static func sign(of name: ByteView) -> UInt8 {
    guard name.count > 0 else { return 0 }
    return (name[0] &+ UInt8(truncatingIfNeeded: name.count) &* 11) & 63
  }
}

/// Who was met last under an identity: the number of the object, and the tape index of the key.
struct KeyMark: BitwiseCopyable {
  var object: UInt32 = 0
  var key = Node.none
}

/// The meanings of the names in a tape's ``Tape/names``: each is found out once, not once per
/// record.
///
/// Also tells keys of one object that fall together. Bounded like the table of names. Belongs to
/// one batch; one thread at a time.
package struct KeyBook: ~Copyable {
  /// By number of the name; 0 stands for names without one.
  private var meanings = PlainList<KeyMeaning>(capacity: 128)
  /// By number of the name. Apart from the meanings, because it is asked for only where nobody else
  /// knows the member.
  private var nameMarks = PlainList<NameMark>(capacity: 128)
  /// The stored forms of valid keys; their numbers are their identities.
  private var stored = InternTable()
  /// By identity.
  private var marks = PlainList<KeyMark>(capacity: 128)
  private var object: UInt32 = 0

  package init() { forget() }

  /// The meaning of the name with this number. Complexity: O(1).
  subscript(number: UInt16) -> KeyMeaning {
    @inline(__always) get { meanings[Int(number)] }
  }

  /// What the name with this number tells those who tell dialects. Complexity: O(1).
  @inline(__always)
  func mark(_ number: UInt16) -> NameMark { nameMarks[Int(number)] }

  /// Learns the names that the tape got since the last call.
  @inline(__always)
  mutating func learn(from names: InternTable) {
    if meanings.count <= names.count { learnMore(from: names) }
  }

  /// Forgets everything, because the tape did.
  mutating func forget() {
    meanings.removeAll()
    meanings.append(KeyMeaning())
    nameMarks.removeAll()
    nameMarks.append(NameMark(""))
    stored.removeAll()
    marks.removeAll()
    // Valid keys have identities up to the size of a table, the others behind them.
    for _ in 0...2 * InternTable.most { marks.append(KeyMark()) }
    object = 0
  }

  @inline(never)
  private mutating func learnMore(from names: InternTable) {
    while meanings.count <= names.count {
      let number = meanings.count
      meanings.append(meaning(of: names.text(number), number: number))
      nameMarks.append(NameMark(names.text(number)))
    }
  }

  private func meaning(of name: ByteView, number: Int) -> KeyMeaning {
    var meaning = KeyMeaning()
    meaning.member = RootMember(name)
    let (kind, range) = KeyName.kind(of: name)
    meaning.kind = kind
    meaning.rootKind = name == "$label" ? .label : name == "$tags" ? .tags : kind
    meaning.start = UInt8(range.lowerBound)
    meaning.length = UInt8(range.count)
    guard kind.isValid else {
      meaning.identity = UInt16(InternTable.most + number)
      return meaning
    }
    var lower = ByteBuffer(capacity: InternTable.longest)
    let text = name[range]
    KeyName.appendLowercase(text, to: &lower)
    meaning.isLowercase = lower.view == text
    meaning.identity = stored.number(of: lower.view)
    return meaning
  }

  /// Does to the key at tape index `key` what ``KeyName/classify(_:in:)`` does, and returns true;
  /// false when its meaning is not known. Complexity: O(1) for most.
  func relabel(_ key: Int, in tape: Tape) -> Bool {
    let meaning = self[tape[key].number]
    if meaning.identity == 0 { return false }
    meaning.relabel(key, as: meaning.kind, in: tape)
    return true
  }

  /// Begins an object: no key of it was met yet.
  @inline(__always)
  mutating func beginObject() {
    object &+= 1
    if object == 0 { forgetMarks() }
  }

  private mutating func forgetMarks() {
    marks.fill(with: KeyMark())
    object = 1
  }

  /// Notes that the object has a key of this identity at tape index `key`; returns the one before
  /// it that it falls together with, if any.
  @inline(__always)
  mutating func note(_ identity: UInt16, at key: Int) -> Node {
    let place = Int(identity)
    let earlier = marks[place].object == object ? marks[place].key : .none
    marks[place] = KeyMark(object: object, key: Node(key))
    return earlier
  }
}
