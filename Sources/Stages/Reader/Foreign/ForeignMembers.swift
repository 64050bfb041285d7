import Pipeline

/// One member of a drafted object before it is drafted: where it comes from, and its key.
struct ForeignMember: BitwiseCopyable {
  /// The key it gets, without what types it.
  var key: TapeEntry
  /// Tape index of the value.
  let value: Node
  /// Tape index of the key in the source, for paths; none when the dialect made it up.
  let source: Node
  /// How the key types the value.
  var form = KeyForm.plain
  /// Whether the value is drafted already, or needs no change, and is only to be copied.
  var isDrafted = false
  /// Where it stands, if not in the object that is drafted: the tape index of the key of another
  /// object, or none for the line.
  var holder: Node?
  /// Whether it stays where there are too many, whatever its key.
  var staysFirst = false
  /// Whether the member is left out: its value says nothing, or a later one of its name counts.
  var isAbsent = false
}

/// Where the objects of foreign events come into being: scratch memory, reused from record to
/// record. Belongs to one ``DialectReader``; one thread at a time.
final class ForeignScratch {
  /// The members of the objects in the making, those of an inner one behind those of the outer.
  var members = PlainList<ForeignMember>()
  /// Positions in `members`, to sort.
  var order = PlainList<Node>()
  let fold = KeyFold()
  let names: ForeignNames
  let search = IdentitySearch()
  var json = SortedJSON()

  /// Scratch memory of a reader that looks for ids under these names.
  init(_ keys: IdentityKeys) { names = ForeignNames(keys) }

  /// Begins a record on the tape, and gives back what an unusual one before it needed.
  func begin(_ tape: Tape) {
    names.begin(tape)
    members.recycle()
    order.recycle()
    json.shrink(to: RetainedCapacity.elements)
  }
}

/// Keys that fall together, and objects with too many of them (dialects 4).
extension ForeignDraft {
  /// Makes the keys of the members from `base` on different, and marks those that are left out:
  /// repeated ones, and what is more than an object may have. `path` is that of the object.
  /// Complexity: O(n) for usual objects, O(n log n) when keys fall together or are too many.
  func resolveKeys(from base: Int, at path: FieldPath) {
    if areFewAndDifferent(from: base) { return }
    let members = scratch.members.indices
    scratch.fold.begin()
    var present = 0
    var areDifferent = true
    for index in base..<members.upperBound {
      let key = tape.bytes(scratch.members[index].key)
      let earlier = scratch.fold.add(KeyFold.tag(key), item: index) {
        tape.bytes(scratch.members[$0].key) == key
      }
      if earlier != nil { areDifferent = false }
      if !scratch.members[index].isAbsent { present += 1 }
    }
    if areDifferent, present <= Limits.v2.attributes { return }
    scratch.order.removeAll()
    for index in base..<members.upperBound { scratch.order.append(Node(index)) }
    if !areDifferent { present = separate(at: path) }
    if present > Limits.v2.attributes { cut(present, at: path) }
  }

  /// Whether the members from `base` on are no more than an object may have, and have different
  /// keys by the numbers of their texts. A look that is enough for nearly all objects; false says
  /// nothing.
  private func areFewAndDifferent(from base: Int) -> Bool {
    guard scratch.members.count - base <= Limits.v2.attributes else { return false }
    // One bit for each number, by its lowest six bits: most are seen to be new by it.
    var filter: UInt64 = 0
    for index in base..<scratch.members.count {
      let number = scratch.members[index].key.number
      // Texts without numbers could be the same.
      if number == 0 { return false }
      let bit: UInt64 = 1 &<< UInt64(number & 63)
      if filter & bit != 0 {
        for earlier in base..<index where scratch.members[earlier].key.number == number {
          return false
        }
      }
      filter |= bit
    }
    return true
  }

  /// Of repeated members the last counts; of others with one key the first by source gets it, the
  /// next get numbers. Returns how many members are left.
  private func separate(at path: FieldPath) -> Int {
    markRepeated()
    var kept = 0
    for position in scratch.order.indices
    where !scratch.members[scratch.order[position].index].isAbsent {
      scratch.order[kept] = scratch.order[position]
      kept += 1
    }
    scratch.order.truncate(to: kept)
    scratch.order.sort { a, b in
      let (first, second) = (scratch.members[a.index], scratch.members[b.index])
      let (x, y) = (tape.bytes(first.key), tape.bytes(second.key))
      return x < y || x == y && isBefore(first, second, a < b)
    }
    // All keys of the sources come before numbers, so that nobody else's key is given away.
    scratch.fold.begin()
    for position in scratch.order.indices { _ = isTaken(scratch.order[position].index) }
    var name = TapeEntry(start: 0, length: 0, next: 0, kind: .key)
    var number = 1
    for position in scratch.order.indices {
      let index = scratch.order[position].index
      let key = scratch.members[index].key
      guard position > 0, tape.bytes(key) == tape.bytes(name) else {
        // Names that begin alike have the same text in front of a number, and share the numbers.
        let length = ForeignName.cutLength(number: 1)
        let isLong = min(Int(key.length), Int(name.length)) >= length
        if !isLong || tape.bytes(key)[0..<length] != tape.bytes(name)[0..<length] { number = 1 }
        name = key
        continue
      }
      repeat {
        number += 1
        let number = number
        scratch.members[index].key = tape.key { text in
          ForeignName.append(tape.bytes(name), number: number, to: &text)
        }
      } while isTaken(index)
      note(.keyCollision, member: scratch.members[index], at: path)
    }
    return kept
  }

  /// Marks each member behind which another one with the same source key stands. Members of the
  /// dialect's own stand in no line twice.
  private func markRepeated() {
    scratch.order.sort { a, b in
      isBefore(scratch.members[a.index], scratch.members[b.index], a < b)
    }
    for position in scratch.order.indices.dropLast() {
      let index = scratch.order[position].index
      let (member, next) = (
        scratch.members[index], scratch.members[scratch.order[position + 1].index]
      )
      if member.source.exists, next.source.exists,
        tape.bytes(source(of: member)) == tape.bytes(source(of: next))
      {
        scratch.members[index].isAbsent = true
      }
    }
  }

  /// Whether `a` comes before `b` by the bytes of the source keys; `isEarlier` decides between
  /// equals.
  private func isBefore(_ a: ForeignMember, _ b: ForeignMember, _ isEarlier: Bool) -> Bool {
    let (x, y) = (tape.bytes(source(of: a)), tape.bytes(source(of: b)))
    return x < y || x == y && isEarlier
  }

  /// The key as it stands in the source, by which members are told apart that fall together.
  private func source(of member: ForeignMember) -> TapeEntry {
    member.source.exists ? tape[member.source] : member.key
  }

  /// Whether another member has the key of the one at `index`; from now on it is taken.
  private func isTaken(_ index: Int) -> Bool {
    let key = tape.bytes(scratch.members[index].key)
    return scratch.fold.add(KeyFold.tag(key), item: index) {
      tape.bytes(scratch.members[$0].key) == key
    } != nil
  }

  /// Keeps the first ones by key of `present` members.
  private func cut(_ present: Int, at path: FieldPath) {
    scratch.order.sort { a, b in
      let (first, second) = (scratch.members[a.index], scratch.members[b.index])
      if first.staysFirst != second.staysFirst { return first.staysFirst }
      return tape.bytes(first.key) < tape.bytes(second.key)
    }
    var kept = 0
    for position in scratch.order.indices {
      let index = scratch.order[position].index
      if scratch.members[index].isAbsent { continue }
      kept += 1
      if kept > Limits.v2.attributes { scratch.members[index].isAbsent = true }
    }
    lose(.attributesTruncated, at: path, limit: Limits.v2.attributes, actual: present)
  }

  private func note(_ code: ReasonCode, member: ForeignMember, at path: FieldPath) {
    lose(code, at: self.path(of: member, in: path))
  }
}
