import Pipeline
@testable import Stages

/// One operation in plain words, as a test writes it down.
struct Step: CustomStringConvertible {
  enum Kind: Hashable {
    case event, set, unset, addItem, removeItem, register(RegisterKind), erase, clear, touch, link
  }

  var kind: Kind
  /// `custom:ID`, `install:ID`, or empty for an anonymous event.
  var key: String
  var name = ""
  var form = KeyForm.plain
  /// ``EventTime/absent`` of an event without time.
  var time = 0
  /// The custom id, of a link.
  var value = ""
  /// Event id; empty = none.
  var id = ""
  /// Whether the id alone, not with the time, identifies deliveries of the event.
  var hasTimelessID = false
  var dialect = Dialect.v2
  /// Path of the input it comes from.
  var input = "log"
  /// What the source calls the event; empty = nothing else.
  var sourceName = ""

  var description: String {
    "\(kind) \(key) \(name) \(form) @\(time) \(value) id=\(id) \(dialect.name) \(input) \(sourceName)"
  }

  /// What deliveries of one event have in common.
  var delivered: String { "\(id)\u{0}\(key)\u{0}\(name)\u{0}\(hasTimelessID ? "any" : "\(time)")" }

  /// The fingerprint the router would make.
  var fingerprint: Fingerprint {
    if id.isEmpty { return .none }
    return Fingerprint(low: hash(delivered, seed: 1), high: hash(delivered, seed: 2))
  }
}

extension Step.Kind {
  /// The kind of the operation that the router makes.
  var fact: FactKind {
    switch self {
    case .event: .event
    case .set: .set
    case .unset: .unset
    case .addItem: .addItem
    case .removeItem: .removeItem
    case .register: .single
    case .erase: .eraseMark
    case .clear: .clear
    case .touch: .touched
    case .link: .link
    }
  }
}

func hash(_ text: String, seed: UInt64 = 0) -> UInt64 {
  let buffer = ByteBuffer(text: text)
  return XXH64.hash(buffer.view, seed: seed)
}
