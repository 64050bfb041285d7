package import Pipeline

/// The effect of marks from outside on the state of a key.
extension Erasures {
  /// Erases what a request for the key takes from its settled rows; true when the whole key is
  /// removed. Links stay unless they are complete: not before data of the run joins a state. Only
  /// registers of a state can extend beyond a mark (``ErasureStage``).
  package func erase(
    _ key: ByteView, _ rows: inout KeyRegisters, linksAreComplete: Bool,
    _ tally: inout SnapshotTally
  ) -> Bool {
    guard let mark = mark(of: key) else { return false }
    var erased = rows.parts
    if mark.coversAll {
      let facts = rows.facts
      // What a mark from the logs covers stays covered.
      erased.newest = max(facts.seen.times.last, facts.clear.time, facts.eraseMark.time)
      rows.removeAll()
      rows.facts.links = facts.links
    } else {
      erase(mark, &rows, &tally)
      erased = erased - rows.parts
    }
    if linksAreComplete {
      noteErasedLinks(of: key, rows.facts.links, mark, &erased, &tally)
      if mark.hasErasedLink { rows.facts.links.noteErased() }
      rows.facts.links.erase(through: mark.time)
      rows.facts.links.remove { $0.time <= mark.deviceTime }
    }
    count(erased, for: mark, &tally)
    let isWhole = linksAreComplete || rows.facts.links.isEmpty
    return isWhole && (mark.coversAll || isNothingLeft(rows, through: mark.end))
  }

  /// Erases an installation with the people whom it folds into, as far as they are erased, and
  /// every link to one; true when the whole key is removed. `newest` is the latest time of its
  /// data.
  ///
  /// Its data goes up to the time of the person's mark, but not beyond the first link to the next
  /// person. If the next one is erased, too, it goes with her as well.
  package func eraseWithPeople(
    _ key: ByteView, _ rows: inout KeyRegisters, newest: Int, _ tally: inout SnapshotTally
  ) -> Bool {
    var device = ErasedDevice(id: KeySection.install.id(of: key).text)
    var marks: [Mark] = []
    var kept: InstallationLink?
    while let link = rows.facts.links.current, let mark = markCovering(link) {
      remove(&rows.facts.links, &tally) { $0.target == link.target }
      if mark.keepsInstallations {
        kept = link
        break
      }
      marks.append(mark)
    }
    remove(&rows.facts.links, &tally) { _ in true }
    let next = [kept, rows.facts.links.current].compactMap { $0?.time }.min()
    if kept != nil { rows.facts.links.standAlone() }
    guard !marks.isEmpty else { return false }
    device.newest = newest
    device.bound = next.map { $0 - 1 } ?? .max
    for mark in marks {
      if let request = mark.request { device.requests.insert(request) }
      if let request = mark.request, mark.isMomentary {
        device.momentary.insert(request)
      } else {
        device.fixed = max(device.fixed, mark.isForever ? max(mark.time, newest) : mark.time)
      }
    }
    let before = rows.parts
    tally.erasedStraddling += rows.erase(through: device.end)
    rows.facts.clear.erase(through: device.end)
    var erased = before - rows.parts
    erased.devices = 1
    for mark in marks {
      count(erased, for: mark, &tally)
      // Its data is counted once.
      erased = ErasedParts(devices: 1)
    }
    tally.devices[Self.digest(of: key)] = device
    return isNothingLeft(rows, through: device.end)
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
  private func remove(
    _ links: inout LinksRegister, _ tally: inout SnapshotTally,
    where isMeant: (InstallationLink) -> Bool
  ) {
    var erased: [Int: ErasedParts] = [:]
    links.remove { link in
      guard isMeant(link), let mark = markCovering(link) else { return false }
      if let request = mark.request {
        // An installation is linked to a person once, however many links say so.
        erased[request] = ErasedParts(
          links: 1, newest: max(link.time, erased[request]?.newest ?? .min))
      }
      return true
    }
    for (request, parts) in erased { tally.erased[request, default: ErasedParts()].add(parts) }
  }

  private func erase(_ mark: Mark, _ rows: inout KeyRegisters, _ tally: inout SnapshotTally) {
    tally.erasedStraddling += rows.erase(through: mark.end)
    if let consent = rows.values[.consent], consent.time <= mark.time {
      rows.values[.consent] = nil
    }
    rows.facts.clear.erase(through: mark.end)
    // It covers whatever a mark from a log covers.
    if rows.facts.eraseMark.time != .min, rows.facts.eraseMark.time <= mark.time {
      rows.facts.eraseMark.time = .min
      rows.erased.removeAll()
    }
    // A request covers keys touched up to now, regardless of the time.
    if mark.request != nil { rows.facts.touched.isSet = false }
    rows.deriveSeen()
  }

  /// Counts the link of an installation that a request names, if that erases it.
  private func noteErasedLinks(
    of key: ByteView, _ links: LinksRegister, _ mark: Mark, _ erased: inout ErasedParts,
    _ tally: inout SnapshotTally
  ) {
    let covered = links.all.filter { mark.coversOwn($0.time) }
    guard mark.coversAll || mark.time != .min, links.hasErased || !covered.isEmpty else { return }
    if !mark.isForever { tally.erasedLinks.insert(Self.digest(of: key)) }
    if let last = covered.map(\.time).max() { erased.add(ErasedParts(links: 1, newest: last)) }
  }

  /// Whether only marks are left that one at `time` exceeds.
  private func isNothingLeft(_ rows: borrowing KeyRegisters, through time: Int) -> Bool {
    let facts = rows.facts
    return rows.parts == ErasedParts() && rows.values.isEmpty && rows.attributes.isEmpty
      && rows.ids.isEmpty && facts.clear.time == .min && facts.links.current == nil
      && !facts.touched.isSet && !facts.links.standsAlone && facts.eraseMark.time <= time
  }

  /// Counts what was erased for a request of this run; even nothing shows that its key is known.
  private func count(_ parts: ErasedParts, for mark: Mark, _ tally: inout SnapshotTally) {
    guard let request = mark.request else { return }
    tally.erased[request, default: ErasedParts()].add(parts)
  }

  /// The stored key text of an id: the UUID of an installation in upper case.
  package static func key(_ section: KeySection, _ id: ByteView) -> ByteBuffer {
    var key = ByteBuffer(capacity: id.count + 8)
    append(section, id, to: &key)
    return key
  }

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
