package import Pipeline

/// Ids of installations that were linked to erased people, by the number of the request.
package typealias LeftInstallations = [Int: Set<String>]

/// The effect of marks from outside on the state of a key.
extension Erasures {
  /// Erases the requested data of a key with settled rows, including links to erased people; true
  /// when the whole key is removed.
  ///
  /// Data of the run is suppressed where it is read (``ErasureStage``), so the rows of a state are
  /// erased before others join them: only registers of a state can extend beyond a mark.
  package func erase(
    _ state: inout KeyState, _ rows: inout KeyRegisters, _ section: KeySection,
    _ tally: inout SnapshotTally
  ) -> Bool {
    if isEmpty { return false }
    unlink(&state, &tally)
    guard let mark = mark(of: state.key) else { return false }
    let before = rows.parts
    if mark.coversAll {
      var all = before
      all.newest = max(state.seen.last, state.clear)
      if let link = state.links.latest {
        all.links += 1
        all.newest = max(all.newest, link.time)
      }
      count(all, for: mark, &tally)
      return true
    }
    tally.erasedStraddling += rows.erase(through: mark.time, ownMark: state.eraseMark)
    var erased = before - rows.parts
    let link = state.link
    state.erase(through: mark.time)
    if let link, link.time <= mark.time { erased.links += 1 }
    if erased != ErasedParts() { count(erased, for: mark, &tally) }
    // A request covers keys touched up to now, regardless of the time.
    if mark.request != nil { state.isTouched = false }
    state.seen = rows.seen(clear: state.clear)
    return isNothingLeft(state, rows, mark)
  }

  /// The installations that remain after people were erased: they must be requested separately.
  package func left(of tally: SnapshotTally) -> LeftInstallations {
    var left = unlinked.merging(tally.unlinked) { $0.union($1) }
    for (request, ids) in left {
      let linked = tally.stillLinked[request] ?? []
      left[request] = ids.filter { id in
        var key = ByteBuffer(capacity: 64)
        key.append(KeySection.install.prefix)
        key.append(text: id)
        return !linked.contains(id) && !(mark(of: key.view)?.coversAll ?? false)
      }
    }
    return left.filter { !$0.value.isEmpty }
  }

  /// Whether only marks are left that this one exceeds.
  private func isNothingLeft(
    _ state: KeyState, _ rows: borrowing KeyRegisters, _ mark: Mark
  ) -> Bool {
    rows.parts == ErasedParts() && !rows.hasValues && rows.attributes.isEmpty
      && rows.ids.isEmpty && state.clear == .min && state.link == nil && !state.isTouched
      && state.eraseMark <= mark.time
  }

  /// Removes the links to erased people.
  private func unlink(_ state: inout KeyState, _ tally: inout SnapshotTally) {
    if state.links.isEmpty { return }
    var gone: [(mark: Mark, time: Int)] = []
    state.links.remove { link in
      guard let mark = mark(of: link.target), mark.covers(link.time) else { return false }
      gone.append((mark, link.time))
      return true
    }
    if gone.isEmpty { return }
    let id = KeySection.install.id(of: state.key).text
    var requests: Set<Int> = []
    for (mark, time) in gone {
      guard let request = mark.request else { continue }
      // An installation is linked to a person once, however many links say so.
      let links = requests.insert(request).inserted ? 1 : 0
      count(ErasedParts(links: links, newest: time), for: mark, &tally)
      tally.unlinked[request, default: []].insert(id)
    }
  }

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
