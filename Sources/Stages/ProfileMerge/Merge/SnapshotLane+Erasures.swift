import Pipeline

/// People and installations that were asked to be erased (DIALECTS 1.3), when everything that is known of
/// them is together.
extension SnapshotLane {
  /// Takes out of a merged key what was asked to be erased, links to erased people among it; true when
  /// the key as a whole goes.
  func erase(_ state: inout KeyState, _ section: KeySection) -> Bool {
    if plan.erasures.isEmpty || section == .anonymous { return false }
    let mark = plan.erasures.mark(of: state.key)
    unlink(&state, isLeft: !(mark?.isWhole ?? false))
    guard let mark else { return false }
    let before = rows.parts
    if mark.isWhole {
      var all = before
      all.newest = max(state.seen.last, state.clear)
      if let link = state.link {
        all.links += 1
        all.newest = max(all.newest, link.time)
      }
      count(all, for: mark)
      return true
    }
    tally.erasedStraddling += rows.erase(through: mark.time, remembersNames: false)
    var erased = before - rows.parts
    if let link = state.link, link.time <= mark.time {
      state.link = nil
      erased.links += 1
    }
    if erased != ErasedParts() { count(erased, for: mark) }
    if state.clear <= mark.time { state.clear = .min }
    if state.seen.last <= mark.time { state.seen = .never }
    state.seen.first = max(state.seen.first, mark.time)
    // A request is about what was touched up to now, whenever that was.
    if mark.request != nil { state.isTouched = false }
    return false
  }

  /// Takes the link to an erased person away. With `isLeft` the installation stays, as one of nobody: it
  /// is told, as whoever wants all of a person erased has to name it, too.
  private func unlink(_ state: inout KeyState, isLeft: Bool) {
    guard let link = state.link, let mark = plan.erasures.mark(of: link.person),
      mark.covers(link.time)
    else { return }
    state.link = nil
    count(
      ErasedParts(links: 1, installationsLeft: isLeft ? 1 : 0, newest: link.time), for: mark)
    guard isLeft, let request = mark.request, plan.tellsInstallations else { return }
    let id = state.key.dropFirst(KeySection.install.prefix.count)
    tally.installationsLeft.append((request, id.text))
  }

  private func count(_ parts: ErasedParts, for mark: Erasures.Mark) {
    guard let request = mark.request else { return }
    tally.erased[request, default: ErasedParts()].add(parts)
  }
}
