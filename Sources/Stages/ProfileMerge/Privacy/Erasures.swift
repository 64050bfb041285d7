package import Pipeline

/// The data to erase on request (`--erase`, data-model 13.6): marks by key.
///
/// Keys are stored as digests of 128 bits, so that later nights have no names. A mark from outside
/// is known before anything is read, so the state of its key need not store it: later input that it
/// covers is suppressed where it is read.
package struct Erasures: Sendable, Equatable {
  /// The request for a key.
  package struct Mark: Sendable, Equatable {
    /// Everything up to this time is erased, in milliseconds since 1970; the maximum while it means
    /// everything that this run knows.
    package var time: Int
    /// Whether everything is erased in all later runs, too.
    package var isForever: Bool
    /// The number of its request in this run; nil for one of an earlier night.
    package var request: Int?
    /// The latest time of the data that this run has suppressed for it; the minimum for none.
    var newest = Int.min

    package init(time: Int, isForever: Bool, request: Int? = nil) {
      self.time = time
      self.isForever = isForever
      self.request = request
    }

    /// Whether it erases everything, whatever its time.
    package var coversAll: Bool { isForever || time == .max }

    /// Whether it covers that time.
    package func covers(_ time: Int) -> Bool { isForever || time <= self.time }
  }

  /// Maximum number of marks: a few hundred MB.
  package static let maximumCount = 1 << 22

  /// By the digest of the key text.
  package private(set) var marks: [Fingerprint: Mark] = [:]

  /// The ids that this run was asked to erase, to search texts for; never written to outputs.
  package var ids = ErasedIDs()
  /// Installations whose link to an erased person this run has suppressed.
  private(set) var unlinked: LeftInstallations = [:]

  package init() {}

  package var isEmpty: Bool { marks.isEmpty }

  /// Whether any mark is from this run.
  package var hasNew: Bool { marks.values.contains { $0.request != nil } }

  /// Adds a mark of the key with that digest: of two the later time, and permanent if one is.
  package mutating func add(_ mark: Mark, of key: Fingerprint) {
    guard let known = marks[key] else {
      marks[key] = mark
      return
    }
    marks[key] = Mark(
      time: max(known.time, mark.time), isForever: known.isForever || mark.isForever,
      request: known.request ?? mark.request)
  }

  /// Adds the times of data that a run has suppressed: a mark without a time covers all of it.
  package mutating func note(_ suppressed: SuppressedTally.Table) {
    for (key, kept) in suppressed {
      guard let mark = marks[key] else { continue }
      marks[key]?.newest = kept.newest
      guard let request = mark.request, !kept.installations.isEmpty else { continue }
      unlinked[request, default: []].formUnion(kept.installations)
    }
  }

  /// Adds the marks of `other`.
  package mutating func merge(_ other: Erasures) {
    for (key, mark) in other.marks { add(mark, of: key) }
    if ids.isEmpty { ids = other.ids }
  }

  /// The mark of the key with this text, if any.
  package func mark(of key: ByteView) -> Mark? {
    marks.isEmpty ? nil : marks[Self.digest(of: key)]
  }

  /// Whether anything of the key's state must be erased.
  package func isAbout(_ state: KeyState) -> Bool {
    if isEmpty { return false }
    let people = [state.links.earliest, state.links.latest].compactMap(\.?.target)
    return mark(of: state.key) != nil || people.contains { mark(of: $0) != nil }
  }

  /// The digest of a key text: two hashes of it.
  package static func digest(of key: ByteView) -> Fingerprint {
    Fingerprint(low: XXH64.hash(key), high: XXH64.hash(key, seed: 0x9E37_79B1_85EB_CA87))
  }

  /// A hash of all marks, independent of their order.
  package var hash: UInt64 {
    var text = ByteBuffer()
    append(to: &text)
    return XXH64.hash(text.view)
  }

  /// The marks for later nights. One without a time gets the time of the latest data of this run:
  /// its `newest` time (``ReadDays``), or that of data that was suppressed or `erased` for that
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
