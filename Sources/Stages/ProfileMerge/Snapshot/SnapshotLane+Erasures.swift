import Pipeline

/// The effect of erase marks on a key (docs/reference/data-model.md), when its complete state is
/// available.
extension SnapshotLane {
  /// Erases the data of a merged key that marks cover, including links to erased people; true when
  /// the whole key is removed.
  func erase(_ state: inout KeyState, _ section: KeySection) -> Bool {
    let newest = max(state.seen.last, state.clear, state.eraseMark)
    hasErased = state.eraseMark != .min
    if hasErased {
      let names = plan.names
      tally.erasedStraddling += rows.erase(through: state.eraseMark, of: state.key) {
        names.events[$0]
      }
      state.erase(through: state.eraseMark)
      // A link-only record touches a person at no time, so it cannot be later than the mark.
      if section == .custom { state.isTouched = false }
    }
    let erasures = plan.erasures
    if section != .anonymous, !erasures.isEmpty {
      if erasures.mark(of: state.key) != nil {
        hasErased = true
        if erasures.erase(&state, &rows, linksAreComplete: true, &tally) { return true }
      }
      if section == .install, !state.links.isEmpty {
        let devices = tally.devices.count
        if erasures.eraseWithPeople(&state, &rows, newest: newest, &tally) { return true }
        if tally.devices.count > devices { hasErased = true }
      }
    }
    if hasErased { state.seen = rows.seen(clear: state.clear) }
    return false
  }
}
