/// A set of 128-bit values that are already well mixed (hashes), in 11 to 14 bytes each.
///
/// ```
/// address = mixed high word * 2^14 + lowest 14 bits of the low word, mixed
/// bucket  = head │ 15 high words                  128 bytes
/// head    = further bucket (extent) │ count (8)
/// ```
/// Linear hashing: the lowest bits of the address tell the bucket, one bit more for buckets that
/// were split. Whenever the buckets are full enough, the next one in turn is split into two. So the
/// set grows by one bucket at a time, and never exists twice. What a bucket cannot hold goes on in
/// a further one, until it is split: buckets that wait for that are up to twice as full.
///
/// The address is mixed by numbers of this process (``TableHash``), so that nobody can make up
/// values that all fall to one bucket. Membership does not depend on them.
///
/// 78 bits identify members: the high word, and 14 bits that the bucket implies, as there are never
/// fewer than 2^14. Among n members some two agree in them, and are taken for one, with a
/// probability of about n² / 2^79: 2^-19 for a billion.
///
/// Invariants: buckets `0..<bucketCount` are initialised and never move. Not thread-safe.
@safe @frozen @usableFromInline
package struct DigestSet: ~Copyable {
  /// Buckets an empty set begins with: bits of a value that need not be stored.
  @usableFromInline static var impliedBits: UInt64 { 14 }
  /// Values in a bucket.
  @usableFromInline static var bucketRoom: Int { 15 }
  /// Values per bucket on average from which on the next one is split.
  @usableFromInline static var usualCount: Int { 12 }
  @usableFromInline static var bucketLength: Int { 128 }
  @usableFromInline static var bucketsPerChunk: Int { 1 << 13 }

  @usableFromInline var chunks: [UnsafeMutablePointer<UInt64>] = unsafe []
  /// How many buckets there are: 2^`level` and those split since.
  @usableFromInline var bucketCount = 0
  @usableFromInline var level: UInt64
  @usableFromInline var further = ExtentArena()
  @usableFromInline var used = 0
  /// The values of a bucket that is being split.
  @usableFromInline var moved: [UInt64] = []
  @usableFromInline let secret: TableHash.Secret

  /// An empty set, which mixes addresses by `secret`.
  @inlinable
  package init(secret: TableHash.Secret = TableHash.secret) {
    self.secret = secret
    level = Self.impliedBits
    while bucketCount < 1 << level { addBucket() }
  }

  @inlinable
  deinit {
    for index in unsafe chunks.indices { unsafe chunks[index].deallocate() }
  }

  /// Number of members.
  @inlinable package var count: Int { used }

  /// Bytes allocated so far.
  package var footprint: Int {
    unsafe chunks.count * Self.bucketsPerChunk * Self.bucketLength + further.footprint
  }

  /// Makes the value a member; false when it was one already.
  @inlinable
  package mutating func insert(low: UInt64, high: UInt64) -> Bool {
    let (high, address) = mixed(low, high)
    var bucket = unsafe start(of: number(address))
    while true {
      let count = unsafe Self.count(bucket)
      // SAFETY: a bucket holds `count` values behind its head.
      for index in 0..<count where unsafe bucket[1 + index] == high { return false }
      let next = unsafe Extent(word: bucket[0] >> 8)
      if next.isNone { break }
      unsafe bucket = start(of: next)
    }
    unsafe append(high, to: bucket)
    used += 1
    if used > bucketCount * Self.usualCount { split() }
    return true
  }

  /// Asks for the slot where the value is found.
  @inlinable
  package func prefetch(low: UInt64, high: UInt64) {
    let bucket = unsafe UnsafeRawPointer(start(of: number(mixed(low, high).address)))
    for line in 0..<2 { unsafe Pipeline.prefetch(bucket + line * 64) }
  }

  /// The word that stands for a value in its bucket, and the lowest bits of its address.
  ///
  /// Each step can be undone, given the lowest bits of the low word: two values have the same word
  /// in the same bucket only if they agree in the 78 bits.
  @inlinable
  func mixed(_ low: UInt64, _ high: UInt64) -> (high: UInt64, address: UInt64) {
    var word = (high ^ secret.first) &* secret.second
    word = (word ^ word >> 32) &* secret.third
    word ^= word >> 29
    let lowest = low ^ TableHash.fold(word, secret.first)
    return (word, word << Self.impliedBits | lowest & (1 << Self.impliedBits - 1))
  }

  /// The number of the bucket of a value with this address.
  @inlinable @inline(__always)
  func number(_ address: UInt64) -> Int {
    let number = Int(address & (2 << level - 1))
    return number < bucketCount ? number : Int(address & (1 << level - 1))
  }

  @unsafe @inlinable
  func start(of number: Int) -> UnsafeMutablePointer<UInt64> {
    unsafe chunks[number / Self.bucketsPerChunk]
      + number % Self.bucketsPerChunk * (Self.bucketLength / 8)
  }

  @unsafe @inlinable
  func start(of extent: Extent) -> UnsafeMutablePointer<UInt64> {
    unsafe further.start(of: extent.line).assumingMemoryBound(to: UInt64.self)
  }

  @unsafe @inlinable
  static func count(_ bucket: UnsafeMutablePointer<UInt64>) -> Int {
    unsafe Int(bucket[0] & 0xFF)
  }

  /// The head of a bucket without values that no further one follows.
  @usableFromInline static var emptyHead: UInt64 { Extent.none.word << 8 }

  /// Appends a value to `bucket`, the last one of its row.
  @unsafe @inlinable
  mutating func append(_ value: UInt64, to bucket: UnsafeMutablePointer<UInt64>) {
    let count = unsafe Self.count(bucket)
    if count < Self.bucketRoom {
      // SAFETY: a bucket has a head and room for `bucketRoom` values.
      unsafe bucket[1 + count] = value
      unsafe bucket[0] += 1
    } else {
      unsafe extend(bucket, by: value)
    }
  }

  /// Puts a further bucket with one value behind a full one.
  @unsafe @usableFromInline @inline(never)
  mutating func extend(_ bucket: UnsafeMutablePointer<UInt64>, by value: UInt64) {
    let extent = further.allocate(Self.bucketLength)
    let new = unsafe start(of: extent)
    unsafe new[0] = Self.emptyHead + 1
    unsafe new[1] = value
    unsafe bucket[0] = extent.word << 8 | bucket[0] & 0xFF
  }

  @usableFromInline
  mutating func addBucket() {
    if bucketCount % Self.bucketsPerChunk == 0 {
      let chunk = UnsafeMutableRawPointer.allocate(
        byteCount: Self.bucketsPerChunk * Self.bucketLength, alignment: 64)
      unsafe chunks.append(
        chunk.bindMemory(to: UInt64.self, capacity: Self.bucketsPerChunk * Self.bucketLength / 8))
    }
    bucketCount += 1
    unsafe start(of: bucketCount - 1)[0] = Self.emptyHead
  }

  /// Splits the next bucket in turn: values whose address has one more bit set go to a new one.
  @usableFromInline @inline(never)
  mutating func split() {
    let old = bucketCount - 1 << level
    takeValues(of: old)
    addBucket()
    let new = bucketCount - 1
    for value in moved {
      // The bit is beyond the implied ones, so that it is one of the stored word.
      let isMoved = value >> (level - Self.impliedBits) & 1 != 0
      var bucket = unsafe start(of: isMoved ? new : old)
      while true {
        let next = unsafe Extent(word: bucket[0] >> 8)
        if next.isNone { break }
        unsafe bucket = start(of: next)
      }
      unsafe append(value, to: bucket)
    }
    if bucketCount == 2 << level { level += 1 }
  }

  /// Empties a bucket into ``moved``.
  private mutating func takeValues(of number: Int) {
    moved.removeAll(keepingCapacity: true)
    let first = unsafe start(of: number)
    var (bucket, extent) = unsafe (first, Extent.none)
    while true {
      for index in 0..<(unsafe Self.count(bucket)) { unsafe moved.append(bucket[1 + index]) }
      let next = unsafe Extent(word: bucket[0] >> 8)
      further.free(extent)
      if next.isNone { break }
      unsafe (bucket, extent) = (start(of: next), next)
    }
    unsafe first[0] = Self.emptyHead
  }
}
