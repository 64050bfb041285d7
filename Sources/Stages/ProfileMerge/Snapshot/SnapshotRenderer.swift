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
    tally.lines += piece.profileLines
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
    for index in piece.persons {
      prefetch(index, of: piece.persons) { part.persons[$0] }
      let person = part.persons[index]
      gather(person.place)
      stateWriter.write(person.place, rows, into: &state)
      gatherMembers(person)
      profileWriter.write(person, isPerson: true, rows, into: &profiles, &tally)
    }
    for index in piece.totals { stateWriter.writeTotal(part.totals[index], into: &state) }
    for index in piece.installations {
      prefetch(index, of: piece.installations) {
        SnapshotPlan.Person(place: part.installations[$0], members: 0..<0)
      }
      gather(part.installations[index])
      stateWriter.write(part.installations[index], rows, into: &state)
    }
    for index in piece.singles {
      prefetch(index, of: piece.singles) { part.singles[$0] }
      let single = part.singles[index]
      gather(single.place)
      profileWriter.write(single, isPerson: false, rows, into: &profiles, &tally)
    }
  }

  /// How many keys ahead a key is asked for, and how many ahead its records are.
  private static var ahead: (key: Int, records: Int) { (12, 4) }

  /// Asks for what the keys behind the one at `index` of `range` will need.
  @inline(__always)
  private func prefetch(
    _ index: Int, of range: Range<Int>, _ person: (Int) -> SnapshotPlan.Person
  ) {
    if index + Self.ahead.key < range.upperBound {
      let person = person(index + Self.ahead.key)
      plan.prefetchKey(person.place)
      for place in plan.members(of: person) { plan.prefetchKey(place) }
    }
    if index + Self.ahead.records < range.upperBound {
      plan.prefetchRecords(person(index + Self.ahead.records).place)
    }
  }

  private mutating func gather(_ place: SnapshotPlan.Place) {
    rows.removeAll()
    add(place)
    rows.settle()
  }

  /// Adds the records of the installations that fold into `person`, if they have any.
  private mutating func gatherMembers(_ person: SnapshotPlan.Person) {
    var isChanged = false
    for place in plan.members(of: person) where plan.profile(place).recordsLength > 0 {
      add(place)
      isChanged = true
    }
    if isChanged { rows.settle() }
  }

  private mutating func add(_ place: SnapshotPlan.Place) {
    rows.gather(plan.records(place), order: order)
  }
}
