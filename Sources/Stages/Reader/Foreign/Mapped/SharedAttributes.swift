import Pipeline

/// The attributes that a line gives to each of its listed events, drafted once and copied within a
/// limit, so that long attributes and many items do not multiply. One thread at a time.
final class SharedAttributes {
  /// Maximum size of all copies of a line, in bytes as counted here (``MappedLine/spend(_:)``).
  static let mostBytes = 4 << 20

  enum Value: Int {
    case time, id, customID, installationID
  }

  /// The times and the ids of the line that were used, by kind and alternative; none = not valid.
  var values: [[Node?]] = []
  /// The name and its source, if it is the same for all items.
  var name: (Node, Node)?
  /// The parts whose losses of the line are told (``MappedReading/noting(_:isShared:_:)``).
  var told: Set<Part> = []

  /// What an item drafts of the line around it: the fields and lists of pairs by their numbers.
  enum Part: Hashable {
    case label, tags, field(Int), traits(level: Int), profileField(Int), profilePairs(Int)
  }

  /// What a field counts as: a rule of the data, whatever it takes in memory.
  private static let bytesOfField = 42

  var count: Int { members.count }
  private var members = PlainList<ForeignMember>()
  private var ends = PlainList<Int>()
  private(set) var bytes = 0

  /// Begins the items of a list, for the alternatives of `rules`.
  func begin(_ rules: MappedRules) {
    values = [rules.time.count, rules.id.count, rules.customID.count, rules.installationID.count]
      .map { [Node?](repeating: nil, count: $0) }
    name = nil
    told.removeAll()
    members.recycle()
    ends.recycle()
    bytes = 0
  }

  /// Ends a group, which consists of the fields added to the current object since the last one.
  func endGroup(_ draft: ForeignDraft, from first: Int) {
    for index in first + members.count..<draft.scratch.members.count {
      let member = draft.scratch.members[index]
      members.append(member)
      bytes += Self.bytesOfField
      if member.isAbsent { continue }
      for entry in member.drafted.index..<Int(draft.tape[member.drafted].next) {
        let entry = draft.tape[entry]
        let isContainer = entry.kind == .object || entry.kind == .array
        bytes += MemoryLayout<TapeEntry>.size
        if !isContainer || entry.flags & TapeEntry.prevalidated != 0 { bytes += entry.textLength }
      }
    }
    ends.append(members.count)
  }

  func addCopies(ofGroup group: Int, to draft: ForeignDraft) {
    for index in (group > 0 ? ends[group - 1] : 0)..<ends[group] {
      draft.addCopy(of: members[index])
    }
  }
}
