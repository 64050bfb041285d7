import Pipeline

/// The fields of one object that the readers search for, found in one walk. Of repeated fields the
/// last one counts; a null field is absent (data-model 2). A class, so that it is never copied.
final class RootFields {
  /// By number of the field; stale for those that are not ``present``.
  private var nodes = [128 of Node](repeating: .none)
  /// The fields that are present and not null, as bits.
  private(set) var present: FieldSet = 0
  /// Tape indices of the keys that no dialect defines, including null fields.
  private(set) var unknownKeys = PlainList<Node>()
  private(set) var object: Node = .none
  /// Whether a name may occur more than once.
  private(set) var mayRepeat = false
  private let fold = KeyFold()
  /// The result of ``forEachOther(than:of:_:)``.
  private var others = PlainList<Node>()

  /// Walks over the object at tape index `object`. Complexity: O(fields).
  func read(_ object: Int, of batch: RecordBatch) {
    var present: FieldSet = 0
    var seen: FieldSet = 0
    var repeated: FieldSet = 0
    self.object = Node(object)
    if !unknownKeys.isEmpty { unknownKeys.recycle() }
    let tape = batch.tape
    var key = object + 1
    let end = Int(tape[object].next)
    while key < end {
      let entry = tape[key]
      if let field = batch.field(of: entry) {
        nodes[Int(field.rawValue)] = Node(key + 1)
        repeated |= seen & field.bit
        seen |= field.bit
        present = tape[key + 1].kind == .null ? present & ~field.bit : present | field.bit
      } else {
        addUnknown(key)
      }
      key = Int(entry.next)
    }
    self.present = present
    mayRepeat = repeated != 0 || unknownKeys.count > 1 && mayRepeatUnknown(of: tape)
  }

  /// Whether two of the undefined fields may have one name.
  private func mayRepeatUnknown(of tape: Tape) -> Bool {
    var seen: UInt64 = 0
    for index in unknownKeys.indices {
      let number = tape[unknownKeys[index]].number
      let bit: UInt64 = 1 &<< UInt64(number & 63)
      if number == 0 || seen & bit != 0 { return true }
      seen |= bit
    }
    return false
  }

  @inline(never)
  private func addUnknown(_ key: Int) { unknownKeys.append(Node(key)) }

  /// The tape index of the field's value, or none when it is absent or null.
  subscript(field: RootField) -> Node {
    @inline(__always) get { has(field) ? nodes[Int(field.rawValue)] : .none }
  }

  /// Whether the field is present and not null.
  @inline(__always)
  func has(_ field: RootField) -> Bool { present & field.bit != 0 }

  /// The value of the first present field with one of these bits; there is one.
  func first(of bits: FieldSet) -> Node { nodes[(present & bits).trailingZeroBitCount] }

  /// Whether one of the fields with these bits is present and not null.
  func hasAny(_ bits: FieldSet) -> Bool { present & bits != 0 }

  /// The first of the fields that is present, if any.
  @inline(__always)
  func first(_ a: RootField, _ b: RootField) -> Node { has(a) ? self[a] : self[b] }

  @inline(__always)
  func first(_ a: RootField, _ b: RootField, _ c: RootField) -> Node {
    has(a) ? self[a] : first(b, c)
  }

  /// Makes those of the fields with the bits `fields` absent for which `isAbsent` returns true.
  @inline(__always)
  func remove(_ fields: FieldSet, where isAbsent: (_ node: Node) -> Bool) {
    var rest = present & fields
    while rest != 0 {
      let bit = rest & (0 &- rest)
      if isAbsent(nodes[rest.trailingZeroBitCount]) { present &= ~bit }
      rest ^= bit
    }
  }

  /// Keeps those undefined fields for which `isKept` returns true.
  @inline(__always)
  func keepUnknown(where isKept: (_ key: Node) -> Bool) { unknownKeys.removeAll { !isKept($0) } }

  /// The value of the field `name`, which is not a ``RootField``; none when it is absent, null, or
  /// rejected by `isOwn`. Unless it is rejected it no longer counts as unknown.
  func take(
    _ name: ByteView, of tape: Tape, where isOwn: (_ node: Int) -> Bool = { _ in true }
  ) -> Node {
    // Of repeated fields the last one counts.
    var last: Node = .none
    for index in unknownKeys.indices where tape.bytes(at: unknownKeys[index]) == name {
      last = unknownKeys[index]
    }
    guard last.exists else { return .none }
    let isNull = tape[last.index + 1].kind == .null
    guard isNull || isOwn(last.index + 1) else { return .none }
    keepUnknown { tape.bytes(at: $0.index) != name }
    return isNull ? .none : last.next
  }

  /// Reads the fields of a v1 event (data-model 3.2).
  func readV1(into event: inout EventEntry) {
    (event.nameNode, event.timeNode, event.idNode) = (
      self[.name], self[.time], first(.id, .eventID)
    )
    (event.attributes, event.label, event.tags) = (self[.attributes], self[.label], self[.tags])
  }

  /// Reads the fields of a v2 event (data-model 3.1).
  func readV2(into event: inout EventEntry, of tape: Tape) {
    event.nameNode = self[.name]
    event.timeNode = self[.time]
    if !unknownKeys.isEmpty {
      let untimed = take("untimed", of: tape) { tape.isBoolean($0) }.index
      if !event.timeNode.exists, untimed >= 0, tape[untimed].kind == .true {
        event.timing = .optional
      }
      _ = take("source_name", of: tape) { tape[$0].kind == .string }
      let duplicate = take("duplicate", of: tape) {
        tape[$0].kind == .string && tape.bytes(at: $0) == "id"
      }
      event.hasTimelessID = duplicate.exists
    }
    event.idNode = self[.id]
    event.attributes = self[.attributes]
  }

  /// Whether only fields with the bits `known` are present and not null. Complexity: O(fields).
  func hasOnly(_ known: FieldSet, of tape: Tape) -> Bool {
    guard present & ~known == 0 else { return false }
    var isOnly = true
    forEachOther(than: known, of: tape) { _ in isOnly = false }
    return isOnly
  }

  /// Whether a field that is not among `known` is present, possibly as null.
  @inline(__always)
  func mayHaveOthers(than known: FieldSet) -> Bool { present & ~known != 0 || !unknownKeys.isEmpty }

  /// Calls `body` with the key of each field that is present, not null, and not among `known`: in
  /// source order, of repeated ones the last. Complexity: O(fields), sorted where there are some.
  func forEachOther(than known: FieldSet, of tape: Tape, _ body: (_ key: Node) -> Void) {
    guard mayHaveOthers(than: known) else { return }
    others.recycle()
    var rest = present & ~known
    while rest != 0 {
      others.append(nodes[rest.trailingZeroBitCount].previous)
      rest &= rest - 1
    }
    fold.begin()
    for index in unknownKeys.indices.reversed() {
      let key = unknownKeys[index].index
      let name = tape.bytes(at: key)
      let later = fold.add(KeyFold.tag(name), item: key) { tape.bytes(at: $0) == name }
      if later == nil, tape[key + 1].kind != .null { others.append(unknownKeys[index]) }
    }
    others.sort { $0 < $1 }
    for index in others.indices { body(others[index]) }
  }
}

extension Tape {
  /// Whether the value at `node` is true or false.
  func isBoolean(_ node: Int) -> Bool { self[node].kind == .true || self[node].kind == .false }
}
