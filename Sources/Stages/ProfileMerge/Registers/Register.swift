import Pipeline

/// One fact of a key, assembled from records in any order (docs/reference/data-model.md, merge).
///
/// `add` any number of records, then `settle`, then read. All records of a key that are equal for
/// the merge are one afterwards: which of them were merged before, and where, does not matter.
/// Reusable: `removeAll` keeps the capacity.
protocol Register: ~Copyable, SendableMetatype {
  static var kinds: Mutation.Kinds { get }
  /// These, and kinds of other registers whose records it hears, too.
  static var heard: Mutation.Kinds { get }
  /// Whether a record of its kinds, from a file, is one that readers can rely on, its name aside.
  static func isSound(_ record: Mutation, _ place: inout RecordPlace) -> Bool

  mutating func removeAll()
  /// Adds a record that it hears, whose name has the rank `rank`.
  mutating func add(_ record: Mutation, rank: UInt32)
  /// Merges what was added. Complexity: at most O(n log n) for n records.
  mutating func settle()
  /// Removes what is up to the time `mark`, in milliseconds since 1970, after it was settled.
  mutating func erase(through mark: Int)

  /// The times at which its records say that the key was seen.
  var seen: Seen { get }
  /// Calls `body` with its records: at most one for equal facts, the names in their order.
  mutating func forEachRecord(_ body: (Mutation) -> Void)
  /// Writes its fields of the line of a state (``StateLines``).
  func describe(in line: StateLines)
  mutating func render(in profile: inout ProfileText)
}

extension Register where Self: ~Copyable {
  static var heard: Mutation.Kinds { kinds }
  mutating func settle() {}
  mutating func erase(through mark: Int) {}
  var seen: Seen { .never }
  func describe(in line: StateLines) {}
  mutating func render(in profile: inout ProfileText) {}
}

/// Does something with each register of a key, of whatever type.
protocol RegisterVisitor: ~Copyable {
  mutating func visit<R: Register & ~Copyable>(_ register: inout R)
}

/// Where a record of a file stands.
struct RecordPlace {
  let section: KeySection
  /// Whether the key has a profile beside its state.
  let hasProfile: Bool
  let content: SortedRun.Content
  /// Whether it is the first record of the key.
  var isFirst = true
  /// All events that the reader has counted so far.
  var events = 0

  /// Adds a number of events; false when it is not possible.
  mutating func takes(_ count: Int) -> Bool {
    guard 0...FrameLayout.maximumCount - events ~= count else { return false }
    events += count
    return true
  }
}

/// Adds a record to the registers that hear it.
struct RegisterAdding: RegisterVisitor {
  let record: Mutation
  let rank: UInt32

  @inline(__always)
  mutating func visit<R: Register & ~Copyable>(_ register: inout R) {
    if R.heard.contains(record.kind) { register.add(record, rank: rank) }
  }
}

struct RegisterRemoving: RegisterVisitor {
  mutating func visit<R: Register & ~Copyable>(_ register: inout R) { register.removeAll() }
}

struct RegisterSettling: RegisterVisitor {
  mutating func visit<R: Register & ~Copyable>(_ register: inout R) { register.settle() }
}

struct RegisterErasing: RegisterVisitor {
  let mark: Int

  mutating func visit<R: Register & ~Copyable>(_ register: inout R) {
    register.erase(through: mark)
  }
}

/// Calls `body` with the records of registers, and collects the times that they imply.
struct RegisterRecording: RegisterVisitor {
  let body: (Mutation) -> Void
  var seen = Seen.never

  mutating func visit<R: Register & ~Copyable>(_ register: inout R) {
    register.forEachRecord(body)
    seen.merge(register.seen)
  }
}

/// Whether a record of a file is one that readers can rely on, its name aside: what the register of
/// its kind says, and false for unknown kinds.
struct RegisterChecking: RegisterVisitor {
  let record: Mutation
  var place: RecordPlace
  /// Nil as long as no register has its kind.
  var isSound: Bool?

  @inline(__always)
  mutating func visit<R: Register & ~Copyable>(_ register: inout R) {
    if isSound == nil, R.kinds.owns(record.kind) { isSound = R.isSound(record, &place) }
  }
}
