package import Pipeline

/// Whose data was asked to be erased from outside (`--erase`, data-model 13.6): marks by key.
///
/// Keys stand in it as digests of 128 bits, so that what is kept for later nights names nobody. A
/// mark from outside is known before anything is read, so it needs no memory in the state of its
/// key: what comes later and is not of later times is suppressed where it comes in.
package struct Erasures: Sendable, Equatable {
  /// What is asked for a key.
  package struct Mark: Sendable, Equatable {
    /// Everything up to then goes, in milliseconds since 1970; the greatest time there is while it
    /// stands for everything that this run knows.
    package var time: Int
    /// Whether everything goes in all later runs, too.
    package var isForever: Bool
    /// The request of this run it comes from, by its number; nil for one of an earlier night.
    package var request: Int?
    /// The latest time of what this run has suppressed for it; the least there is for nothing.
    var newest = Int.min

    package init(time: Int, isForever: Bool, request: Int? = nil) {
      self.time = time
      self.isForever = isForever
      self.request = request
    }

    /// Whether nothing of the key is left, whatever its time.
    package var coversAll: Bool { isForever || time == .max }

    /// Whether it is about something of that time.
    package func covers(_ time: Int) -> Bool { isForever || time <= self.time }
  }

  /// The most marks there may be: some hundred MB.
  package static let maximumCount = 1 << 22

  /// By the digest of the key text.
  package private(set) var marks: [Fingerprint: Mark] = [:]

  /// The ids that this run was asked to erase, for what is searched; never written down.
  package var ids = ErasedIDs()
  /// Installations whose link to an erased person this run has suppressed.
  private(set) var unlinked: LeftInstallations = [:]

  package init() {}

  package var isEmpty: Bool { marks.isEmpty }

  /// Whether this run brought any.
  package var hasNew: Bool { marks.values.contains { $0.request != nil } }

  /// Takes in a mark of the key with that digest: the latest time, and for ever if one of them is.
  package mutating func add(_ mark: Mark, of key: Fingerprint) {
    guard let known = marks[key] else {
      marks[key] = mark
      return
    }
    marks[key] = Mark(
      time: max(known.time, mark.time), isForever: known.isForever || mark.isForever,
      request: known.request ?? mark.request)
  }

  /// Takes in what a run has suppressed: a mark without a time is about all of it.
  package mutating func note(_ suppressed: SuppressedTally.Table) {
    for (key, kept) in suppressed {
      guard let mark = marks[key] else { continue }
      marks[key]?.newest = kept.newest
      guard let request = mark.request, !kept.installations.isEmpty else { continue }
      unlinked[request, default: []].formUnion(kept.installations)
    }
  }

  /// Takes in the marks of others.
  package mutating func merge(_ other: Erasures) {
    for (key, mark) in other.marks { add(mark, of: key) }
    if ids.isEmpty { ids = other.ids }
  }

  /// The mark of the key with this text, if there is one.
  package func mark(of key: ByteView) -> Mark? {
    marks.isEmpty ? nil : marks[Self.digest(of: key)]
  }

  /// Whether there is anything to be taken out of what is known of a key.
  package func isAbout(_ state: KeyState) -> Bool {
    if isEmpty { return false }
    let people = [state.links.earliest, state.links.latest].compactMap(\.?.target)
    return mark(of: state.key) != nil || people.contains { mark(of: $0) != nil }
  }

  /// What stands for a key text: two hashes of it.
  package static func digest(of key: ByteView) -> Fingerprint {
    Fingerprint(low: XXH64.hash(key), high: XXH64.hash(key, seed: 0x9E37_79B1_85EB_CA87))
  }

  /// A hash of all marks, whatever order they came in.
  package var hash: UInt64 {
    var text = ByteBuffer()
    append(to: &text)
    return XXH64.hash(text.view)
  }

  /// The marks as later nights know them. One without a time is about everything that this run
  /// knows: nothing later than its `newest` event, or than what was suppressed or `erased` for that
  /// request.
  package func kept(newest: Int?, erased: [Int: ErasedParts] = [:]) -> Erasures {
    var kept = self
    for (key, mark) in marks where mark.time == .max {
      let last = mark.request.flatMap { erased[$0]?.newest } ?? .min
      kept.marks[key]?.time = max(newest ?? Rules.earliestTime, mark.newest, last)
    }
    return kept
  }
}
