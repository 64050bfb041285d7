package import Pipeline

/// A 128-bit digest of one event id with its owner, name and, usually, time (data-model 12). Even
/// among a billion events two share one with probability below 2^-64, so equal ones are equal
/// events.
@frozen
package struct Fingerprint: BitwiseCopyable, Hashable, Sendable {
  package var low: UInt64
  package var high: UInt64

  /// Instead of the time of events whose id alone identifies them; different from every time.
  private static let anyTime = Int.min

  package static var none: Fingerprint { Fingerprint(low: 0, high: 0) }
}

extension Fingerprint: Comparable {
  /// Compares the high word first, like the outputs that list digests.
  package static func < (a: Fingerprint, b: Fingerprint) -> Bool {
    (a.high, a.low) < (b.high, b.low)
  }
}

extension Fingerprint {
  /// The fingerprint of the event `id` of an owner, name and ``time(of:)`` (data-model 12); owner
  /// and name by their XXH64, 0 for no owner.
  ///
  /// The id is hashed twice, with two seeds that each mix in the other parts. Part of the state's
  /// format.
  package init(id: ByteView, owner: UInt64, name: UInt64, time: Int) {
    let seed = Self.seed(owner: owner, name: name, time: time)
    let low = XXH64.hash(id, seed: seed)
    let high = XXH64.hash(id, seed: ~seed &* 0x85EB_CA77_C2B2_AE63 ^ owner)
    self.init(low: low == 0 && high == 0 ? 1 : low, high: high)
  }

  /// The same, keyed by `secret`: faster, and must not influence any output.
  init(id: ByteView, owner: UInt64, name: UInt64, time: Int, by secret: TableHash.Secret) {
    let seed = Self.seed(owner: owner, name: name, time: time)
    let (low, high) = secret.twoHashes(id, seed: seed)
    let both = high ^ owner
    self.init(low: low == 0 && both == 0 ? 1 : low, high: both)
  }

  /// The time that belongs to the fingerprint of an event.
  package static func time(of event: EventEntry) -> Int {
    event.hasTimelessID ? anyTime : event.time
  }

  @inline(__always)
  private static func seed(owner: UInt64, name: UInt64, time: Int) -> UInt64 {
    let parts =
      (owner ^ name &* 0x9E37_79B1_85EB_CA87)
      &+ UInt64(bitPattern: Int64(time)) &* 0xC2B2_AE3D_27D4_EB4F
    return (parts ^ parts >> 32) &* 0x1656_67B1_9E37_79F9
  }
}

/// 32 hexadecimal digits.
extension Fingerprint: DocumentScalar {
  package static var expected: String { "a digest" }
  package init?(_ value: JSONValue) {
    guard let text = value.text else { return nil }
    self.init(hex: text)
  }

  /// The hash with these digits, lower-case, the high word first; nil for another text.
  init?(hex text: String) {
    guard text.utf8.count == 32,
      text.utf8.allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }),
      let high = UInt64(text.prefix(16), radix: 16),
      let low = UInt64(text.dropFirst(16), radix: 16)
    else { return nil }
    self.init(low: low, high: high)
  }

  package func appendJSON(to buffer: inout ByteBuffer) {
    (XXH64.text(high) + XXH64.text(low)).appendJSON(to: &buffer)
  }
}
