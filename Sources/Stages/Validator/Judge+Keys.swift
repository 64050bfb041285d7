import Pipeline

/// The keys of one object: classified, folded, counted (data-model 2, 6, 7).
extension Judge {
  /// Classifies the keys of the object at `node`, and drops each that a later one overwrites.
  /// Returns how many are left, except label and tags at an event's root.
  func classifyKeys(of node: Int, isEventRoot: Bool) -> Int {
    batch.keys.beginObject()
    hasOverwritten = false
    var count = 0
    var key = node + 1
    let end = Int(tape[node].next)
    while key < end {
      let entry = tape[key]
      let info = batch.keys[entry.number]
      if info.identity == 0 {
        return classifyKeys(of: node, from: key, isEventRoot: isEventRoot, count)
      }
      let kind = isEventRoot ? info.rootKind : info.kind
      info.relabel(key, as: kind, in: tape)
      let earlier = batch.keys.note(info.identity, at: key)
      if earlier.exists {
        tape[earlier].flags |= TapeEntry.dropped
        hasOverwritten = true
      } else if kind != .label, kind != .tags {
        count += 1
      }
      key = Int(entry.next)
    }
    return count
  }

  /// The same from the key at `start` on, which has no known meaning; `before` keys are kept.
  @inline(never)
  private func classifyKeys(
    of node: Int, from start: Int, isEventRoot: Bool, _ before: Int
  ) -> Int {
    fold.begin()
    var count = before
    tape.forEachMember(of: node) { key in
      let isNew = key >= start
      if isNew { classifyKey(key, isEventRoot: isEventRoot) }
      let earlier = fold.add(KeyFold.tag(tape.bytes(at: key)), item: key) {
        tape.isSameKey($0, key)
      }
      if let earlier {
        tape[earlier].flags |= TapeEntry.dropped
        hasOverwritten = true
      } else if isNew, tape[key].keyKind != .label, tape[key].keyKind != .tags {
        count += 1
      }
    }
    return count
  }

  private func classifyKey(_ key: Int, isEventRoot: Bool) {
    KeyName.classify(key, in: tape)
    if isEventRoot { tape[key].keyKind = tape[key].keyKind.atEventRoot(tape.bytes(at: key)) }
  }

  /// Records as losses the attributes in the object at `node` that a later one overwrites.
  func noteOverwritten(of node: Int) {
    fold.forEachOverwritten(of: node, in: tape) { key, winner in
      guard tape.isOverwrittenLoss(key, by: winner) else { return }
      batch.losses.add(.valueOverwritten, at: path.field(key), of: tape)
    }
  }
}
