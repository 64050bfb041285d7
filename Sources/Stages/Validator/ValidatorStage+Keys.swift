import Pipeline

/// The keys of one object: classified, folded, counted (data-model 2, 6, 7).
extension ValidatorStage {
  /// Classifies the keys of the object at `node`, and drops each that a later one overwrites.
  /// Returns how many are left, except label and tags at an event's root.
  mutating func classifyKeys(
    of node: Int, isEventRoot: Bool, in batch: RecordBatch
  ) -> Int {
    batch.keys.beginObject()
    var count = 0
    var key = node + 1
    let end = Int(batch.tape[node].next)
    while key < end {
      let entry = batch.tape[key]
      let info = batch.keys[entry.number]
      if info.identity == 0 {
        return classifyKeys(of: node, from: key, isEventRoot: isEventRoot, count, in: batch.tape)
      }
      let kind = isEventRoot ? info.rootKind : info.kind
      info.relabel(key, as: kind, in: batch.tape)
      let earlier = batch.keys.note(info.identity, at: key)
      if earlier.exists {
        batch.tape[earlier].flags |= TapeEntry.dropped
        hasOverwritten = true
      } else if kind != .label, kind != .tags {
        count += 1
      }
      key = Int(entry.next)
    }
    return count
  }

  /// The same from the key at `start` on, which has no known meaning; `count` keys before it are
  /// kept.
  @inline(never)
  private mutating func classifyKeys(
    of node: Int, from start: Int, isEventRoot: Bool, _ count: Int, in tape: Tape
  ) -> Int {
    fold.begin()
    var count = count
    var key = node + 1
    let end = Int(tape[node].next)
    while key < end {
      let isNew = key >= start
      if isNew { classifyKey(key, isEventRoot: isEventRoot, in: tape) }
      let entry = tape[key]
      if let earlier = sameKey(as: entry, at: key, of: tape) {
        tape[earlier].flags |= TapeEntry.dropped
        hasOverwritten = true
      } else if isNew, entry.keyKind != .label, entry.keyKind != .tags {
        count += 1
      }
      key = Int(entry.next)
    }
    return count
  }

  /// Records the attributes of the event at `node`, whose path is `path`, that a later one
  /// overwrites with another value, as losses.
  func noteOverwritten(of node: Int, at path: FieldPath, in batch: RecordBatch) {
    let tape = batch.tape
    fold.forEachOverwritten(of: node, in: tape) { key, winner in
      guard tape.isOverwrittenLoss(key, by: winner) else { return }
      var path = path
      path.push(key: key)
      batch.losses.add(.valueOverwritten, at: path, of: tape)
    }
  }

  private func classifyKey(_ key: Int, isEventRoot: Bool, in tape: Tape) {
    KeyName.classify(key, in: tape)
    guard isEventRoot, tape[key].keyKind == .reserved else { return }
    let text = tape.bytes(at: key)
    if text == "$label" { tape[key].keyKind = .label }
    if text == "$tags" { tape[key].keyKind = .tags }
  }

  private mutating func sameKey(
    as entry: TapeEntry, at key: Int, of tape: Tape
  ) -> Int? {
    let text = tape.bytes(entry)
    return fold.add(KeyFold.tag(text), item: key) { earlier in
      let other = tape[earlier]
      return other.isValidKey == entry.isValidKey && tape.bytes(other) == text
    }
  }

  /// Reports an object with too many attributes; label and tags at an event's root do not count.
  func checkCount(
    _ count: Int, limits: Limits, path: FieldPath, in batch: RecordBatch
  ) {
    guard count > limits.attributes else { return }
    batch.reasons.add(
      .tooManyAttributes, at: path, of: batch.tape, limit: limits.attributes, actual: count)
  }
}
