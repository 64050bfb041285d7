package import Pipeline

extension SnapshotPlan {
  /// Appends the lines of a piece: published profiles (SPEC 9), and the state in the format
  /// described in ``StateReader``. Counts the profiles into `tally`. For any thread.
  package func render(
    _ piece: SnapshotPiece, profiles: inout ByteBuffer, state: inout ByteBuffer,
    tally: inout SnapshotTally
  ) {
    if piece.hasHeader { renderStateHeader(partition: piece.partition, into: &state) }
    var renderer = SnapshotRenderer(plan: self)
    renderer.render(piece, profiles: &profiles, state: &state, tally: &tally)
    tally.lines += piece.persons.count + piece.singles.count
  }
}

/// Renders keys one after the other, with room for one that is used again for the next.
///
/// The state of a person is rendered beside the profile, while the records are in the cache and
/// sorted.
private struct SnapshotRenderer: ~Copyable {
  private let plan: SnapshotPlan
  private let order: NameOrder
  private var rows = RegisterRows()
  private var stateWriter: StateWriter
  private var profileWriter: ProfileWriter

  init(plan: SnapshotPlan) {
    self.plan = plan
    order = .bytes(events: plan.eventNames.ranks, attributes: plan.attributeKeys.ranks)
    stateWriter = StateWriter(plan: plan)
    profileWriter = ProfileWriter(plan: plan)
  }

  mutating func render(
    _ piece: SnapshotPiece, profiles: inout ByteBuffer, state: inout ByteBuffer,
    tally: inout SnapshotTally
  ) {
    let part = plan.parts[piece.partition]
    for index in piece.anonymous {
      stateWriter.writeAnonymous(part.anonymous[index], into: &state)
    }
    forEach(piece.persons, \.place, of: part.persons) { renderer, person in
      renderer.gather(person.place)
      renderer.rows.settle()
      renderer.stateWriter.write(person.place, renderer.rows, into: &state)
      renderer.gatherMembers(person)
      renderer.profileWriter.write(
        person, isPerson: true, renderer.rows, into: &profiles, &tally)
    }
    for index in piece.totals { stateWriter.writeTotal(part.totals[index], into: &state) }
    forEach(piece.installations, \.self, of: part.installations) { renderer, place in
      renderer.gather(place)
      renderer.rows.settle()
      renderer.stateWriter.write(place, renderer.rows, into: &state)
    }
    forEach(piece.singles, \.place, of: part.singles) { renderer, single in
      renderer.gather(single.place)
      renderer.rows.settle()
      renderer.profileWriter.write(
        single, isPerson: false, renderer.rows, into: &profiles, &tally)
    }
  }

  /// Calls `body` for `list[range]`; the records of some keys are asked for ahead.
  private mutating func forEach<Element>(
    _ range: Range<Int>, _ place: @escaping (Element) -> SnapshotPlan.Place,
    of list: [Element],
    _ body: (inout SnapshotRenderer, Element) -> Void
  ) {
    for index in range {
      if (index - range.lowerBound) % ProfileTables.batch == 0 {
        let end = min(index + ProfileTables.batch, range.upperBound)
        plan.prefetch((index..<end).lazy.map { place(list[$0]) })
      }
      body(&self, list[index])
    }
  }

  private mutating func gather(_ place: SnapshotPlan.Place) {
    rows.removeAll()
    add(place)
  }

  /// Adds the records of the installations that fold into `person`, if they have any.
  private mutating func gatherMembers(_ person: SnapshotPlan.Person) {
    var isChanged = false
    for place in plan.members(of: person) where !plan.profile(place).log.isEmpty {
      add(place)
      isChanged = true
    }
    if isChanged { rows.settle() }
  }

  private mutating func add(_ place: SnapshotPlan.Place) {
    rows.gather(
      plan.profile(place).log, in: plan.shards[Int(place.shard)].tables.records, order: order)
  }
}
