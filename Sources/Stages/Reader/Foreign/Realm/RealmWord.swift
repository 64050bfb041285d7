/// The keys and words of the attribute `data` that tells of reads and writes (dialects 6).
enum RealmWord: UInt8, DraftedWord {
  case type, count, value, types, insertions, modifications, deletions, changed, changes
  case operation, old, new, insert, modify, delete

  var text: StaticString {
    switch self {
    case .type: "type"
    case .count: "count"
    case .value: "value"
    case .types: "types"
    case .insertions: "insertions"
    case .modifications: "modifications"
    case .deletions: "deletions"
    case .changed: "changed"
    case .changes: "changes"
    case .operation: "op"
    case .old: "old"
    case .new: "new"
    case .insert: "insert"
    case .modify: "modify"
    case .delete: "delete"
    }
  }
}
