import Pipeline

/// The names of the attributes of an event, to find fields with the same name
/// (docs/reference/data-model.md, "Names").
///
/// Reused from event to event; linear in the number of names. One thread at a time.
final class AttributeNames {
  private let fold = KeyFold()
  private var keys = PlainList<TapeEntry>()

  /// Begins an event without attributes.
  func begin() {
    fold.begin()
    keys.recycle()
  }

  /// Adds the key of an attribute, as written.
  func add(_ key: TapeEntry, of tape: Tape) {
    let text = tape.bytes(key)
    keys.append(key)
    _ = fold.add(KeyName.tag(text), item: keys.count - 1) {
      KeyName.isSameKey(tape.bytes(keys[$0]), text)
    }
  }

  /// Whether an attribute has this key, as written.
  func has(_ key: TapeEntry, of tape: Tape) -> Bool {
    let text = tape.bytes(key)
    return fold.latest(KeyName.tag(text)) { KeyName.isSameKey(tape.bytes(keys[$0]), text) } != nil
  }
}
