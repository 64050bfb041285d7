package import Pipeline

/// The knowledge of one source about one key: a log, a partial, a part of a state. It is the text
/// of the key and its records, so states of one key merge by putting their records together
/// (docs/reference/data-model.md, merge).
///
/// A view: its texts belong to the source, which defines how long they are valid.
///
/// ```
/// length of the key (31) │ has a profile (1) │ length of the records (32)   8 bytes, little-endian
/// key │ records (``Mutation``)
/// ```
package struct KeyState {
  /// `custom:ID`, `install:ID` or `anonymous:DIGITS`.
  package var key: ByteView
  /// Whether the key has a profile beside its state, whose values records may refer to.
  package var hasProfile = false
  /// Its records, one after the other, with numbers of the run's names.
  package var records: ByteView

  static let headLength = 8
  private static let profileBit: UInt32 = 1 << 31

  package init(key: ByteView, records: ByteView = "") { (self.key, self.records) = (key, records) }

  package func append(to bytes: inout ByteBuffer) {
    Self.append(head: key, hasProfile, records: records.count, to: &bytes)
    bytes.append(records)
  }

  /// Appends the state of `key` without its records, which have `count` bytes and must follow.
  static func append(
    head key: ByteView, _ hasProfile: Bool = false, records count: Int, to bytes: inout ByteBuffer
  ) {
    precondition(count <= Int(UInt32.max), "the records of a key have at most 4 GiB")
    let low = UInt64(hasProfile ? profileBit : 0) | UInt64(key.count)
    bytes.append(word64: UInt64(count) << 32 | low)
    bytes.append(key)
  }

  struct Layout {
    let key: Range<Int>
    let records: Range<Int>
    let hasProfile: Bool

    /// The layout of the state at `offset` of `bytes`; nil at their end, and when the lengths
    /// exceed them: that of the key, for one that need not be `isWhole`.
    @inline(__always)
    init?(_ bytes: ByteView, at offset: Int, isWhole: Bool = true) {
      let start = offset + headLength
      guard start <= bytes.count else { return nil }
      let low = bytes.word32(at: offset)
      let end = start + Int(low & ~profileBit)
      key = start..<end
      records = end..<end + Int(bytes.word32(at: offset + 4))
      hasProfile = low & profileBit != 0
      guard (isWhole ? records : key).upperBound <= bytes.count else { return nil }
    }

    var end: Int { records.upperBound }
  }

  /// Reads the state at `offset` of `bytes`, which moves past it; nil at the end, or for invalid
  /// bytes. Its texts are views of `bytes`.
  package init?(_ bytes: ByteView, at offset: inout Int) {
    guard let layout = Layout(bytes, at: offset) else { return nil }
    key = bytes[layout.key]
    hasProfile = layout.hasProfile
    records = bytes[layout.records]
    offset = layout.end
  }
}

/// What the records say, each time in O(n) for n records.
extension KeyState {
  package var facts: KeyFacts { KeyFacts(records) }

  /// Whether the key is published, unless it folds.
  package var isPublic: Bool { facts.isKnown || contains { $0.isOfEvents } }

  /// Whether it is in a profile: its own, or that of the person it folds into.
  package func isInProfile(_ stitch: Stitch) -> Bool {
    isPublic || facts.links.person(stitch) != nil
  }

  package var consent: ConsentStatement? {
    latest(.consent).map { ConsentStatement(time: $0.time, isOptedOut: $0.isTrue) }
  }

  /// The high words of the ids of its events.
  package var ids: Set<UInt64> {
    var ids: Set<UInt64> = []
    forEach { if $0.isID { ids.insert($0.words.1) } }
    return ids
  }

  /// The latest value of a register; nil without one.
  package func latest(_ register: RegisterKind) -> Mutation? {
    var latest: Mutation?
    forEach { record in
      if record.register == register, latest.map({ record.wins(over: $0) }) ?? true {
        latest = record
      }
    }
    return latest
  }

  package func forEach(_ body: (Mutation) -> Void) {
    var offset = 0
    while let record = Mutation(records, at: &offset) { body(record) }
  }

  package func contains(where body: (Mutation) -> Bool) -> Bool {
    var offset = 0
    while let record = Mutation(records, at: &offset) { if body(record) { return true } }
    return false
  }
}

extension Mutation {
  package var hasText: Bool { !DaysRegister.kinds.contains(kind) && !isID }

  /// Whether an erase mark removes it, if it is old enough: not for ids of counted events.
  package var isErasable: Bool {
    isOfEvents || naming == .attribute || kind == .days || register?.isErasable ?? false
  }
}
