package import Pipeline

/// The effect of marks from outside on the state of a key.
extension Erasures {
  /// Erases what a request for the key takes from its state, with settled rows; true when the whole
  /// key is removed. Unless `linksAreComplete`, as in the state of an earlier output before data of
  /// the run joins it, links stay.
  ///
  /// Data of the run is suppressed where it is read (``ErasureStage``), so only registers of a
  /// state can extend beyond a mark.
  package func erase(
    _ state: inout KeyState, _ rows: inout KeyRegisters, linksAreComplete: Bool,
    _ tally: inout SnapshotTally
  ) -> Bool {
    guard let mark = mark(of: state.key) else { return false }
    var erased = rows.parts
    if mark.coversAll {
      erased.newest = max(state.seen.last, state.clear)
      let links = state.links
      state = KeyState(key: state.key)
      state.links = links
      rows.removeAll()
    } else {
      erase(mark, of: &state, &rows, &tally)
      erased = erased - rows.parts
    }
    if linksAreComplete {
      noteErasedLinks(of: state, mark, &erased, &tally)
      if mark.hasErasedLink { state.links.noteErased() }
      state.links.erase(through: mark.time)
      state.links.remove { $0.time <= mark.deviceTime }
    }
    count(erased, for: mark, &tally)
    if mark.coversAll { return linksAreComplete || state.links.isEmpty }
    return (linksAreComplete || state.links.isEmpty)
      && isNothingLeft(state, rows, through: mark.end)
  }

  /// Erases an installation with the people whom it folds into, as far as they are erased, and
  /// every link to one; true when the whole key is removed. `newest` is the latest time of its
  /// data.
  ///
  /// Its data goes up to the time of the person's mark, and not beyond the first link to the next
  /// person: what comes after that is hers. If the next one is erased, too, it goes with her as
  /// well.
  package func eraseWithPeople(
    _ state: inout KeyState, _ rows: inout KeyRegisters, newest: Int, _ tally: inout SnapshotTally
  ) -> Bool {
    var device = ErasedDevice(id: KeySection.install.id(of: state.key).text)
    var marks: [Mark] = []
    var kept: InstallationLink?
    while let link = state.links.current, let mark = markCovering(link) {
      removeLinks(of: &state, &tally) { $0.target == link.target }
      if mark.keepsInstallations {
        kept = link
        break
      }
      marks.append(mark)
    }
    removeLinks(of: &state, &tally) { _ in true }
    let next = [kept, state.links.current].compactMap { $0?.time }.min()
    if kept != nil { state.links.standAlone() }
    guard !marks.isEmpty else { return false }
    device.newest = newest
    device.bound = next.map { $0 - 1 } ?? .max
    for mark in marks {
      if let request = mark.request { device.requests.insert(request) }
      if let request = mark.request, mark.time == .max {
        device.momentary.insert(request)
      } else {
        device.fixed = max(device.fixed, mark.isForever ? max(mark.time, newest) : mark.time)
      }
    }
    let before = rows.parts
    tally.erasedStraddling += rows.erase(through: device.end, ownMark: state.eraseMark)
    if state.clear <= device.end { state.clear = .min }
    var erased = before - rows.parts
    erased.devices = 1
    for mark in marks {
      count(erased, for: mark, &tally)
      // Its data is counted once.
      erased = ErasedParts(devices: 1)
    }
    tally.devices[Self.digest(of: state.key)] = device
    return isNothingLeft(state, rows, through: device.end)
  }

  /// Whether a mark of the person or of the installation covers a link.
  package func cover(linkAt time: Int, of installation: ByteView, to person: ByteView) -> Bool {
    [installation, person].contains { mark(of: $0)?.covers(time) ?? false }
  }

  /// The mark of the person of a link, if that covers the link.
  private func markCovering(_ link: InstallationLink) -> Mark? {
    mark(of: link.target).flatMap { $0.covers(link.time) ? $0 : nil }
  }

  /// Removes those links to erased people for which `isMeant` holds.
  private func removeLinks(
    of state: inout KeyState, _ tally: inout SnapshotTally,
    where isMeant: (InstallationLink) -> Bool
  ) {
    var links: [Int: ErasedParts] = [:]
    state.links.remove { link in
      guard isMeant(link), let mark = markCovering(link) else { return false }
      if let request = mark.request {
        // An installation is linked to a person once, however many links say so.
        links[request] = ErasedParts(
          links: 1, newest: max(link.time, links[request]?.newest ?? .min))
      }
      return true
    }
    for (request, parts) in links { tally.erased[request, default: ErasedParts()].add(parts) }
  }

  private func erase(
    _ mark: Mark, of state: inout KeyState, _ rows: inout KeyRegisters,
    _ tally: inout SnapshotTally
  ) {
    tally.erasedStraddling += rows.erase(through: mark.end, ownMark: state.eraseMark)
    if let consent = rows[.consent], consent.time <= mark.time { rows.forget(.consent) }
    if state.clear <= mark.end { state.clear = .min }
    // It covers whatever a mark from a log covers.
    if state.eraseMark != .min, state.eraseMark <= mark.time {
      state.eraseMark = .min
      rows.setErased([])
    }
    // A request covers keys touched up to now, regardless of the time.
    if mark.request != nil { state.isTouched = false }
    state.seen = rows.seen(clear: state.clear)
  }

  /// Counts the link of an installation that a request names, if that erases it.
  private func noteErasedLinks(
    of state: KeyState, _ mark: Mark, _ erased: inout ErasedParts, _ tally: inout SnapshotTally
  ) {
    let links = state.links.all.filter { mark.coversOwn($0.time) }
    guard mark.time != .min, state.links.hasErased || !links.isEmpty else { return }
    if !mark.isForever { tally.erasedLinks.insert(Self.digest(of: state.key)) }
    if let last = links.map(\.time).max() { erased.add(ErasedParts(links: 1, newest: last)) }
  }

  /// Whether only marks are left that one at `time` exceeds.
  private func isNothingLeft(
    _ state: KeyState, _ rows: borrowing KeyRegisters, through time: Int
  ) -> Bool {
    rows.parts == ErasedParts() && !rows.hasValues && rows.attributes.isEmpty
      && rows.ids.isEmpty && state.clear == .min && state.link == nil && !state.isTouched
      && !state.links.standsAlone && state.eraseMark <= time
  }

  /// Counts what was erased for a request of this run; even nothing shows that its key is known.
  private func count(_ parts: ErasedParts, for mark: Mark, _ tally: inout SnapshotTally) {
    guard let request = mark.request else { return }
    tally.erased[request, default: ErasedParts()].add(parts)
  }
}

extension Erasures {
  /// The stored key text of an id: the UUID of an installation in upper case.
  package static func key(_ section: KeySection, _ id: ByteView) -> ByteBuffer {
    var key = ByteBuffer(capacity: id.count + 8)
    append(section, id, to: &key)
    return key
  }

  /// Appends the key text of an id.
  package static func append(_ section: KeySection, _ id: ByteView, to key: inout ByteBuffer) {
    key.append(section.prefix)
    let isFolded = section == .install && UUIDText.shape(id).isUUID
    for index in 0..<id.count {
      let byte = id[index]
      let isLower = isFolded && byte >= UInt8(ascii: "a")
      key.append(isLower ? byte & ~0x20 : byte)
    }
  }
}
