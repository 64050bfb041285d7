import Pipeline

/// Values of which v2 takes nearly everything as it stands: nearly all of them. They are looked at
/// and copied in one walk, which gives up at the first thing that the rules for foreign values
/// would change in another way; so what it copies is what ``appendValue(_:names:at:)`` would have
/// appended.
extension ForeignDraft {
  /// Whether v2 takes the object or array at `node` as it stands, with all that is in it and all of
  /// its keys; false also says nothing. Complexity: O(entries of the value).
  func isCanonicalAsIs(_ node: Int, names: Int) -> Bool {
    guard names <= Limits.nesting else { return false }
    return switch tape[node].kind {
    case .object: isCanonicalObject(node, names: names)
    case .array: isCanonicalArray(node, names: names)
    default: false
    }
  }

  private func isCanonicalObject(_ node: Int, names: Int) -> Bool {
    let (tape, batch) = (tape, batch)
    var seen = KeyFilter()
    var count = 0
    var key = node + 1
    let end = Int(tape[node].next)
    while key < end {
      let name = tape[key]
      // Names of text that was scanned while the line was read are not learnt yet.
      guard count < Limits.v2.attributes, name.number != 0, batch.keys.knows(name.number),
        batch.keys[name.number].isCanonical
      else { return false }
      if seen.add(name.number), hasMember(name.number, from: node + 1, to: key) { return false }
      let value = tape[key + 1]
      guard canCopyVerbatim(value) ? !isDate(value) : isCanonicalAsIs(key + 1, names: names + 1)
      else { return false }
      count += 1
      key = Int(name.next)
    }
    return count > 0
  }

  private func isCanonicalArray(_ node: Int, names: Int) -> Bool {
    let end = Int(tape[node].next)
    var count = 0
    var item = node + 1
    let kind = item < end ? tape[item].kind : .null
    while item < end {
      let entry = tape[item]
      guard count < Limits.array, entry.kind == kind else { return false }
      switch kind {
      case .object: guard isCanonicalObject(item, names: names) else { return false }
      case .string: guard canCopyVerbatim(text: entry) else { return false }
      default: return false
      }
      count += 1
      item = Int(entry.next)
    }
    return count > 0
  }

  /// Whether one of the members whose keys stand from `start` up to `end` has the key with this
  /// number.
  private func hasMember(_ number: UInt16, from start: Int, to end: Int) -> Bool {
    var key = start
    while key < end {
      if tape[key].number == number { return true }
      key = Int(tape[key].next)
    }
    return false
  }

  /// Appends a copy of the value at `node` and returns true; appends nothing and returns false when
  /// it is worth a closer look. Complexity: O(entries of the value).
  func appendPlain(_ node: Int, names: Int) -> Bool {
    let entry = tape[node]
    switch entry.kind {
    case .object:
      return appendsWhole { names <= Limits.nesting && appendPlainObject(node, names: names) }
    case .array:
      return appendsWhole { names <= Limits.nesting && appendPlainArray(node, names: names) }
    default:
      guard canCopyVerbatim(entry) else { return false }
      tape.appendScalar(entry)
      return true
    }
  }

  /// Takes back what `append` has appended if it returns false.
  @inline(__always)
  private func appendsWhole(_ append: () -> Bool) -> Bool {
    let first = tape.count
    if append() { return true }
    tape.truncate(to: first)
    return false
  }

  /// Whether the scalar is seen to be one that is kept as it is, as a member.
  @inline(__always)
  func canCopyVerbatim(_ entry: TapeEntry) -> Bool {
    entry.kind == .string
      ? canCopyVerbatim(text: entry) : PlainValue.isTriviallyValid(entry, of: tape)
  }

  /// Whether a text is short, begins with a visible character, and has no line feed.
  @inline(__always)
  func canCopyVerbatim(text entry: TapeEntry) -> Bool {
    let limit = UInt32(Limits.v2.string)
    return PlainValue.isText(entry, atMost: limit, of: tape)
      || entry.isDecoded && PlainValue.isDecodedText(entry, atMost: limit, of: tape)
  }

  /// Whether nothing is said by a value that is no container with anything in it.
  @inline(__always)
  private func isEmpty(_ entry: TapeEntry, at node: Int) -> Bool {
    switch entry.kind {
    case .null: true
    case .string: entry.length == 0
    case .object, .array: Int(entry.next) == node + 1
    default: false
    }
  }

  /// Appends the object, which has up to as many members as one may have, all of them with
  /// different keys.
  private func appendPlainObject(_ node: Int, names: Int) -> Bool {
    let tape = tape
    let keys = scratch.names
    let object = tape.append(TapeEntry(start: 0, length: 0, next: 0, kind: .object))
    var seen = KeyFilter()
    var count = 0
    var key = node + 1
    let end = Int(tape[node].next)
    while key < end {
      let source = tape[key]
      let value = tape[key + 1]
      let name = keys.key(source, in: tape)
      guard name.kind == .key, name.number != 0 else { return false }
      let isLikely = seen.add(name.number)
      if isEmpty(value, at: key + 1) {
        // It is left out, but still a member that another one may fall together with.
        if isLikely { return false }
        seen.isComplete = false
      } else {
        guard count < Limits.v2.attributes else { return false }
        if isLikely,
          !seen.isComplete || hasMember(name.number, from: object + 1, to: tape.count)
        {
          return false
        }
        let isDate = isDate(value)
        if isDate { seen.isComplete = false }
        let drafted = isDate ? keys.typed(name, as: .date, in: tape) : name
        if value.kind == .date || canCopyVerbatim(value) {
          tape.appendMember(drafted, scalar: value)
        } else {
          let member = tape.append(drafted)
          guard appendPlain(key + 1, names: names + 1) else { return false }
          tape[member].next = UInt32(truncatingIfNeeded: tape.count)
        }
        count += 1
      }
      key = Int(source.next)
    }
    tape[object].next = UInt32(truncatingIfNeeded: tape.count)
    return count > 0
  }

  /// Appends the array, which has up to as many items as one may have: objects, or texts and
  /// numbers, which are texts then.
  private func appendPlainArray(_ node: Int, names: Int) -> Bool {
    let array = tape.append(TapeEntry(start: 0, length: 0, next: 0, kind: .array))
    let end = Int(tape[node].next)
    var count = 0
    var item = node + 1
    let areObjects = item < end && tape[item].kind == .object
    while item < end {
      guard count < Limits.array else { return false }
      var entry = tape[item]
      if areObjects {
        guard entry.kind == .object, appendPlainObject(item, names: names) else { return false }
      } else {
        guard canCopyVerbatim(entry), entry.kind != .true, entry.kind != .false else {
          return false
        }
        entry.kind = .string
        entry.flags &= TapeEntry.decoded
        tape.appendScalar(entry)
      }
      count += 1
      item = Int(tape[item].next)
    }
    tape[array].next = UInt32(truncatingIfNeeded: tape.count)
    return count > 0
  }
}

/// The keys of an object that were met, by the lowest bits of their numbers: tells most new ones as
/// such.
private struct KeyFilter {
  private var bits: UInt64 = 0
  /// Whether all keys that were met stand in the drafted object as they were met.
  var isComplete = true

  /// Adds a key; returns whether it may have been met before.
  @inline(__always)
  mutating func add(_ number: UInt16) -> Bool {
    let bit: UInt64 = 1 &<< UInt64(number & 63)
    defer { bits |= bit }
    return bits & bit != 0
  }
}
