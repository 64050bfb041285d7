import Pipeline

/// Memberships in memory, by partition of the person, sorted by person, then by installation.
///
/// Immutable, so that any number of lanes may read it.
final class SortedMemberships: Sendable {
  private let states: [KeyState]
  /// The owners of the texts of copied states.
  private let copies: [Frozen<StateBytes>]
  /// By partition: the states in order, as indices in `states`.
  let order: [[SortKey]]

  /// Sorts `states`, whose texts live as long as the merge or belong to `copies`, on `cores` or on
  /// the calling thread.
  init(
    _ states: [KeyState], _ copies: [Frozen<StateBytes>], partitions: Int, cores: CoreQueues?
  ) {
    self.states = states
    self.copies = copies
    var parts = Array(repeating: [SortKey](), count: partitions)
    for index in states.indices {
      let person = states[index].key
      let part = partitions == 1 ? 0 : KeyHash.partition(XXH64.hash(person), of: partitions)
      parts[part].append(
        SortKey(KeySection.custom.id(of: person), .init(shard: 0, profile: UInt32(index))))
    }
    order = parts.map { keys in
      let middle = keys.count / 2
      let halves = [keys[..<middle], keys[middle...]]
      let sort: @Sendable (Int) -> [SortKey] = { halves[$0].sorted { $0 < $1 } }
      var keys = SortKey.merged(cores?.map(halves.count, sort) ?? halves.indices.map(sort))
      Self.sortInstallations(&keys, of: states)
      return keys
    }
  }

  private static func sortInstallations(_ keys: inout [SortKey], of states: [KeyState]) {
    func membership(_ index: Int) -> KeyState { states[Int(keys[index].position.profile)] }
    var start = 0
    while start < keys.count {
      let person = membership(start).key
      var end = start + 1
      while end < keys.count, membership(end).key == person { end += 1 }
      if end - start > 1 {
        keys[start..<end].sort {
          installation(of: states[Int($0.position.profile)])
            < installation(of: states[Int($1.position.profile)])
        }
      }
      start = end
    }
  }

  /// The membership for a key of ``order``.
  subscript(_ key: SortKey) -> KeyState { states[Int(key.position.profile)] }

  /// A cursor over the memberships of the people within `range`.
  func cursor(_ partition: Int, _ range: KeyRange) -> any KeyCursor {
    Cursor(self, order[partition], range)
  }

  private final class Cursor: KeyCursor {
    private let memberships: SortedMemberships
    private var keys: ArraySlice<SortKey>

    init(_ memberships: SortedMemberships, _ keys: [SortKey], _ range: KeyRange) {
      self.memberships = memberships
      self.keys = keys.keys(of: .custom, range)
    }

    var head: KeyState? { keys.first.map { memberships[$0] } }

    func advance() { keys.removeFirst() }
  }
}

/// The installation of a membership.
func installation(of membership: KeyState) -> ByteView {
  guard let link = membership.link else {
    preconditionFailure("a membership names its installation")
  }
  return link.target
}
