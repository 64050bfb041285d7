import Pipeline

/// What a line gives to each of the events that it lists: drafted once, and copied for each.
///
/// The copies of a line are bounded, so that one with long attributes and many items costs no more
/// than its length allows. Reused from line to line. Belongs to one ``MappedLine``; one thread at a
/// time.
final class SharedAttributes {
  /// The most bytes of all copies of a line, as they are counted here.
  static let mostBytes = 4 << 20

  /// The time and the id of the events that have none of their own.
  var time = Node.none
  var id = Node.none
  /// How many members there are.
  var count: Int { members.count }
  private var members = PlainList<ForeignMember>()
  /// Where groups of them end.
  private var ends = PlainList<Int>()
  /// The bytes of one copy, and those of further copies that may be made.
  private var bytes = 0
  private var bytesLeft = 0

  /// Begins a line.
  func begin() {
    members.recycle()
    ends.recycle()
    bytes = 0
    bytesLeft = Self.mostBytes
  }

  /// Takes the members of the object in the making, the first of which is `first`, that were added
  /// since the last group ended, as the next group.
  func endGroup(_ draft: ForeignDraft, from first: Int) {
    for index in first + members.count..<draft.scratch.members.count {
      let member = draft.scratch.members[index]
      members.append(member)
      bytes += MemoryLayout<ForeignMember>.size
      if member.isAbsent { continue }
      for entry in member.drafted.index..<Int(draft.tape[member.drafted].next) {
        let entry = draft.tape[entry]
        let isContainer = entry.kind == .object || entry.kind == .array
        bytes += MemoryLayout<TapeEntry>.size
        if !isContainer || entry.flags & TapeEntry.prevalidated != 0 { bytes += Int(entry.length) }
      }
    }
    ends.append(members.count)
  }

  /// Whether another event may have copies of them.
  func spend() -> Bool {
    bytesLeft -= bytes
    return bytesLeft >= 0
  }

  /// Adds copies of a group to the object in the making.
  func addCopies(ofGroup group: Int, to draft: ForeignDraft) {
    for index in (group > 0 ? ends[group - 1] : 0)..<ends[group] {
      draft.addCopy(of: members[index])
    }
  }
}
