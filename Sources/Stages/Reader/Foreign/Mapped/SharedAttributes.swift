import Pipeline

/// The attributes that a line gives to each of its listed events, drafted once and copied for each.
///
/// The copies of a line are limited, so that one with long attributes and many items costs no more
/// than its length allows. Reused for each line. Belongs to one ``MappedLine``; one thread at a
/// time.
final class SharedAttributes {
  /// Maximum size of all copies of a line, in bytes as counted here.
  static let mostBytes = 4 << 20

  /// The time of the events that have none of their own.
  var time = Node.none
  /// The ids of the line, by alternative; none where it has no valid one.
  var ids = PlainList<Node>()
  /// Number of attributes.
  var count: Int { members.count }
  private var members = PlainList<ForeignMember>()
  /// The ends of the groups.
  private var ends = PlainList<Int>()
  /// The size of one copy, and that of the copies that may still be made.
  private var bytes = 0
  private var bytesLeft = 0

  /// Begins a line.
  func begin() {
    ids.removeAll()
    members.recycle()
    ends.recycle()
    bytes = 0
    bytesLeft = Self.mostBytes
  }

  /// Ends a group: it consists of the fields added to the current object since the last group
  /// ended; `first` is the object's first field.
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

  /// Whether one more event may have copies of them.
  func spend() -> Bool {
    bytesLeft -= bytes
    return bytesLeft >= 0
  }

  /// Adds copies of a group to the current object.
  func addCopies(ofGroup group: Int, to draft: ForeignDraft) {
    for index in (group > 0 ? ends[group - 1] : 0)..<ends[group] {
      draft.addCopy(of: members[index])
    }
  }
}
