import Pipeline

/// The keys and words of its own that a dialect drafts again and again. They can be given by their
/// texts as well; given so they are made once per block.
protocol DraftedWord: RawRepresentable<UInt8> {
  /// As it is drafted.
  var text: StaticString { get }
}

extension ForeignDraft {
  /// A word of the dialect as a key, not yet appended.
  @inline(__always)
  func key<Word: DraftedWord>(_ word: Word) -> TapeEntry {
    scratch.words.info(of: UInt16(word.rawValue) + 1, in: tape) { tape.key(word.text) }
  }

  /// A word of the dialect as a string, not yet appended.
  @inline(__always)
  func text<Word: DraftedWord>(_ word: Word) -> TapeEntry {
    var entry = key(word)
    entry.kind = .string
    return entry
  }

  /// Adds a member with the key `word`, and with the value at `node`, which is kept as it is.
  func addMember<Word: DraftedWord>(_ word: Word, drafted node: Int, isPrevalidated: Bool = false) {
    addOwn(key(word), as: .plain, drafted: node, isPrevalidated: isPrevalidated)
  }
}
