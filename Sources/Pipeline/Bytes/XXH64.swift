/// The hash XXH64, for partitions of keys and checksums of files (docs/reference/file-formats.md).
///
/// Streaming, with seed 0: `update` any number of times, at any boundaries, then `digest`.
package struct XXH64: ~Copyable {
  @usableFromInline static var prime1: UInt64 { 0x9E37_79B1_85EB_CA87 }
  @usableFromInline static var prime2: UInt64 { 0xC2B2_AE3D_27D4_EB4F }
  @usableFromInline static var prime3: UInt64 { 0x1656_67B1_9E37_79F9 }
  @usableFromInline static var prime4: UInt64 { 0x85EB_CA77_C2B2_AE63 }
  @usableFromInline static var prime5: UInt64 { 0x27D4_EB2F_1656_67C5 }

  private var lanes = XXH64.start(0)
  private var pending = ByteBuffer(capacity: 32)
  private var total = 0

  package init() {}

  package mutating func update(_ bytes: ByteView) {
    total += bytes.count
    var position = 0
    if pending.count > 0 {
      position = min(32 - pending.count, bytes.count)
      pending.append(bytes[0..<position])
      guard pending.count == 32 else { return }
      XXH64.consume(pending.view, &lanes)
      pending.removeAll()
    }
    let whole = position + (bytes.count - position) / 32 * 32
    XXH64.consume(bytes[position..<whole], &lanes)
    pending.append(bytes[whole..<bytes.count])
  }

  package var digest: UInt64 {
    let head = total >= 32 ? XXH64.converge(lanes) : XXH64.prime5
    return XXH64.finish(head &+ UInt64(total), pending.view)
  }

  package static func hash(_ bytes: ByteView, seed: UInt64 = 0) -> UInt64 {
    guard bytes.count >= 32 else { return finish(seed &+ prime5 &+ UInt64(bytes.count), bytes) }
    var lanes = start(seed)
    let whole = bytes.count / 32 * 32
    consume(bytes[0..<whole], &lanes)
    return finish(converge(lanes) &+ UInt64(bytes.count), bytes.dropFirst(whole))
  }

  /// Half of the hash of `bytes`, to notice damage.
  package static func half(_ bytes: ByteView) -> UInt32 { UInt32(truncatingIfNeeded: hash(bytes)) }

  private static func start(_ seed: UInt64) -> SIMD4<UInt64> {
    SIMD4(seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1)
  }

  private static func consume(_ bytes: ByteView, _ lanes: inout SIMD4<UInt64>) {
    var (a, b, c, d) = (lanes.x, lanes.y, lanes.z, lanes.w)
    var position = 0
    while position < bytes.count {
      // Checked once for all four words.
      let strip = bytes[position..<position &+ 32]
      a = round(a, strip.word64(at: 0))
      b = round(b, strip.word64(at: 8))
      c = round(c, strip.word64(at: 16))
      d = round(d, strip.word64(at: 24))
      position &+= 32
    }
    lanes = SIMD4(a, b, c, d)
  }

  @inline(__always) private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotate(lane &+ input &* prime2, 31) &* prime1
  }

  @inline(__always) private static func rotate(_ value: UInt64, _ by: UInt64) -> UInt64 {
    value &<< by | value &>> (64 &- by)
  }

  private static func converge(_ lanes: SIMD4<UInt64>) -> UInt64 {
    var hash =
      rotate(lanes.x, 1) &+ rotate(lanes.y, 7) &+ rotate(lanes.z, 12) &+ rotate(lanes.w, 18)
    for index in 0..<4 { hash = (hash ^ round(0, lanes[index])) &* prime1 &+ prime4 }
    return hash
  }

  /// Mixes fewer than 32 bytes into a hash, and finalises it.
  @inline(__always) private static func finish(_ start: UInt64, _ tail: ByteView) -> UInt64 {
    var hash = start
    var position = 0
    while position &+ 8 <= tail.count {
      hash = rotate(hash ^ round(0, tail.word64(at: position)), 27) &* prime1 &+ prime4
      position &+= 8
    }
    if position &+ 4 <= tail.count {
      let word = UInt64(tail.word32(at: position))
      hash = rotate(hash ^ word &* prime1, 23) &* prime2 &+ prime3
      position &+= 4
    }
    while position < tail.count {
      hash = rotate(hash ^ UInt64(tail[position]) &* prime5, 11) &* prime1
      position &+= 1
    }
    hash = (hash ^ hash &>> 33) &* prime2
    hash = (hash ^ hash &>> 29) &* prime3
    return hash ^ hash &>> 32
  }

  /// A hash in the form of the outputs: 16 lower-case hex digits.
  package static func text(_ hash: UInt64) -> String {
    var digits = ByteBuffer(capacity: 16)
    digits.append(hex: hash)
    return digits.view.text
  }
}
