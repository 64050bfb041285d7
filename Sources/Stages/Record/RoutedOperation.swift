package import Pipeline

/// The effect of a routed operation on the state of its key (data-model 13).
@frozen
package enum RoutedKind: BitwiseCopyable, Hashable, Sendable {
  /// An accepted event: `name`, `time`, `value` (canonical attributes), `id`.
  case event
  /// Attribute `name` takes `value` (canonical JSON) at `time`.
  case set
  /// Attribute `name` is unset at `time`.
  case unset
  /// `value` (the plain text of the item) is added to the array attribute `name` at `time`.
  case addItem
  /// `value` (the plain text of the item) is removed from the array attribute `name` at `time`.
  case removeItem
  /// The register takes `value` (canonical JSON) at `time`.
  case register(RegisterKind)
  /// Everything up to and including `time` is erased (data-model 13.6).
  case erase
  /// Everything older than `time` is dropped (data-model 13.1).
  case clear
  /// The key has a state, even if nothing else is known about it (link-only records).
  case touch
  /// The key, an installation, belongs to the custom id `value` since `time` (data-model 13.8).
  case link
}

/// One change of one key's state, on its way to the shard that owns the key: `key` and `value` are
/// ranges of the slice's bytes, `name` is an id of the run's ``NameTable``.
@frozen
package struct RoutedOperation: BitwiseCopyable, Sendable {
  /// XXH64 of the key text, seed 0. Decides shard and partition.
  package var keyHash: UInt64
  /// Milliseconds since 1970; ``EventTime/absent`` for an event without a time.
  package var time: Int
  /// Fingerprint of (event id, owner, name, time); both words 0 = an event without an id.
  package var id: Fingerprint
  package var keyStart: UInt32
  package var keyLength: UInt32
  package var valueStart: UInt32
  package var valueLength: UInt32
  package var name: UInt32
  package var kind: RoutedKind
  package var form: KeyForm
  package var dialect: Dialect

  @inlinable package var isEvent: Bool {
    if case .event = kind { return true }
    return false
  }
}

/// The slices of one unit, one per shard, for a stage that fills them: handing an operation to a
/// slice counts no reference. The list is part of the unit that owns the slices, never replaces
/// one, and is not kept beyond the work on that unit.
package typealias SliceList = BorrowedList<RoutedSlice>

/// A source name of an event: the range of its text in the slice's bytes, and the number of the
/// event name in the run's table.
package struct RoutedSourceName: BitwiseCopyable, Sendable {
  package let name: UInt32
  package let start: UInt32
  package let length: UInt32
}

/// The operations of one block for one shard. The shard's stages work on it on the shard's queue.
package final class RoutedSlice {
  package var operations: [RoutedOperation] = []
  /// Key texts (`custom:…`, `install:…`, empty for anonymous events) and values.
  package var bytes = ByteBuffer(capacity: 1 << 16)
  /// Set by the shard: why the job cannot continue.
  package var failure: Failure?
  package var source = InputSourceID.unknown
  /// Source names of events that the lane has not sent before.
  package private(set) var sourceNames: [RoutedSourceName] = []
  /// Indices from which operations belong to another input: that of redriven lines.
  package private(set) var changes: [(start: Int, source: InputSourceID)] = []

  package init() {}

  func change(to source: InputSourceID) { changes.append((operations.count, source)) }

  func append(sourceName text: ByteView, of name: UInt32) {
    let start = bytes.count
    bytes.append(text)
    precondition(bytes.count <= Int(UInt32.max), "a block's operations exceed 4 GiB")
    sourceNames.append(
      RoutedSourceName(
        name: name, start: UInt32(truncatingIfNeeded: start),
        length: UInt32(truncatingIfNeeded: text.count)))
  }

  package func recycle() {
    operations.recycle()
    sourceNames.recycle()
    changes.recycle()
    bytes.removeAll()
    bytes.shrink(to: RetainedCapacity.bytes)
  }

  package func key(_ operation: RoutedOperation) -> ByteView {
    bytes[Int(operation.keyStart)..<Int(operation.keyStart) + Int(operation.keyLength)]
  }

  func text(_ name: RoutedSourceName) -> ByteView {
    bytes[Int(name.start)..<Int(name.start) + Int(name.length)]
  }

  package func value(_ operation: RoutedOperation) -> ByteView {
    bytes[Int(operation.valueStart)..<Int(operation.valueStart) + Int(operation.valueLength)]
  }
}
