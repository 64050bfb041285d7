import Pipeline

/// What erase marks leave of a key (docs/reference/data-model.md), when everything that is known of
/// it is together.
extension SnapshotLane {
  /// Takes out of a merged key what was asked to be erased, links to erased people among it; true
  /// when the key as a whole goes.
  func erase(_ state: inout KeyState, _ section: KeySection) -> Bool {
    if state.eraseMark != .min {
      let names = plan.names
      tally.erasedStraddling += rows.erase(through: state.eraseMark, of: state.key) {
        names.events[$0]
      }
      state.erase(through: state.eraseMark)
    }
    if section == .anonymous { return false }
    if plan.erasures.erase(&state, &rows, section, &tally) { return true }
    if state.eraseMark != .min || plan.erasures.mark(of: state.key) != nil {
      state.seen = rows.seen(clear: state.clear)
    }
    return false
  }

  /// Notes an installation that is linked to a person of whom a request erases a part.
  func noteLink(_ state: KeyState) {
    guard !plan.erasures.isEmpty, let person = state.link?.target,
      let request = plan.erasures.mark(of: person)?.request
    else { return }
    let id = KeySection.install.id(of: state.key).text
    tally.stillLinked[request, default: []].insert(id)
  }
}
