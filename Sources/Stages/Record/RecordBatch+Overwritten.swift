import Pipeline

/// Values that a later field of the same key overwrites (data-model 2).
extension RecordBatch {
  /// Notes each field of the object at tape index `object`, whose path is `path`, that a later one
  /// of the same name overwrites with another value. A null is absent, so it loses nothing, unless
  /// `nulls` count. `fold` is scratch memory. Complexity: O(fields), O(bytes) with repeated ones.
  func noteOverwritten(
    of object: Int, at path: FieldPath, nulls: Bool = false, with fold: KeyFold
  ) {
    guard mayRepeatKeys(object) else { return }
    fold.forEachOverwritten(of: object, in: tape) { key, winner in
      noteOverwritten(key, by: winner, at: path, nulls: nulls)
    }
  }

  /// The keys of the object that a later one equals.
  func overwrittenKeys(of object: Int, with fold: KeyFold) -> Set<Int> {
    var keys: Set<Int> = []
    if mayRepeatKeys(object) {
      fold.forEachOverwritten(of: object, in: tape) { key, _ in keys.insert(key) }
    }
    return keys
  }

  /// Notes the field of `key`, unless that of `winner`, which overwrites it, has the same value.
  func noteOverwritten(_ key: Int, by winner: Int, at path: FieldPath, nulls: Bool) {
    let isNull = tape[key + 1].kind == .null && tape[key + 1].fault == nil
    if nulls || !isNull, tape.isOverwrittenLoss(key, by: winner) {
      unread.add(.valueOverwritten, key: Node(key), in: path, of: tape)
    }
  }

  /// Whether two keys of the object may be equal. Complexity: O(fields).
  func mayRepeatKeys(_ object: Int) -> Bool {
    keys.beginObject()
    var mayRepeat = false
    tape.forEachMember(of: object) { key in
      let identity = keys[tape[key].number].identity
      mayRepeat = mayRepeat || identity == 0 || keys.note(identity, at: key).exists
    }
    return mayRepeat
  }
}

extension KeyFold {
  /// Calls `body` with each key of the object at tape index `object` that a later one equals, and
  /// with the last equal one. Complexity: O(bytes of the keys).
  func forEachOverwritten(
    of object: Int, in tape: Tape, _ body: (_ key: Int, _ winner: Int) -> Void
  ) {
    forEachOverwritten(
      of: object, in: tape, tag: { KeyFold.tag(tape.bytes(at: $0)) }, isSame: tape.isSameKey, body)
  }

  /// The same for keys with the hash `tag` that are equal according to `isSame`.
  func forEachOverwritten(
    of object: Int, in tape: Tape, tag: (_ key: Int) -> Tag,
    isSame: (_ one: Int, _ other: Int) -> Bool, _ body: (_ key: Int, _ winner: Int) -> Void
  ) {
    begin()
    tape.forEachMember(of: object) { key in _ = add(tag(key), item: key) { isSame($0, key) } }
    tape.forEachMember(of: object) { key in
      if let winner = latest(tag(key), isSame: { isSame($0, key) }), winner != key {
        body(key, winner)
      }
    }
  }
}

extension Tape {
  func isSameKey(_ one: Int, _ other: Int) -> Bool {
    self[one].isValidKey == self[other].isValidKey && bytes(at: one) == bytes(at: other)
  }

  /// Whether the fields of two equal keys differ in type or value, so that one is lost.
  func isOverwrittenLoss(_ key: Int, by winner: Int) -> Bool {
    self[key].keyKind != self[winner].keyKind || !isSameValue(key + 1, winner + 1)
  }
}
