import Pipeline
import Stages

/// Searches a state for people and installations that should be absent (`verify --requests`,
/// docs/reference/data-model.md), key by key.
final class AbsentStates: AbsenceFrames {
  private(set) var others = 0
  let similar = SimilarIDs()
  private let search: PersonSearch

  private let frames: StateFrames

  /// A check that nothing is left of `ids` in a state whose profiles are in the file `profiles`.
  /// - Throws: `io`, when there is no memory.
  init(_ ids: AbsentIDs, profiles: String) throws(Failure) {
    search = PersonSearch(ids.erasures)
    frames = try StateFrames(profiles: profiles)
  }

  func check(_ unit: FrameCheckUnit) throws(Failure) {
    if unit.findings.isFirstFrame { return }
    let isReadable = try frames.forEach(in: unit) { state, _ in
      if isAbsent(state) {
        unit.findings.add(.holdsAbsent)
      } else if holds(state) {
        others += 1
      }
    }
    if !isReadable { unit.findings.add(.mayHoldAbsent) }
  }

  private func isAbsent(_ state: KeyState) -> Bool {
    guard let section = KeySection(of: state.key) else { return false }
    if let mark = search.mark(section, section.id(of: state.key)),
      mark.coversAll || hasAny(state, through: mark.time)
    {
      return true
    }
    return state.facts.links.all.contains { link in
      guard let mark = search.mark(.custom, KeySection.custom.id(of: link.target)) else {
        return false
      }
      return mark.coversAll || link.time <= mark.time
    }
  }

  /// Whether any data of a key that should be erased has that time or an earlier one.
  private func hasAny(_ state: KeyState, through time: Int) -> Bool {
    let facts = state.facts
    if facts.clear.time != .min, facts.clear.time <= time { return true }
    if facts.links.all.contains(where: { $0.time <= time }) { return true }
    return state.contains { record in record.isErasable && record.earliest <= time }
  }

  /// Whether the bytes of an id are in the state other than in a name.
  private func holds(_ state: KeyState) -> Bool {
    search.isMentioned(in: state.key)
      || state.contains { $0.hasText && search.isMentioned(in: $0.value) }
  }
}
