import Pipeline

extension Mutation.Kind {
  /// Everything before `time` was dropped.
  package static var clear: Self { Self(10, isSeen: true) }
  /// Everything up to `time` was erased.
  package static var eraseMark: Self { Self(6) }
  /// A link-only record named the key.
  static var touched: Self { Self(10) }
}

/// A register of the latest mark of a kind.
protocol MarkRegister: Register {
  /// Milliseconds since 1970; the minimum without one.
  var time: Int { get set }
}

extension MarkRegister {
  static func isSound(_ record: Mutation, _ place: inout RecordPlace) -> Bool {
    record.name == 0 && Rules.isTime(record.time)
  }

  mutating func removeAll() { time = .min }
  mutating func add(_ record: Mutation, rank: UInt32) { time = max(time, record.time) }
  var isEmpty: Bool { time == .min }
}

/// The latest clear of a key (data-model 13.2).
package struct ClearRegister: MarkRegister {
  package var time = Int.min

  static var kinds: Mutation.Kinds { Mutation.Kinds(.clear) }

  mutating func erase(through mark: Int) { if time <= mark { time = .min } }
  var seen: Seen { isEmpty ? .never : Seen(first: time, last: time) }

  func forEachRecord(_ body: (Mutation) -> Void) {
    if !isEmpty { body(Mutation(.clear, time: time)) }
  }

  func describe(in line: StateLines) { if !isEmpty { line.member("clear", time) } }
}

/// The latest erase mark of a key that came with its records (docs/reference/data-model.md, erase
/// marks). It stays, whatever it has erased.
package struct EraseMarkRegister: MarkRegister {
  package var time = Int.min

  static var kinds: Mutation.Kinds { Mutation.Kinds(.eraseMark) }

  func forEachRecord(_ body: (Mutation) -> Void) {
    if !isEmpty { body(Mutation(.eraseMark, time: time)) }
  }

  func describe(in line: StateLines) { if !isEmpty { line.member("erase", time) } }
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
