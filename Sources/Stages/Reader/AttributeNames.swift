import Pipeline

/// The names of the attributes of an event, to find fields with the same name
/// (docs/reference/data-model.md, "Names").
///
/// Reused from event to event; linear in the number of names. One thread at a time.
final class AttributeNames {
  private struct Name: BitwiseCopyable {
    let start: Int32
    let length: Int32
    /// Whether it is valid; then the text is its stored form.
    let isValid: Bool
    /// Whether an attribute has it.
    var isTaken: Bool
  }

  private let fold = KeyFold()
  private var names = PlainList<Name>()
  private var text = ByteBuffer(capacity: 256)

  init() {}

  /// Begins an event without attributes.
  func begin() {
    fold.begin()
    names.recycle()
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
  }

  /// Adds the name of an attribute, as written.
  func add(_ name: ByteView) { _ = note(name, isTaken: true) }

  /// Whether an attribute has this name, as written; other fields do not count.
  func has(_ name: ByteView) -> Bool { note(name, isTaken: false) }

  /// Adds a name; returns whether an attribute already has it.
  private func note(_ name: ByteView, isTaken: Bool) -> Bool {
    let (kind, inner) = KeyName.kind(of: name)
    let start = text.count
    if kind.isValid {
      KeyName.appendLowercase(name[inner], to: &text)
    } else {
      text.append(name)
    }
    let index = names.count
    names.append(
      Name(
        start: Int32(start), length: Int32(text.count - start), isValid: kind.isValid,
        isTaken: isTaken))
    let stored = stored(index)
    let earlier = fold.add(KeyFold.tag(stored), item: index) { other in
      names[other].isValid == kind.isValid && self.stored(other) == stored
    }
    guard let earlier, names[earlier].isTaken else { return false }
    names[index].isTaken = true
    return true
  }

  private func stored(_ index: Int) -> ByteView {
    let start = Int(names[index].start)
    return text[start..<start + Int(names[index].length)]
  }
}
