package import Pipeline

/// The knowledge of one source about one key: a log, a partial, a part of a state. States of one
/// key merge (data-model 13).
///
/// A view: its texts belong to the source, which defines how long they are valid.
package struct KeyState {
  /// `custom:ID`, `install:ID` or `anonymous:DIGITS`.
  package var key: ByteView
  /// Earliest and latest time of its accepted events, if they have one, and of its applied
  /// operations (data-model 13.3).
  package var seen = Seen.never
  /// The latest clear, in milliseconds since 1970; the minimum without one.
  package var clear = Int.min
  /// The latest erase mark (data-model 13.6), in milliseconds since 1970; the minimum without one.
  package var eraseMark = Int.min
  /// The people that an installation was linked to.
  package var links = InstallationLinks()
  /// Whether a link-only record named the key: then it has a state although nothing was seen.
  package var isTouched = false
  /// Whether the key has a profile beside its state, whose values records may refer to.
  package var hasProfile = false
  /// Its records, one after the other (``Mutation``), with numbers of the run's names.
  package var records = ByteView("")

  package init(key: ByteView) { self.key = key }

  /// The person that an installation belongs to, and since when.
  package var link: InstallationLink? { links.current }

  /// Whether nothing is known of the key, its records aside.
  var isEmpty: Bool {
    seen.isNever && clear == .min && eraseMark == .min && link == nil && !isTouched
      && !links.standsAlone
  }

  /// Whether more than a link is known of the key (data-model 13.8), its records aside: then it is
  /// published. Otherwise it is published only if its records contain events, which have no time.
  var isKnown: Bool { !seen.isNever || isTouched }

  /// Whether the key is published, unless it folds. Complexity: O(n) for n records.
  package var isPublic: Bool { isKnown || contains { $0.isOfEvents } }

  /// The latest delivery of the oldest id among its records, in milliseconds since 1970; the
  /// maximum without any. Complexity: O(n) for n records.
  package var oldestID: Int {
    var oldest = Int.max
    _ = contains { record in
      if record.isID { oldest = min(oldest, record.latestDelivery) }
      return false
    }
    return oldest
  }

  /// The latest consent statement among its records. Complexity: O(n) for n records.
  package var consent: ConsentRegister? {
    var latest: ConsentRegister?
    _ = contains { record in
      guard record.register == .consent else { return false }
      let consent = ConsentRegister(time: record.time, isOptedOut: record.value == "true")
      if latest.map({ consent.wins(over: $0) }) ?? true { latest = consent }
      return false
    }
    return latest
  }

  /// Whether `body` is true of a record. Complexity: O(n) for n records.
  package func contains(where body: (Mutation) -> Bool) -> Bool {
    var offset = 0
    while let record = Mutation(records, at: &offset) {
      if body(record) { return true }
    }
    return false
  }

  /// Adds another source's state of the key, its records aside: these are gathered.
  mutating func merge(_ other: KeyState) {
    seen.merge(other.seen)
    clear = max(clear, other.clear)
    eraseMark = max(eraseMark, other.eraseMark)
    isTouched = isTouched || other.isTouched
    links.merge(other.links)
  }

  /// Removes the clear and the links that the erase mark `mark` covers, when everything else of the
  /// key was merged. When the key was seen is derived from what is left
  /// (``KeyRegisters/seen(clear:)``).
  mutating func erase(through mark: Int) {
    if clear <= mark { clear = .min }
    links.erase(through: mark)
  }
}

/// Key states as bytes, one after the other.
///
/// ```
/// length of the key (32) │ length of a link's person (32)     8 bytes, little-endian, unaligned
/// length of the records (32) │ flags (32)                       8
/// first, last                                                   8 + 8, if it was seen
/// clear                                                         8, if there was one
/// erase mark                                                    8, if there was one
/// time of a link                                                8, if there is one
/// time of the first one to another │ length of that person      8 + 8, if there is one
/// time of the latest one │ length of its person                 8 + 8, if it is a further one
/// key │ person │ the other person │ the latest's person │ records
/// ```
extension KeyState {
  fileprivate static let hasSeen: UInt64 = 1
  fileprivate static let hasClear: UInt64 = 2
  fileprivate static let hasLink: UInt64 = 4
  private static let touched: UInt64 = 8
  fileprivate static let hasEraseMark: UInt64 = 16
  fileprivate static let hasErasedLink: UInt64 = 32
  fileprivate static let hasLatest: UInt64 = 64
  fileprivate static let hasProfile: UInt64 = 128
  fileprivate static let hasOther: UInt64 = 256
  fileprivate static let standsAlone: UInt64 = 512
  /// When the key was seen follows from its records, clear and erase mark: in logs only.
  fileprivate static let impliesSeen: UInt64 = 1024
  private static let allFlags: UInt64 = 2047
  private static let headLength = 16

  /// Appends the state to `bytes`.
  package func append(to bytes: inout ByteBuffer) {
    append(to: &bytes, recordsLength: records.count)
    bytes.append(records)
  }

  /// At most so many bytes precede its records.
  var mostLength: Int {
    Self.headLength + 9 * 8 + key.count + links.all.reduce(0) { $0 + $1.target.count }
  }

  /// Appends the state without its records, which have `recordsLength` bytes and must follow. With
  /// `impliesSeen` they tell when the key was seen, with the clear and the erase mark.
  func append(to bytes: inout ByteBuffer, recordsLength: Int, impliesSeen: Bool = false) {
    precondition(
      recordsLength <= Int(UInt32.max), "the records of a key have at most 4 GiB")
    let link = links.current
    let latest = links.hasErased ? nil : links.latestIfAnother
    var flags: UInt64 = isTouched ? Self.touched : 0
    let hasSeen = !seen.isNever && !impliesSeen
    if impliesSeen { flags |= Self.impliesSeen }
    if hasSeen { flags |= Self.hasSeen }
    if clear != .min { flags |= Self.hasClear }
    if eraseMark != .min { flags |= Self.hasEraseMark }
    if links.hasErased { flags |= Self.hasErasedLink }
    if link != nil { flags |= Self.hasLink }
    if links.other != nil { flags |= Self.hasOther }
    if latest != nil { flags |= Self.hasLatest }
    if hasProfile { flags |= Self.hasProfile }
    if links.standsAlone { flags |= Self.standsAlone }
    bytes.append(word64: UInt64(link?.target.count ?? 0) << 32 | UInt64(key.count))
    bytes.append(word64: flags << 32 | UInt64(recordsLength))
    if hasSeen {
      bytes.append(word64: UInt64(bitPattern: Int64(seen.first)))
      bytes.append(word64: UInt64(bitPattern: Int64(seen.last)))
    }
    if clear != .min { bytes.append(word64: UInt64(bitPattern: Int64(clear))) }
    if eraseMark != .min { bytes.append(word64: UInt64(bitPattern: Int64(eraseMark))) }
    if let link { bytes.append(word64: UInt64(bitPattern: Int64(link.time))) }
    Self.append(links.other, to: &bytes)
    Self.append(latest, to: &bytes)
    bytes.append(key)
    if let link { bytes.append(link.target) }
    if let link = links.other { bytes.append(link.target) }
    if let latest { bytes.append(latest.target) }
  }

  private static func append(_ link: InstallationLink?, to bytes: inout ByteBuffer) {
    guard let link else { return }
    bytes.append(word64: UInt64(bitPattern: Int64(link.time)))
    bytes.append(word64: UInt64(link.target.count))
  }

  /// The offsets of the parts of a state.
  struct Layout {
    private(set) var flags: UInt64
    private let start: Int
    fileprivate let key: Int
    fileprivate let person: Int
    fileprivate let other: Int
    fileprivate let latest: Int
    let records: Int
    let end: Int

    var hasProfile: Bool { flags & KeyState.hasProfile != 0 }

    /// The layout of the state at `offset` of `bytes`; nil when the lengths exceed them.
    init?(_ bytes: ByteView, at offset: Int) {
      start = offset
      guard offset + headLength <= bytes.count else { return nil }
      flags = UInt64(bytes.word32(at: offset + 12))
      var position = offset + headLength
      if flags & hasSeen != 0 { position += 16 }
      if flags & hasClear != 0 { position += 8 }
      if flags & hasEraseMark != 0 { position += 8 }
      if flags & hasLink != 0 { position += 8 }
      var lengths = (other: 0, latest: 0)
      if flags & hasOther != 0 {
        guard position + 16 <= bytes.count else { return nil }
        lengths.other = Int(bytes.word32(at: position + 8))
        position += 16
      }
      if flags & hasLatest != 0 {
        guard position + 16 <= bytes.count else { return nil }
        lengths.latest = Int(bytes.word32(at: position + 8))
        position += 16
      }
      key = position
      person = key + Int(bytes.word32(at: offset))
      other = person + Int(bytes.word32(at: offset + 4))
      latest = other + lengths.other
      records = latest + lengths.latest
      end = records + Int(bytes.word32(at: offset + 8))
      guard end <= bytes.count, flags <= allFlags else { return nil }
    }

    /// The key of the state.
    func key(_ bytes: ByteView) -> ByteView { bytes[key..<person] }

    /// Whether `isSound` is true of each of its times, those of links with their targets.
    func allTimes(
      _ bytes: ByteView, _ isSound: (_ time: Int, _ target: ByteView?) -> Bool
    ) -> Bool {
      var position = start + headLength
      func next() -> Int {
        position += 8
        return KeyState.time(bytes, position - 8)
      }
      if flags & hasSeen != 0 {
        let first = next()
        guard isSound(first, nil), first <= KeyState.time(bytes, position), isSound(next(), nil)
        else { return false }
      }
      if flags & hasClear != 0, !isSound(next(), nil) { return false }
      if flags & hasEraseMark != 0, !isSound(next(), nil) { return false }
      var areSound = true
      forEachLink(bytes, at: position) { link in
        areSound = areSound && isSound(link.time, link.target)
      }
      return areSound
    }

    /// Calls `body` with its links, whose times begin at `offset`.
    fileprivate func forEachLink(
      _ bytes: ByteView, at offset: Int, _ body: (InstallationLink) -> Void
    ) {
      var position = offset
      func link(_ target: Range<Int>) -> InstallationLink {
        InstallationLink(time: KeyState.time(bytes, position), target: bytes[target])
      }
      if flags & hasLink != 0 {
        body(link(person..<other))
        position += 8
      }
      if flags & hasOther != 0 {
        body(link(other..<latest))
        position += 16
      }
      if flags & hasLatest != 0 { body(link(latest..<records)) }
    }

    /// Whether it has a link, had one, or stands alone.
    var hasLinks: Bool {
      flags & (hasLink | hasOther | hasLatest | hasErasedLink | standsAlone) != 0
    }
    /// Whether it has a link.
    var isLinked: Bool { flags & hasLink != 0 }
    /// Whether it has flags that do not go together, or are not of a file.
    var contradictsItself: Bool {
      let further = flags & (hasOther | hasLatest)
      return flags & impliesSeen != 0
        || further != 0 && flags & (hasLink | hasErasedLink | standsAlone) != hasLink
        || flags & standsAlone != 0 && flags & (hasLink | hasErasedLink) != 0
    }
  }

  /// Reads the state at `offset` of `bytes`, which moves past it; nil at the end, or for invalid
  /// bytes. Its texts are views of `bytes`.
  package init?(_ bytes: ByteView, at offset: inout Int) {
    guard let layout = Layout(bytes, at: offset) else { return nil }
    key = bytes[layout.key..<layout.person]
    records = bytes[layout.records..<layout.end]
    isTouched = layout.flags & Self.touched != 0
    hasProfile = layout.flags & Self.hasProfile != 0
    var position = offset + Self.headLength
    if layout.flags & Self.hasSeen != 0 {
      seen = Seen(first: Self.time(bytes, position), last: Self.time(bytes, position + 8))
      position += 16
    }
    if layout.flags & Self.hasClear != 0 {
      clear = Self.time(bytes, position)
      position += 8
    }
    if layout.flags & Self.hasEraseMark != 0 {
      eraseMark = Self.time(bytes, position)
      position += 8
    }
    if layout.hasLinks {
      if layout.flags & Self.standsAlone != 0 { links.standAlone() }
      if layout.flags & Self.hasErasedLink != 0 { links.noteErased() }
      layout.forEachLink(bytes, at: position) { links.merge($0) }
    }
    if layout.flags & Self.impliesSeen != 0 { mergeTimes(of: bytes[0..<layout.end], layout) }
    offset = layout.end
  }

  /// Adds the times of the records to those at which the key was seen, and the clear and the mark.
  private mutating func mergeTimes(of bytes: ByteView, _ layout: Layout) {
    if clear != .min { seen.merge(clear) }
    if eraseMark != .min { seen.merge(eraseMark) }
    var position = layout.records
    while let record = Mutation.Head(bytes, at: &position) {
      if record.time != EventTime.absent { seen.merge(record.time) }
    }
  }

  fileprivate static func time(_ bytes: ByteView, _ offset: Int) -> Int {
    Int(Int64(bitPattern: bytes.word64(at: offset)))
  }
}
