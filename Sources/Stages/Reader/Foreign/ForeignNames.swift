import Pipeline

/// The names that were drafted in a block, so that each is made once and not once per line. Blocks
/// are read one after the other, each to its end. Belongs to one ``DialectReader``; one thread at a
/// time.
final class ForeignNames {
  /// Stands for a source of which nothing is left.
  private static let nothing = TapeEntry(start: 0, length: 0, next: 0, kind: .null)

  private let own = NameInfoCache(false)
  private let plain = NameInfoCache(ForeignNames.nothing)
  private let dates = NameInfoCache(ForeignNames.nothing)
  private let urls = NameInfoCache(ForeignNames.nothing)
  /// Sources of names of events, which are values, and have no number of their own.
  private let eventNumbers = InternTable()
  private let events = NameInfoCache(ForeignNames.nothing)
  /// The ``Tape/block`` of the last name of an event.
  private var block = 0

  /// Whether the key `source` is its own name, and has a number.
  @inline(__always)
  func isOwn(_ source: TapeEntry, in tape: Tape) -> Bool {
    source.number != 0
      && own.info(of: source.number, in: tape) { ForeignName.isCanonical(tape.bytes(source)) }
  }

  /// The key for what a source calls `source`, not yet appended; one of kind `null` when nothing of
  /// it is left.
  @inline(__always)
  func key(_ source: TapeEntry, in tape: Tape) -> TapeEntry {
    plain.info(of: source.number, in: tape) { Self.makeKey(source, in: tape) }
  }

  @inline(never)
  private static func makeKey(_ source: TapeEntry, in tape: Tape) -> TapeEntry {
    let text = tape.bytes(source)
    if ForeignName.isCanonical(text) { return source }
    guard ForeignName.isUsable(text) else { return nothing }
    return tape.key { _ = ForeignName.append(tape.bytes(source), for: .key, to: &$0) }
  }

  /// The key `key`, which is none that types anything, as one that does.
  @inline(__always)
  func typed(_ key: TapeEntry, as form: KeyForm, in tape: Tape) -> TapeEntry {
    switch form {
    case .plain: key
    case .date: dates.info(of: key.number, in: tape) { KeyName.typed(key, as: .date, in: tape) }
    case .url: urls.info(of: key.number, in: tape) { KeyName.typed(key, as: .url, in: tape) }
    }
  }

  /// The name of the event that a source calls `source`, a text that is not its own name, not yet
  /// appended; nil when nothing of it is left.
  func event(_ source: TapeEntry, in tape: Tape) -> TapeEntry? {
    if block != tape.block {
      block = tape.block
      if eventNumbers.isFull { eventNumbers.removeAll() }
    }
    let number = tape.number(of: source, in: eventNumbers)
    let name = events.info(of: number, in: tape) {
      guard ForeignName.isUsable(tape.bytes(source)) else { return Self.nothing }
      return tape.text { _ = ForeignName.append(tape.bytes(source), for: .event, to: &$0) }
    }
    return name.kind == .string ? name : nil
  }
}
