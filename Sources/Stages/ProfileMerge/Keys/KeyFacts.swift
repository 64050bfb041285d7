import Pipeline

/// What is known of a key as a whole, without a name: merged from its records in any order
/// (docs/reference/data-model.md, merge).
package struct KeyFacts {
  /// Earliest and latest time of its accepted events, if they have one, and of its applied
  /// operations. The times of records imply it; what they do not is a record of its own.
  package var seen = Seen.never
  /// The latest clear, in milliseconds since 1970; the minimum without one.
  package var clear = Int.min
  /// The latest erase mark, in milliseconds since 1970; the minimum without one.
  package var eraseMark = Int.min
  /// The people that an installation was linked to.
  package var links = InstallationLinks()
  /// Whether a link-only record named the key: then it has a state although nothing was seen.
  package var isTouched = false

  /// Nothing.
  package init() {}

  /// The facts in `records`. Complexity: O(n) for n records.
  init(_ records: ByteView) {
    var offset = 0
    while let record = Mutation(records, at: &offset) { add(record) }
  }

  /// Whether nothing is known.
  var isEmpty: Bool {
    seen.isNever && clear == .min && eraseMark == .min && links.current == nil && !isTouched
      && !links.standsAlone
  }

  /// Whether more than a link is known of the key (data-model 13.8): then it is published.
  /// Otherwise it is published only if it has events, which have no time.
  package var isKnown: Bool { !seen.isNever || isTouched }

  /// Adds what a record says.
  @inline(__always)
  mutating func add(_ record: Mutation) {
    switch record.kind {
    case .event, .register, .untimed, .identified: seen.merge(record.eventRegister.seen)
    case .set, .unset, .addItem, .removeItem, .single: seen.merge(record.time)
    case .seen: seen.merge(Seen(first: record.earliest, last: record.time))
    case .clear:
      clear = max(clear, record.time)
      seen.merge(record.time)
    case .eraseMark: eraseMark = max(eraseMark, record.time)
    case .link: links.merge(InstallationLink(time: record.time, target: record.value))
    case .unlinked: links.noteErased()
    case .alone: links.standAlone()
    case .touched: isTouched = true
    case .id, .earlierID, .erased, .days, .profileDays, .run, .published: break
    }
  }

  /// Calls `body` with the records of all facts but ``seen``.
  func forEachRecord(_ body: (Mutation) -> Void) {
    if isTouched { body(Mutation(.touched)) }
    if clear != .min { body(Mutation(.clear, time: clear)) }
    if eraseMark != .min { body(Mutation(.eraseMark, time: eraseMark)) }
    if links.standsAlone { body(Mutation(.alone)) }
    if links.hasErased { body(Mutation(.unlinked)) }
    for link in links.all { body(Mutation(.link, time: link.time, value: link.target)) }
  }

  /// Removes the clear and the links that the erase mark `mark` covers, when everything else of the
  /// key was merged. When the key was seen is derived from what is left
  /// (``KeyRegisters/deriveSeen()``).
  mutating func erase(through mark: Int) {
    if clear <= mark { clear = .min }
    links.erase(through: mark)
  }
}
