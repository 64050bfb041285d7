package import Pipeline

extension FactKind {
  /// Events of a name were erased, and none with it are kept any more. The words are a hash of key
  /// and name, all that is kept of it.
  static var erased: Self { Self(2, hasWords: true) }
}

/// The names of events that erase marks have closed: registers that were merged before a mark
/// became known cannot be split, so otherwise the result would depend on the grouping of the
/// merges.
package struct ErasedNamesRegister: Register {
  /// After `settle`: a hash per name, in order.
  private(set) var names: [Fingerprint] = []

  static var kinds: Mutation.Kinds { Mutation.Kinds(.erased) }

  static func isSound(_ record: Mutation, _ place: inout RecordPlace) -> Bool {
    record.time == 0 && record.name == 0
  }

  /// What is kept of an erased event name: two hashes of it and its key. A name has no zero byte.
  package static func hash(_ name: ByteView, of key: ByteView) -> Fingerprint {
    var text = ByteBuffer(capacity: name.count + key.count + 1)
    text.append(name)
    text.append(0)
    text.append(key)
    return Erasures.digest(of: text.view)
  }

  mutating func removeAll() { names.removeAll(keepingCapacity: true) }
  mutating func add(_ record: Mutation, rank: UInt32) { names.append(record.fingerprint) }
  mutating func settle() { if names.count > 1 { names = Set(names).sorted() } }
  mutating func set(_ names: Set<Fingerprint>) { self.names = names.sorted() }
  var isEmpty: Bool { names.isEmpty }

  func forEachRecord(_ body: (Mutation) -> Void) {
    for name in names { body(Mutation(.erased, words: (name.low, name.high))) }
  }

  func describe(in line: StateLines) { if !names.isEmpty { line.array("erased", of: names) } }
}

extension Mutation {
  /// The hash of an erased event name; nil for other records.
  package var erasedName: Fingerprint? { kind == .erased ? fingerprint : nil }
}
