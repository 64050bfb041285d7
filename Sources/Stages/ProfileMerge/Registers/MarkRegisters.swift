import Pipeline

extension FactKind {
  package static var clear: Self { Self(10, isSeen: true) }
  /// Everything up to `time` was erased.
  package static var eraseMark: Self { Self(6) }
  /// A link-only record named the key.
  package static var touched: Self { Self(10) }
}

protocol MarkRegister: Register {
  static var kind: FactKind { get }
  /// The field in the line of a state.
  static var field: StaticString { get }
  /// Milliseconds since 1970; the minimum without one.
  var time: Int { get set }
}

extension MarkRegister {
  static var kinds: Mutation.Kinds { Mutation.Kinds(kind) }

  static func isSound(_ record: Mutation, _ place: inout RecordPlace) -> Bool {
    record.name == 0 && Rules.isTime(record.time)
  }

  mutating func removeAll() { time = .min }
  mutating func add(_ record: Mutation, rank: UInt32) { time = max(time, record.time) }
  var isEmpty: Bool { time == .min }

  func forEachRecord(_ body: (Mutation) -> Void) {
    if !isEmpty { body(Mutation(Self.kind, time: time)) }
  }

  func describe(in line: StateLines) { if !isEmpty { line.member(Self.field, time) } }
}

package struct ClearRegister: MarkRegister {
  static var kind: FactKind { .clear }
  static var field: StaticString { "clear" }
  package var time = Int.min

  mutating func erase(through mark: Int) { if time <= mark { time = .min } }
  var seen: Seen { isEmpty ? .never : Seen(first: time, last: time) }
}

/// The latest erase mark of a key that came with its records (docs/reference/data-model.md, erase
/// marks). It stays, whatever it has erased.
package struct EraseMarkRegister: MarkRegister {
  static var kind: FactKind { .eraseMark }
  static var field: StaticString { "erase" }
  package var time = Int.min
}

/// Whether a link-only record named the key: then it has a state although nothing was seen.
package struct TouchedRegister: Register {
  package var isSet = false

  static var kinds: Mutation.Kinds { Mutation.Kinds(.touched) }
  static func isSound(_ record: Mutation, _ place: inout RecordPlace) -> Bool { record.name == 0 }
  mutating func removeAll() { isSet = false }
  mutating func add(_ record: Mutation, rank: UInt32) { isSet = true }
  var isEmpty: Bool { !isSet }
  func forEachRecord(_ body: (Mutation) -> Void) { if isSet { body(Mutation(.touched)) } }
  func describe(in line: StateLines) { if isSet { line.member("touched", true) } }
}
