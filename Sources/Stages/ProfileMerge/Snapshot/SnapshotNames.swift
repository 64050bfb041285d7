import Pipeline

/// The names of a run in the order of their bytes, and in the forms in which lines hold them. Made
/// when all names are known; for any thread.
package struct SnapshotNames: Sendable {
  package let events: NameList
  package let attributes: NameList
  /// `"NAME":{"count":`
  let profileNames: MemberNames
  let order: NameOrder
  /// The same names.
  package let lists: NameLists

  /// The names that `names` holds now.
  package init(_ names: RunNames) {
    events = names.events.list()
    attributes = names.attributes.list()
    lists = NameLists(events: events, attributes: attributes)
    profileNames = MemberNames(events, rest: "\":{\"count\":")
    order = .bytes(events: events.ranks, attributes: attributes.ranks)
  }
}
