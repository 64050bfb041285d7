import Pipeline

/// The key of a record's operations, written once into the slice of its shard. Plain numbers: it is
/// passed on for every event.
struct OwnerKey {
  let shard: Int
  /// Offset of the key text in the bytes of the shard's slice.
  private let start: UInt32
  private let length: UInt32
  /// XXH64 of the key text; for the empty key of anonymous events, a hash that distributes them.
  let hash: UInt64
  let isAnonymous: Bool

  /// The empty key of anonymous events, in the shard for `hash`, so that anonymous events with the
  /// same id meet in one shard.
  init(anonymous hash: UInt64, among shards: Int) {
    shard = ShardRoute.shard(of: hash, count: shards)
    start = 0
    length = 0
    self.hash = hash
    isAnonymous = true
  }

  /// The key with this text, which is written into the slice of its shard.
  init(_ text: ByteView, slices: borrowing SliceList) {
    hash = XXH64.hash(text)
    shard = ShardRoute.shard(of: hash, count: slices.count)
    isAnonymous = false
    start = slices.with(shard) { slice in
      let start = UInt32(slice.bytes.count)
      slice.bytes.append(text)
      return start
    }
    length = UInt32(text.count)
  }

  /// Adds an operation on this key to the slice of its shard, with the value that `write` appends.
  func append(
    _ kind: FactKind, time: Int = 0, name: UInt32 = 0, form: KeyForm = .plain,
    dialect: Dialect = .v2, id: Fingerprint = .none, to slices: SliceList,
    _ write: (inout ByteBuffer) -> Void = { _ in }
  ) {
    slices.with(shard) { slice in
      let valueStart = slice.bytes.count
      write(&slice.bytes)
      precondition(slice.bytes.count <= Int(UInt32.max), "a block's operations exceed 4 GiB")
      slice.operations.append(
        RoutedOperation(
          keyHash: hash, time: time, id: id, keyStart: start, keyLength: length,
          valueStart: UInt32(valueStart), valueLength: UInt32(slice.bytes.count - valueStart),
          name: name, kind: kind, form: form, dialect: dialect))
    }
  }
}

/// Builds the texts of keys, one after the other in the same memory (data-model 1).
struct KeyText: ~Copyable {
  private var text = ByteBuffer(capacity: 1 << 8)

  /// The key with an id in its stored form; valid until the next call.
  mutating func key(_ section: KeySection, _ id: ByteView) -> ByteView {
    text.removeAll()
    text.append(section.prefix)
    text.append(id)
    return text.view
  }
}

/// Assigns keys to shards. Shards exist in this process only and never affect an output; partitions
/// (docs/reference/file-formats.md) use other bits of the same hash.
package enum ShardRoute {
  /// The shard of a key with the hash `hash`, of `count` shards.
  package static func shard(of hash: UInt64, count: Int) -> Int {
    Int(truncatingIfNeeded: ((hash >> 40) &* UInt64(truncatingIfNeeded: count)) >> 24)
  }
}
