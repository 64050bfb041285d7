import Pipeline

extension FactKind {
  /// The key was seen from the time in the second word to `time`.
  static var seen: Self { Self(9, isSeen: true, hasWords: true) }
}

/// When a key was seen: earliest and latest time of its accepted events, if they have one, and of
/// its applied operations. Other records imply it; what they do not is a record of its own.
package struct SeenRegister: Register {
  package var times = Seen.never

  static var kinds: Mutation.Kinds { Mutation.Kinds(.seen) }

  static func isSound(_ record: Mutation, _ place: inout RecordPlace) -> Bool {
    record.name == 0 && FrameLayout.isRange(record.earliest, record.time)
  }

  mutating func removeAll() { times = .never }

  @inline(__always)
  mutating func add(_ record: Mutation, rank: UInt32) { times.merge(record.seen) }
  var isEmpty: Bool { times.isNever }

  func forEachRecord(_ body: (Mutation) -> Void) {
    if isEmpty { return }
    body(Mutation(.seen, time: times.last, words: (0, UInt64(bitPattern: Int64(times.first)))))
  }

  func describe(in line: StateLines) {
    if isEmpty { return }
    if times.first != times.last { line.member("first", times.first) }
    line.member("last", times.last)
  }
}
