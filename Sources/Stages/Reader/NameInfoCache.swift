import Pipeline

/// What a dialect knows of field names, by their numbers in ``Tape/names``: found out once per name
/// and block, not once per line.
///
/// An entry may hold texts of the block, because it is forgotten with it. Bounded like the table
/// of names. Belongs to one ``DialectReader``; one thread at a time.
final class NameInfoCache<Info: BitwiseCopyable> {
  private struct Entry: BitwiseCopyable {
    /// The ``Tape/block`` it belongs to; 0 = none.
    var block: Int
    var info: Info
  }

  /// By number of the name.
  private var entries = PlainList<Entry>()
  private let nothing: Info

  /// An empty cache; `nothing` fills entries that are not in use.
  init(_ nothing: Info) { self.nothing = nothing }

  /// What is known of the name with this number, which `find` finds out the first time; every time
  /// for 0, which stands for all names without a number. Complexity: O(1) but for the first time.
  @inline(__always)
  func info(of number: UInt16, in tape: Tape, _ find: () -> Info) -> Info {
    let index = Int(number)
    if index > 0, index < entries.count, entries[index].block == tape.block {
      return entries[index].info
    }
    let info = find()
    if index > 0 { store(info, at: index, of: tape.block) }
    return info
  }

  @inline(never)
  private func store(_ info: Info, at index: Int, of block: Int) {
    while entries.count <= index { entries.append(Entry(block: 0, info: nothing)) }
    entries[index] = Entry(block: block, info: info)
  }
}
