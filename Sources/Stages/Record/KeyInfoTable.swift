import Pipeline

/// The meaning of a field name, regardless of its position (data-model 3, 6).
struct KeyInfo: BitwiseCopyable {
  /// The field that dialects search for under this name.
  var field: RootField?
  /// Its kind as an attribute key.
  var kind = KeyKind.bad
  /// Its kind as an attribute key at the root of a v2 event.
  var rootKind = KeyKind.bad
  /// Offset of the stored form in the name, in bytes.
  var start: UInt8 = 0
  var length: UInt8 = 0
  var isLowercase = true
  /// Equal for keys with the same stored form (data-model 2, 6). 0 = unknown: there are too many.
  var identity: UInt16 = 0

  /// Relabels the key at tape index `key`, which has this name, to its stored form.
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

/// The last key of an identity: the number of its object, and the tape index of the key.
struct KeyUse: BitwiseCopyable {
  var object: UInt32 = 0
  var key = Node.none
}

/// The meaning of the names in a tape's ``Tape/names``: each is analysed once, not once per record.
/// Also finds equal keys of one object. Bounded like the table of names. One thread at a time.
package struct KeyInfoTable: ~Copyable {
  /// By number of the name; 0 for names without one.
  private var infos = PlainList<KeyInfo>(capacity: 128)
  /// The stored forms of valid keys; their numbers are their identities.
  private var stored = InternTable()
  /// By identity. Valid keys have identities up to the size of a table, invalid ones follow.
  private var uses = PlainList<KeyUse>(repeating: KeyUse(), count: 2 * InternTable.most + 1)
  private var object: UInt32 = 0

  package init() { forget() }

  subscript(number: UInt16) -> KeyInfo {
    @inline(__always) get { infos[Int(number)] }
  }

  @inline(__always)
  mutating func learn(from names: InternTable) {
    if infos.count <= names.count { learnMore(from: names) }
  }

  mutating func forget() {
    infos.removeAll()
    infos.append(KeyInfo())
    stored.removeAll()
    uses.fill(with: KeyUse())
    object = 0
  }

  @inline(never)
  private mutating func learnMore(from names: InternTable) {
    while infos.count <= names.count {
      let number = infos.count
      infos.append(info(of: names.text(number), number: number))
    }
  }

  private func info(of name: ByteView, number: Int) -> KeyInfo {
    var info = KeyInfo()
    info.field = RootField(name)
    let (kind, range) = KeyName.kind(of: name)
    info.kind = kind
    info.rootKind = kind.atEventRoot(name)
    info.start = UInt8(range.lowerBound)
    info.length = UInt8(range.count)
    guard kind.isValid else {
      info.identity = UInt16(InternTable.most + number)
      return info
    }
    var lower = ByteBuffer(capacity: InternTable.longest)
    let text = name[range]
    KeyName.appendLowercase(text, to: &lower)
    info.isLowercase = lower.view == text
    info.identity = stored.number(of: lower.view)
    return info
  }

  /// Relabels the key at tape index `key` as ``KeyName/classify(_:in:)`` does, and returns true;
  /// false when its name is not known. Complexity: O(1) for most.
  func relabel(_ key: Int, in tape: Tape) -> Bool {
    let info = self[tape[key].number]
    if info.identity == 0 { return false }
    info.relabel(key, as: info.kind, in: tape)
    return true
  }

  @inline(__always)
  mutating func beginObject() {
    object &+= 1
    if object == 0 { forgetUses() }
  }

  private mutating func forgetUses() {
    uses.fill(with: KeyUse())
    object = 1
  }

  /// Records a key of this identity at tape index `key`; returns the earlier equal key, if any.
  @inline(__always)
  mutating func note(_ identity: UInt16, at key: Int) -> Node {
    let index = Int(identity)
    let earlier = uses[index].object == object ? uses[index].key : .none
    uses[index] = KeyUse(object: object, key: Node(key))
    return earlier
  }
}

extension RecordBatch {
  /// The field with the name of the key `entry`, or nil. Complexity: O(1) for names with a number.
  @inline(__always)
  func field(of entry: TapeEntry) -> RootField? {
    entry.number == 0 ? unnumberedField(entry) : keys[entry.number].field
  }

  @inline(never)
  private func unnumberedField(_ entry: TapeEntry) -> RootField? { RootField(tape.bytes(entry)) }

  @inline(never)
  func learnKeys() { keys.learn(from: tape.names) }
}
