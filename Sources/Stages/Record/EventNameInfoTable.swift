import Pipeline

/// The meaning of an event name as written (data-model 6).
package struct EventNameInfo: BitwiseCopyable {
  /// Length of the prefix that v1 removes.
  var prefix: UInt8 = 0
  /// The classification of the whole text, and of the text without the prefix.
  var shape = Characters.NameShape.none
  var shapeInV1 = Characters.NameShape.none
  /// XXH64 of the stored form.
  package var hash: UInt64 = 0
  /// The number of the stored form in the run's table of event names, once it is looked up.
  package var id = EventNameInfo.unknown

  package static let unknown = UInt32.max
}

/// The event names of one batch, as written: each is analysed once. Bounded. One thread at a time.
package struct EventNameInfoTable: ~Copyable {
  let texts = InternTable()
  private var infos = PlainList<EventNameInfo>()

  package init() { infos.append(EventNameInfo()) }

  /// The info of the name with this number, which is not 0.
  package subscript(number: UInt16) -> EventNameInfo {
    @inline(__always) get { infos[Int(number)] }
    @inline(__always) _modify { yield &infos[Int(number)] }
  }

  /// Removes everything when no more names get a number.
  mutating func recycle() {
    guard texts.isFull else { return }
    texts.removeAll()
    infos.truncate(to: 1)
  }

  /// The number of the name in the string `entry`; 0 when it has none. `prefix` returns the length
  /// of a name's v1 prefix.
  @inline(__always)
  mutating func number(of entry: TapeEntry, in tape: Tape, prefix: (ByteView) -> Int) -> UInt16 {
    let number = tape.number(of: entry, in: texts)
    if Int(number) >= infos.count { learn(prefix) }
    return number
  }

  @inline(never)
  private mutating func learn(_ prefix: (ByteView) -> Int) {
    var lower = ByteBuffer(capacity: InternTable.longest)
    while infos.count <= texts.count {
      let text = texts.text(infos.count)
      let length = prefix(text)
      lower.removeAll()
      KeyName.appendLowercase(text.dropFirst(length), to: &lower)
      infos.append(
        EventNameInfo(
          prefix: UInt8(length), shape: Characters.nameShape(text),
          shapeInV1: Characters.nameShape(text.dropFirst(length)), hash: XXH64.hash(lower.view)))
    }
  }
}
