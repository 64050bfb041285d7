import Pipeline

/// The keys and values that a mapping itself contains, drafted for one kind of lines. They are made
/// once per block, as their texts are in the block.
///
/// Belongs to one ``MappedLine``; one thread at a time.
final class MappedKeys {
  let kind: MappedKind
  let hasRenames: Bool
  /// By index in ``MappedRules/fields``.
  private(set) var fields = PlainList<TapeEntry>()
  /// By index in ``MappedRules/constants``: keys and values.
  private(set) var constantKeys = PlainList<TapeEntry>()
  private(set) var constants = PlainList<TapeEntry>()
  /// The name of events that have none in the line.
  private(set) var constantName = TapeEntry(start: 0, length: 0, next: 0, kind: .null)
  /// By word; kind `null` if the key is not renamed.
  private var renames = PlainList<TapeEntry>()
  /// The ``Tape/block`` of the texts.
  private var block = 0

  init(_ kind: MappedKind) {
    self.kind = kind
    hasRenames = !kind.rules.renames.isEmpty
  }

  @inline(__always)
  func begin(_ tape: Tape) {
    if block != tape.block { beginBlock(tape) }
  }

  private func beginBlock(_ tape: Tape) {
    block = tape.block
    fields.removeAll()
    constantKeys.removeAll()
    constants.removeAll()
    renames.removeAll()
    let rules = kind.rules
    for (key, _) in rules.fields { fields.append(tape.key { $0.append(contentsOf: key) }) }
    for (key, value) in rules.constants {
      constantKeys.append(tape.key { $0.append(contentsOf: key) })
      var entry = tape.text { $0.append(contentsOf: value.text) }
      entry.kind = value.kind
      if value.kind == .double { entry.flags |= TapeEntry.exponent }
      constants.append(entry)
    }
    for (word, key) in rules.renames {
      while renames.count <= word {
        renames.append(TapeEntry(start: 0, length: 0, next: 0, kind: .null))
      }
      renames[word] = tape.key { $0.append(contentsOf: key) }
    }
    constantName = tape.text { $0.append(contentsOf: rules.constantName) }
  }

  /// The new key of a field named by this word, if it is renamed.
  func renamed(_ word: Int) -> TapeEntry? {
    word < renames.count && renames[word].kind == .key ? renames[word] : nil
  }
}
