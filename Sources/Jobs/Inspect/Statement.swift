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
  let kind: RoutedKind
  var name: UInt32 = 0
  var form = KeyForm.plain
  /// Milliseconds since 1970; ``EventTime/absent`` for events without a time.
  let time: Int
  /// Canonical JSON, the text of an item, or the key of a link's person.
  var value = ByteView("")
  /// The id of an event; none without one.
  var id = Fingerprint.none
  /// The position in a log; nil if it comes from the state.
  var site: LogSite?
  /// Number of events of the state that it represents.
  var count = 1
  /// Whether another delivery of the same event counts.
  var isDuplicate = false

  /// The change and its key, without where it was found.
  struct Content: Hashable {
    let key: Int
    let kind: RoutedKind
    let name: UInt32
    let form: KeyForm
    let time: Int
    let value: [UInt8]
  }

  var content: Content {
    Content(key: key, kind: kind, name: name, form: form, time: time, value: value.array)
  }
}

extension Statement {
  /// The change by an operation of a line of the key with index `key`, with a value that stays
  /// valid; nil without one.
  init?(
    _ operation: RoutedOperation, key: Int, value: ByteView, id: Fingerprint, at site: LogSite
  ) {
    if operation.kind == .touch { return nil }
    // The form of an unset does not matter.
    self.init(
      key: key, kind: operation.kind, name: operation.name,
      form: operation.kind == .unset ? .plain : operation.form, time: operation.time, value: value,
      id: id, site: site)
  }

  /// The statement of a record of the key with index `key`, if it is of an attribute, a link, a
  /// clear, an erase mark or a register with one value.
  init?(_ record: Mutation, key: Int, value: ByteView) {
    let kind: RoutedKind? =
      switch record.kind {
      case .set: .set
      case .unset: .unset
      case .addItem: .addItem
      case .removeItem: .removeItem
      case .single: record.register.map { .register($0) }
      case .clear: .clear
      case .eraseMark: .erase
      case .link: .link
      default: nil
      }
    guard let kind else { return nil }
    self.init(
      key: key, kind: kind, name: record.kind == .single ? 0 : record.name, form: record.form,
      time: record.time, value: value)
  }

  /// The events of a name in the state: the latest of them.
  init(_ register: EventRegister, key: Int, name: UInt32) {
    self.init(
      key: key, kind: .event, name: name,
      time: register.seen.isNever ? EventTime.absent : register.seen.last, value: register.value,
      count: register.count)
  }

  /// The statement as a record that wins or loses by ``Mutation/wins(over:)``; nil for others.
  var record: Mutation? {
    switch kind {
    case .set: Mutation(.set, time: time, form: form, value: value)
    case .unset: Mutation(.unset, time: time)
    case .addItem: Mutation(.addItem, time: time, value: value)
    case .removeItem: Mutation(.removeItem, time: time, value: value)
    case .register(let register): Mutation(register, time: time, value: value)
    default: nil
    }
  }
}

/// Texts that do not move as long as this object lives. For any thread.
final class TextStore: Sendable {
  private let texts = Locked(Arena())

  func store(_ text: ByteView) -> ByteView {
    texts.withLock { texts in
      let slot = texts.store(text)
      return texts[slot]
    }
  }
}
