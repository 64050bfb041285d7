package import Pipeline

/// The effect of erase marks on the registers of one key (docs/reference/data-model.md, erase
/// marks).
///
/// Attributes and single values have one time each, so what is later than the mark is kept. Of
/// events only first and last are known: a register that begins at or before the mark is removed as
/// a whole. Events without a time are removed by any mark, as they may have happened before it;
/// they are counted separately, so they are kept or removed separately.
extension KeyRegisters {
  /// Removes everything up to the mark `mark`, in milliseconds since 1970: from settled rows of one
  /// key, before those of its installations are gathered. Returns the number of event registers
  /// removed although they extend beyond the mark.
  ///
  /// For marks that are known before anything is read, and stored elsewhere: the day of the mark is
  /// kept if an event of it is left. Complexity: O(n) for n rows.
  mutating func erase(through mark: Int) -> Int {
    let straddling = erase(through: mark) { _ in false }
    addDaysOfEvents(after: facts.eraseMark)
    return straddling
  }

  /// The same for a mark that came with the records. An event name with removed events is closed
  /// permanently: registers that were merged before the mark became known cannot be split, so
  /// otherwise the result would depend on the grouping of the merges. A hash of `key` and name is
  /// kept in ``erased``.
  mutating func erase(
    through mark: Int, of key: ByteView, _ names: (_ number: UInt32) -> ByteView
  ) -> Int {
    let known = Set(erased)
    var closed = known
    let straddling = erase(through: mark) { row in
      let name = Self.erased(names(row.name), of: key)
      if row.register.seen.first <= mark { closed.insert(name) }
      return known.contains(name)
    }
    if closed.count > known.count { setErased(closed.sorted()) }
    return straddling
  }

  /// What is kept of an erased event name: two hashes of it and its key. A name has no zero byte.
  package static func erased(_ name: ByteView, of key: ByteView) -> Fingerprint {
    var text = ByteBuffer(capacity: name.count + key.count + 1)
    text.append(name)
    text.append(0)
    text.append(key)
    return Erasures.digest(of: text.view)
  }

  private mutating func erase(
    through mark: Int, isClosed: (EventRegisterEntry) -> Bool
  ) -> Int {
    var straddling = 0
    var ranks: Set<UInt32> = []
    for row in events {
      let isOld = row.register.seen.first <= mark
      guard isClosed(row) || isOld else { continue }
      if row.register.seen.last > mark { straddling += 1 }
      ranks.insert(row.rank)
    }
    keep(
      events: { !ranks.contains($0.rank) }, ids: { !ranks.contains($0.rank) },
      attributes: { $0.record.time > mark })
    for register in RegisterKind.allCases where register.row.isErasable {
      if let value = self[register], value.time <= mark { forget(register) }
    }
    forgetDays(through: mark)
    return straddling
  }

  /// Derives when the key was seen from its remaining registers: under an erase mark nothing else
  /// may imply it.
  mutating func deriveSeen() {
    var seen = Seen.never
    for row in events { seen.merge(row.register.seen) }
    if facts.clear != .min { seen.merge(facts.clear) }
    forEachValue { seen.merge($1.time) }
    var register = AttributeRegister()
    var position = 0
    while nextAttribute(&position, into: &register) != nil { seen.merge(register.seen) }
    facts.seen = seen
  }
}
