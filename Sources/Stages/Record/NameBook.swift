import Pipeline

/// What an event name, as it was written, means (data-model 6).
package struct NameMeaning: BitwiseCopyable {
  /// Bytes of the prefix that v1 takes away.
  var prefix: UInt8 = 0
  /// What the whole text is as a name.
  var shape = Characters.NameShape.none
  /// What is left without the prefix is as a name.
  var shapeInV1 = Characters.NameShape.none
  /// XXH64 of the stored form.
  package var hash: UInt64 = 0
  /// The number of the stored form in the run's table of event names; ``unknown`` until it is asked
  /// for.
  package var id = NameMeaning.unknown

  /// No number yet.
  package static let unknown = UInt32.max
}

/// The event names that one batch has met, as they were written: each is looked into once, not once
/// per event. Bounded like the table it is made of. One thread at a time.
package struct NameBook: ~Copyable {
  let texts = InternTable()
  private var meanings = PlainList<NameMeaning>()

  package init() { meanings.append(NameMeaning()) }

  /// The meaning of the name with this number, which is not 0.
  package subscript(number: UInt16) -> NameMeaning {
    @inline(__always) get { meanings[Int(number)] }
    @inline(__always) _modify { yield &meanings[Int(number)] }
  }

  /// Forgets everything when no more names get a number.
  mutating func recycle() {
    guard texts.isFull else { return }
    texts.removeAll()
    meanings.truncate(to: 1)
  }

  /// The number of the name that the string `entry` holds; 0 when it has none. `prefix` returns the
  /// bytes of a name's prefix in v1.
  @inline(__always)
  mutating func number(
    of entry: TapeEntry, in tape: Tape, prefix: (ByteView) -> Int
  ) -> UInt16 {
    let number = tape.number(of: entry, in: texts)
    if Int(number) >= meanings.count { learn(prefix) }
    return number
  }

  @inline(never)
  private mutating func learn(_ prefix: (ByteView) -> Int) {
    while meanings.count <= texts.count {
      let text = texts.text(meanings.count)
      meanings.append(NameBook.meaning(of: text, prefix: prefix(text)))
    }
  }

  private static func meaning(of text: ByteView, prefix: Int) -> NameMeaning {
    var meaning = NameMeaning()
    meaning.prefix = UInt8(prefix)
    meaning.shape = Characters.nameShape(text)
    let name = text.dropFirst(prefix)
    meaning.shapeInV1 = Characters.nameShape(name)
    var lower = ByteBuffer(capacity: InternTable.longest)
    KeyName.appendLowercase(name, to: &lower)
    meaning.hash = XXH64.hash(lower.view)
    return meaning
  }
}
