import Pipeline

/// The effect of erase marks on a key (docs/reference/data-model.md), when its complete state is
/// available.
extension SnapshotLane {
  /// Erases the requested data of a merged key, including links to erased people; true when the
  /// whole key is removed.
  func erase(_ state: inout KeyState, _ section: KeySection) -> Bool {
    if state.eraseMark != .min {
      let names = plan.names
      tally.erasedStraddling += rows.erase(through: state.eraseMark, of: state.key) {
        names.events[$0]
      }
      state.erase(through: state.eraseMark)
      // A link-only record touches a person at no time, so it cannot be later than the mark.
      if section == .custom { state.isTouched = false }
    }
    if section == .anonymous { return false }
    if plan.erasures.erase(&state, &rows, section, &tally) { return true }
    if state.eraseMark != .min || plan.erasures.mark(of: state.key) != nil {
      state.seen = rows.seen(clear: state.clear)
    }
    return false
  }

  /// Records an installation that is linked to a person with a request that erases a part of the
  /// data.
  func noteLink(_ state: KeyState) {
    guard !plan.erasures.isEmpty, let person = state.link?.target,
      let request = plan.erasures.mark(of: person)?.request
    else { return }
    let id = KeySection.install.id(of: state.key).text
    tally.stillLinked[request, default: []].insert(id)
  }
}
