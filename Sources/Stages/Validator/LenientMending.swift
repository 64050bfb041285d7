import Pipeline

/// `--v1 lenient`: a v1 event that breaks a limit loses the invalid part instead of being rejected
/// (data-model 8).
///
/// The validator calls this for each invalid part, because later faults depend on what is left. The
/// part is dropped on the tape and counted as a loss, with the code of its rejection under
/// `strict`.
enum LenientMending {
  /// Turns the reasons from `first` on into losses; returns whether there were any.
  @discardableResult
  static func drop(reasonsFrom first: Int, of batch: RecordBatch) -> Bool {
    guard batch.reasons.count > first else { return false }
    for index in first..<batch.reasons.count {
      batch.losses.take(index, of: batch.reasons, as: batch.reasons[index].code)
    }
    batch.reasons.truncate(to: first)
    return true
  }

  /// The same for the attribute whose key is at tape index `key`, which is dropped. The losses of
  /// `$label` and `$tags` have codes of their own (data-model 10).
  static func drop(attribute key: Int, reasonsFrom first: Int, of batch: RecordBatch) {
    guard batch.reasons.count > first else { return }
    if batch.tape[key].keyKind == .reserved {
      let text = batch.tape.bytes(at: key)
      if text == "$label" || text == "$tags" {
        batch.reasons.rename(first, to: .reservedKeyInV1)
      }
    }
    drop(reasonsFrom: first, of: batch)
    batch.tape[key].flags |= TapeEntry.dropped
  }

  /// Drops invalid tags, then duplicates, then all but the first ten; `validate` adds the reasons
  /// of one tag.
  static func mendTags(
    of event: inout EventEntry, in batch: RecordBatch, with fold: KeyFold,
    _ validate: (_ item: Int, _ path: FieldPath) -> Void
  ) {
    let node = event.tags.index
    var path = FieldPath(root: "tags")
    guard batch.tape[node].kind == .array else {
      batch.losses.add(.wrongType, at: "tags")
      event.tags = .none
      return
    }
    batch.tape.forEachItem(of: node) { item, position in
      let first = batch.reasons.count
      path.push(index: position)
      validate(item, path)
      path.pop()
      if drop(reasonsFrom: first, of: batch) { batch.tape[item].flags |= TapeEntry.dropped }
    }
    TagSet.store(event.tags, in: batch.tape, with: fold)
    var kept = 0
    batch.tape.forEachItem(of: node) { item, position in
      if batch.tape[item].isDropped { return }
      kept += 1
      guard kept > Limits.tags else { return }
      batch.tape[item].flags |= TapeEntry.dropped
      path.push(index: position)
      batch.losses.add(.tooManyTags, at: path, of: batch.tape, limit: Limits.tags)
      path.pop()
    }
  }

  /// Keeps the first `limit` attributes of the object at `node`, by the bytes of their keys.
  /// Returns how many are left. `keys` is scratch memory. Complexity: O(n log n).
  static func keepFirst(
    _ limit: Int, of node: Int, in batch: RecordBatch, _ keys: inout [Node]
  ) -> Int {
    let tape = batch.tape
    keys.recycle()
    tape.forEachMember(of: node) { key in
      if !tape[key].isDropped { keys.append(Node(key)) }
    }
    guard keys.count > limit else { return keys.count }
    keys.sort { tape.bytes(at: $0.index) < tape.bytes(at: $1.index) }
    var path = FieldPath(root: "attributes")
    for key in keys[limit...].sorted() {
      path.push(key: key.index)
      batch.losses.add(.tooManyAttributes, at: path, of: tape, limit: limit)
      path.pop()
      tape[key].flags |= TapeEntry.dropped
    }
    return limit
  }
}
