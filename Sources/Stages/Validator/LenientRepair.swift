import Pipeline

/// `--v1 lenient`: a v1 event that breaks a limit loses the invalid part (data-model 8). The part
/// is dropped at once, because later faults depend on what is left, and counted as a loss.
enum LenientRepair {
  /// Turns the reasons from `first` on into losses; returns whether there were any.
  @discardableResult
  static func drop(
    reasonsFrom first: Int, of batch: RecordBatch, as code: ReasonCode? = nil
  ) -> Bool {
    guard batch.reasons.count > first else { return false }
    for index in first..<batch.reasons.count {
      batch.losses.add(code ?? batch.reasons[index].code, path: batch.reasons.path(index))
    }
    batch.reasons.truncate(to: first)
    return true
  }

  /// The same for an attribute, which is dropped. Those of `$label` and `$tags` have a code of
  /// their own (data-model 10).
  static func drop(attribute key: Int, reasonsFrom first: Int, of batch: RecordBatch) {
    let text = batch.tape.bytes(at: key)
    let isPart = text == "$label" || text == "$tags"
    if drop(reasonsFrom: first, of: batch, as: isPart ? .reservedKeyInV1 : nil) {
      batch.tape[key].flags |= TapeEntry.dropped
    }
  }

  /// Drops all but the first ``Limits/tags`` of the array at `node`, whose path is `path`.
  static func keepFirstTags(of node: Int, at path: FieldPath, in batch: RecordBatch) {
    var kept = 0
    batch.tape.forEachItem(of: node) { item, position in
      if batch.tape[item].isDropped { return }
      kept += 1
      guard kept > Limits.tags else { return }
      batch.tape[item].flags |= TapeEntry.dropped
      batch.losses.add(.tooManyTags, at: path.item(position), of: batch.tape)
    }
  }

  /// Keeps the first `limit` attributes by the bytes of their keys; returns how many are left.
  static func keepFirst(_ limit: Int, of node: Int, in batch: RecordBatch) -> Int {
    let tape = batch.tape
    var count = 0
    tape.forEachMember(of: node) { count += tape[$0].isDropped ? 0 : 1 }
    guard count > limit else { return count }
    var keys: [Int] = []
    tape.forEachMember(of: node) { if !tape[$0].isDropped { keys.append($0) } }
    keys.sort { tape.bytes(at: $0) < tape.bytes(at: $1) }
    for key in keys[limit...].sorted() {
      let path = FieldPath(root: "attributes").field(key)
      batch.losses.add(.tooManyAttributes, at: path, of: tape)
      tape[key].flags |= TapeEntry.dropped
    }
    return limit
  }
}
