import Pipeline

/// The names of a run in byte order, and in the forms used in lines. Made when all names are known;
/// any thread.
package struct SnapshotNames: Sendable {
  package let events: NameList
  package let attributes: NameList
  /// `"NAME":{"count":`
  let profileNames: MemberNames
  let order: NameOrder
  /// The same names.
  package let lists: NameLists

  /// The current names of `names`.
  package init(_ names: RunNames) {
    events = names.events.list()
    attributes = names.attributes.list()
    lists = NameLists(events: events, attributes: attributes)
    profileNames = MemberNames(events, rest: "\":{\"count\":")
    order = .bytes(events: events.ranks, attributes: attributes.ranks)
  }
}
