import Pipeline
import Stages

package struct LogSite: Comparable, Sendable {
  /// Index of the input among those that were read.
  let input: Int
  package let source: String
  /// From 1.
  package let line: Int
  /// Of the line, in bytes of the decompressed file.
  package let offset: Int

  /// The order of the inputs and their lines.
  package static func < (a: LogSite, b: LogSite) -> Bool {
    (a.input, a.offset) < (b.input, b.offset)
  }
}

/// One change of a key of a person: from a line of a log, or from the state.
struct Statement: Sendable {
  /// Index of the key among those of the person.
  var key: Int
  /// The change; of events in the state the latest of a name.
  let record: Mutation
  /// The id of an event; none without one.
  var id = Fingerprint.none
  /// The position in a log; nil if it comes from the state.
  var site: LogSite?
  /// Number of events of the state that it represents.
  var count = 1
  /// Whether another delivery of the same event counts.
  var isDuplicate = false

  var kind: FactKind { record.kind }
  var name: UInt32 { record.name }
  /// Milliseconds since 1970; ``EventTime/absent`` for events without a time.
  var time: Int { record.time }
  /// Canonical JSON, the text of an item, or the key of a link's person.
  var value: ByteView { record.value }

  /// The change and its key, without where it was found.
  struct Content: Hashable {
    var key = 0
    let kind: FactKind
    var name: UInt32 = 0
    var form = KeyForm.plain
    let time: Int
    let value: [UInt8]
  }

  var content: Content {
    Content(key: key, kind: kind, name: name, form: record.form, time: time, value: value.array)
  }
}

extension Statement {
  /// The change by an operation of a line, whose texts are in `bytes` and then in `texts`, of the
  /// key with index `key`.
  init(
    _ operation: RoutedOperation, of bytes: ByteView, key: Int, _ texts: TextStore,
    at site: LogSite
  ) {
    var record = Mutation(operation, bytes, .unknown)
    if operation.isEvent { record.kind = .event }
    record.value = texts.store(record.value)
    self.init(key: key, record: record, id: operation.id, site: site)
  }

  /// The kinds of records that are statements by themselves.
  static let kinds: Set<FactKind> = [
    .set, .unset, .addItem, .removeItem, .single, .clear, .eraseMark, .link,
  ]

  /// The events of a name in the state: the latest of them.
  init(_ register: EventRegister, key: Int, name: UInt32) {
    let time = register.seen.isNever ? EventTime.absent : register.seen.last
    self.init(
      key: key, record: Mutation(.event, name: name, time: time, value: register.value),
      count: register.count)
  }
}

/// Texts that do not move as long as this object lives. For any thread.
final class TextStore: Sendable {
  private let texts = Locked(ByteChunks())

  func store(_ text: ByteView) -> ByteView { texts.withLock { $0.store(text) } }
}
