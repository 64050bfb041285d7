import Pipeline

/// What the names of members mean to somebody, by the numbers they have in ``Tape/names``: found
/// out once per name and block, not once per line.
///
/// A meaning may hold texts of the block, because it is forgotten with it. Bounded like the table
/// of names. Belongs to one ``DialectReader``; one thread at a time.
final class NameMemo<Meaning: BitwiseCopyable> {
  private struct Note: BitwiseCopyable {
    /// The ``Tape/block`` for which it was found out; 0 = none.
    var block: Int
    var meaning: Meaning
  }

  /// By number of the name.
  private var notes = PlainList<Note>()
  private let nothing: Meaning

  /// A memo of which room that is not in use holds `nothing`.
  init(_ nothing: Meaning) { self.nothing = nothing }

  /// The meaning of the name with this number, which `find` finds out the first time; every time
  /// for 0, which stands for all names without a number. Complexity: O(1) but for the first time.
  @inline(__always)
  func meaning(of number: UInt16, in tape: Tape, _ find: () -> Meaning) -> Meaning {
    let place = Int(number)
    if place > 0, place < notes.count, notes[place].block == tape.block {
      return notes[place].meaning
    }
    let meaning = find()
    if place > 0 { note(meaning, at: place, of: tape.block) }
    return meaning
  }

  @inline(never)
  private func note(_ meaning: Meaning, at place: Int, of block: Int) {
    while notes.count <= place { notes.append(Note(block: 0, meaning: nothing)) }
    notes[place] = Note(block: block, meaning: meaning)
  }
}
