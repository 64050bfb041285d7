import Pipeline

/// The effect of erase marks on a key (docs/reference/data-model.md), when its complete state is
/// available.
extension SnapshotLane {
  /// Erases the data of the merged key `key` that marks cover, including links to erased people;
  /// true when the whole key is removed.
  func erase(_ key: ByteView, _ section: KeySection) -> Bool {
    let facts = rows.facts
    let newest = max(facts.seen.times.last, facts.clear.time, facts.eraseMark.time)
    hasErased = facts.eraseMark.time != .min
    if hasErased {
      let names = plan.names
      tally.erasedStraddling += rows.erase(through: facts.eraseMark.time, of: key) {
        names.events[$0]
      }
      rows.facts.erase(through: facts.eraseMark.time)
      // A link-only record touches a person at no time, so it cannot be later than the mark.
      if section == .custom { rows.facts.touched.isSet = false }
    }
    let erasures = plan.erasures
    if section != .anonymous, !erasures.isEmpty {
      if erasures.mark(of: key) != nil {
        hasErased = true
        if erasures.erase(key, &rows, linksAreComplete: true, &tally) { return true }
      }
      if section == .install, !rows.facts.links.isEmpty {
        let devices = tally.devices.count
        if erasures.eraseWithPeople(key, &rows, newest: newest, &tally) { return true }
        if tally.devices.count > devices { hasErased = true }
      }
    }
    if hasErased { rows.deriveSeen() }
    return false
  }
}
