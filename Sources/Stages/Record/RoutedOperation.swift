package import Pipeline

/// What an operation or a record says of its key (data-model 13). Each kind of an operation belongs
/// to one register of the key, which defines all but ``event``.
@frozen
package struct FactKind: Hashable, BitwiseCopyable, Sendable {
  package enum Naming: UInt8 {
    /// No name; for a register of one value, a number that is the same everywhere.
    case none
    case event
    case attribute
  }

  /// Number (4) | whether the key was seen at its times (1) | has words (1) | naming (2).
  let byte: UInt8

  init(byte: UInt8) { self.byte = byte }

  /// The kind with a number below 16, which no other kind with the same `isSeen` has.
  init(_ number: UInt8, _ naming: Naming = .none, isSeen: Bool = false, hasWords: Bool = false) {
    byte = number | (isSeen ? 1 << 4 : 0) | (hasWords ? 1 << 5 : 0) | naming.rawValue << 6
  }

  /// One event at `time` with `value`; without a time, ``EventTime/absent``.
  package static var event: Self { Self(0, .event, isSeen: true) }

  var isSeen: Bool { byte & 1 << 4 != 0 }
  var hasWords: Bool { byte & 1 << 5 != 0 }
  package var naming: Naming { Naming(rawValue: byte >> 6) ?? .none }
  var bit: UInt32 { 1 << UInt32(byte & 31) }
}

/// One change of one key's state, on its way to the shard that owns the key: `key` and `value` are
/// ranges of the slice's bytes, `name` is an id of the run's ``NameTable`` or the number of a
/// register.
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
  package var kind: FactKind
  package var form: KeyForm
  package var dialect: Dialect

  package var isEvent: Bool { kind == .event }
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
