import Pipeline

/// The names that foreign dialects derive, computed once per block: drafted keys and event names,
/// and their meaning for the search for ids. Blocks are read one after the other, each to its end,
/// so one table serves all batches. Bounded like the table of names. One thread at a time.
final class ForeignNames {
  private struct Info: BitwiseCopyable {
    var key = ForeignNames.unmade
    /// The key and type of a name that ends with the type of its value (``TypedMembers``).
    var typed: (key: TapeEntry, type: TypedMembers.ValueType?) = (ForeignNames.unmade, nil)
    /// The result of ``IdentitySearch/info(of:_:)``; `max` = not computed.
    var identity = UInt32.max
    var part: PulsePart?
  }

  private static let unmade = TapeEntry(kind: .object)
  /// A source without usable characters.
  static let nothing = TapeEntry(kind: .null)

  /// By number of the name; 0 for all names without one, which are computed every time.
  private var infos = PlainList<Info>()
  /// By number of the word.
  private var words = PlainList(repeating: ForeignNames.unmade, count: DraftedWord.allCases.count)
  /// Sources of event names, which are values, and not numbered by the tape.
  private let eventNumbers = InternTable()
  private var events = PlainList<TapeEntry>()
  /// The ``Tape/block`` that everything belongs to.
  private var block = 0
  private let identityKeys: IdentityKeys

  init(_ identityKeys: IdentityKeys) { self.identityKeys = identityKeys }

  /// Removes everything if the tape has a new block.
  @inline(__always)
  func begin(_ tape: Tape) { if block != tape.block { beginBlock(tape.block) } }

  private func beginBlock(_ number: Int) {
    block = number
    infos.removeAll()
    events.removeAll()
    words.fill(with: Self.unmade)
    if eventNumbers.isFull { eventNumbers.removeAll() }
  }

  /// Removes the names of events, whose texts are gone.
  func forgetEvents() { events.removeAll() }

  /// The index in ``infos`` of the key `source`.
  @inline(__always)
  private func index(of source: TapeEntry, in tape: Tape) -> Int {
    let index = Int(source.number)
    if index == 0 || index >= infos.count || infos[index].key.kind == .object {
      learn(source, at: index, in: tape)
    }
    return index
  }

  @inline(never)
  private func learn(_ source: TapeEntry, at index: Int, in tape: Tape) {
    var info = Info()
    info.part = PulsePart(named: tape.bytes(source))
    info.key = Self.key(named: source, in: tape)
    while infos.count <= index { infos.append(Info()) }
    infos[index] = info
  }

  /// The key for the text `source`, not yet appended; of kind `null` without usable characters.
  static func key(named source: TapeEntry, in tape: Tape) -> TapeEntry {
    let text = tape.bytes(source)
    if ForeignName.isCanonical(text) { return tape.key(source, part: 0..<Int(source.length)) }
    guard ForeignName.isUsable(text) else { return nothing }
    return tape.key { _ = ForeignName.append(tape.bytes(source), for: .key, to: &$0) }
  }

  /// The same for the name `source`, computed once.
  @inline(__always)
  func key(_ source: TapeEntry, in tape: Tape) -> TapeEntry {
    infos[index(of: source, in: tape)].key
  }

  /// The part of an auto event with this name: of `data` when `parent` is nil, else of that part.
  @inline(__always)
  func part(_ source: TapeEntry, of parent: PulsePart?, in tape: Tape) -> PulsePart? {
    infos[index(of: source, in: tape)].part?.asMember(of: parent)
  }

  /// The meaning of the name `source` in the search for ids (``IdentitySearch/info(of:_:)``).
  @inline(__always)
  func identity(_ source: TapeEntry, in tape: Tape) -> UInt32 {
    let index = index(of: source, in: tape)
    if infos[index].identity == .max {
      infos[index].identity = IdentitySearch.info(of: tape.bytes(source), identityKeys)
    }
    return infos[index].identity
  }

  /// The result of ``TypedMembers/typed(_:in:)`` for the name `source`.
  @inline(__always)
  func typedMember(
    _ source: TapeEntry, in tape: Tape
  ) -> (key: TapeEntry, type: TypedMembers.ValueType?) {
    let index = index(of: source, in: tape)
    if infos[index].typed.key.kind == .object {
      infos[index].typed = TypedMembers.typed(source, in: tape)
    }
    return infos[index].typed
  }

  /// A word as a key, not yet appended.
  @inline(__always)
  func key(_ word: DraftedWord, in tape: Tape) -> TapeEntry {
    let index = Int(word.rawValue)
    if words[index].kind == .object { words[index] = tape.key(word.text) }
    return words[index]
  }

  /// The name for an event that the source calls otherwise; nil without usable characters.
  func event(_ source: TapeEntry, in tape: Tape) -> TapeEntry? {
    let index = Int(tape.number(of: source, in: eventNumbers))
    while events.count <= index { events.append(Self.unmade) }
    if index == 0 || events[index].kind == .object {
      events[index] =
        ForeignName.isUsable(tape.bytes(source))
        ? tape.text { _ = ForeignName.append(tape.bytes(source), for: .event, to: &$0) }
        : Self.nothing
    }
    return events[index].kind == .string ? events[index] : nil
  }
}

/// The keys and words that foreign dialects draft beside those of the lines.
enum DraftedWord: UInt8, CaseIterable {
  // Of events of the SDKs (dialects 2, 3).
  case eventLabel, eventTags
  // Of auto events (dialects 7).
  case isBackground, subSIDs, key, sid
  // Of reads and writes (dialects 6).
  case type, count, value, types, insertions, modifications, deletions, changed, changes
  case operation, old, new, insert, modify, delete

  private static let texts: [StaticString] = [
    "$label", "$tags", "is_background", "sub_sids", "key", "sid",
    "type", "count", "value", "types", "insertions", "modifications", "deletions", "changed",
    "changes", "op", "old", "new", "insert", "modify", "delete",
  ]

  var text: StaticString { Self.texts[Int(rawValue)] }
}

extension ForeignDraft {
  @inline(__always)
  func key(_ word: DraftedWord) -> TapeEntry { names.key(word, in: tape) }

  /// A word as a string, not yet appended.
  @inline(__always)
  func text(_ word: DraftedWord) -> TapeEntry {
    var entry = key(word)
    entry.kind = .string
    return entry
  }
}
