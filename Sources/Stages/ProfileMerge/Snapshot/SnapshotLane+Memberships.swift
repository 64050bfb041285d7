import Pipeline

extension SnapshotLane {
  func gatherMembers(of key: ByteView) throws(Failure) {
    memberStates.removeAll(keepingCapacity: true)
    guard members.key == key else { return }
    memberBytes.removeAll()
    while members.key == key {
      members.forEach { $0.append(to: &memberBytes) }
      try members.advance()
    }
    var offset = 0
    while let state = KeyState(memberBytes.view, at: &offset) { memberStates.append(state) }
    if memberStates.count > 1 { memberStates.sort { installation(of: $0) < installation(of: $1) } }
  }

  /// Records an installation that folds into a person, and the people whose profiles it may change.
  func noteFold(_ key: ByteView, _ before: KeyState?, _ linkBefore: InstallationLink?) {
    guard plan.options.stitch == .first else { return }
    let link = rows.facts.links.current
    if plan.notesPersons {
      unit.persons += [link, linkBefore].compactMap { $0.map { XXH64.hash($0.target) } }
    }
    guard let link else { return }
    gathered.removeAll()
    if hasErased {
      gathered.append(records.view)
    } else {
      if let before { gathered.append(before.records) }
      others.forEach { gathered.append($0.records) }
    }
    Memberships.append(KeyState(key: key, records: gathered.view), link, to: &unit.members.bytes)
  }

  /// Searches the installations that are neither in logs nor in spills for those of people whose
  /// profiles may have changed.
  func collectMemberships() throws(Failure) {
    try beginPrevious()
    while true {
      if let entry = previous.begunFrame {
        if entry.entry.mayHave(plan.persons) {
          try previous.decode()
        } else {
          try previous.passFrame()
        }
      } else if let key = previous.key {
        try collectMembership(of: key)
        try previous.advance()
      } else {
        return
      }
    }
  }

  private func collectMembership(of key: ByteView) throws(Failure) {
    while let other = others.key, other < key { try others.advance() }
    guard others.key != key, let link = previous.head?.facts.links.current,
      plan.persons.contains(XXH64.hash(link.target))
    else { return }
    let whole = try previous.whole(keepsIDs: plan.options.dedupeDays > 0)
    Memberships.append(whole, link, to: &unit.members.bytes)
  }
}
