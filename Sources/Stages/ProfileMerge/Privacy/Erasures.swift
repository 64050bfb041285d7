package import Pipeline

/// The data to erase on request (`--requests`, data-model 13.6): marks by key.
///
/// Keys are stored as digests of 128 bits, so that later nights have no names. A mark from outside
/// is known before anything is read, so the state of its key need not store it: later input that it
/// covers is suppressed where it is read. Links are the exception: they come together first,
/// because an installation goes with the person that it folds into.
package struct Erasures: Sendable, Equatable {
  package struct Mark: Sendable, Equatable {
    /// Everything up to this time is erased, in milliseconds since 1970; the minimum for none.
    package var time: Int
    /// Whether a request of this run has no time: everything that the run knows is erased.
    package var isMomentary: Bool
    /// Whether everything is erased in all later runs, too.
    package var isForever: Bool
    /// Everything of an installation up to this time has gone with a person, except consent.
    package var deviceTime = Int.min
    /// Whether the installations of a person are kept: then they stand alone.
    package var keepsInstallations = false
    /// Whether the id is a placeholder (data-model 5), which texts may contain.
    package var leavesTexts = false
    /// Whether it has erased a link of an installation that a request names.
    package var hasErasedLink = false
    /// The number of its request in this run; nil for one of an earlier night.
    package var request: Int?
    /// The latest time of the data that this run has suppressed for it; the minimum for none.
    var newest = Int.min

    /// A mark of a request that may have no time.
    package init(time: Int?, isForever: Bool, request: Int? = nil) {
      (self.time, isMomentary) = (time ?? .min, time == nil)
      (self.isForever, self.request) = (isForever, request)
    }

    /// A mark of an installation that went with a person.
    init(deviceTime: Int) {
      self.init(time: .min, isForever: false)
      self.deviceTime = deviceTime
    }

    /// Whether it erases everything, whatever its time.
    package var coversAll: Bool { isForever || isMomentary }
    package func covers(_ time: Int) -> Bool { coversOwn(time) || time <= deviceTime }

    /// Whether a request for the key itself covers that time.
    package func coversOwn(_ time: Int) -> Bool { coversAll || time <= self.time }

    /// Everything up to this time is erased.
    var end: Int { max(time, deviceTime) }

    /// Adds another mark of the key: the later times count, and what erases more.
    mutating func merge(_ other: Mark) {
      keepsInstallations = keepsInstallations && other.keepsInstallations
      leavesTexts = leavesTexts && other.leavesTexts
      time = max(time, other.time)
      deviceTime = max(deviceTime, other.deviceTime)
      isForever = isForever || other.isForever
      isMomentary = isMomentary || other.isMomentary
      hasErasedLink = hasErasedLink || other.hasErasedLink
      request = request ?? other.request
      newest = max(newest, other.newest)
    }
  }

  /// Maximum number of marks: a few hundred MB.
  package static let maximumCount = 1 << 22

  /// By the digest of the key text.
  package private(set) var marks: [Fingerprint: Mark] = [:]

  /// The ids that this run was asked to erase, to search texts for; never written to outputs.
  package var ids = ErasedIDs()
  /// Whether the end of a mark depends on the moment at which the requests are carried out.
  package var needsMoment = false

  package init() {}
  package var isEmpty: Bool { marks.isEmpty }

  package var hasNew: Bool { marks.values.contains { $0.request != nil } }

  package mutating func add(_ mark: Mark, of key: Fingerprint) {
    if marks[key]?.merge(mark) == nil { marks[key] = mark }
  }

  /// Adds the times of data that a run has suppressed: a mark without a time covers all of it.
  package mutating func note(_ suppressed: SuppressedTally.Table) {
    for (key, kept) in suppressed { marks[key]?.newest = kept.newest }
  }

  package mutating func merge(_ other: Erasures) {
    for (key, mark) in other.marks { add(mark, of: key) }
    if ids.isEmpty { ids = other.ids }
    needsMoment = needsMoment || other.needsMoment
  }

  package func mark(of key: ByteView) -> Mark? { marks.isEmpty ? nil : marks[Self.digest(of: key)] }

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

  /// The marks for later nights, of requests that were carried out at `moment`, in milliseconds
  /// since 1970, and what they have erased. A request without a time counts for the moment, or for
  /// the latest data of its key, if that is later; installations that went with people get theirs.
  package func kept(at moment: Int?, _ tally: SnapshotTally) -> Erasures {
    var kept = self
    var times: [Int: Int] = [:]
    let moment = max(Rules.earliestTime, min(moment ?? .min, Rules.endOfTime - 1))
    for (key, mark) in marks where mark.isMomentary {
      let last = mark.request.flatMap { tally.erased[$0]?.newest } ?? .min
      let time = max(moment, mark.time, mark.newest, last)
      kept.marks[key]?.time = time
      kept.marks[key]?.isMomentary = false
      if let request = mark.request { times[request] = time }
    }
    for (key, device) in tally.devices {
      kept.add(Mark(deviceTime: device.time { times[$0] ?? .min }), of: key)
    }
    for key in tally.erasedLinks { kept.marks[key]?.hasErasedLink = true }
    return kept
  }
}
