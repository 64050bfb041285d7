import Pipeline

struct ForeignObject: BitwiseCopyable {
  var node = 0
  /// Index of its first field among those of all open objects.
  var firstMember = 0
  /// The numbers of its keys, by their lowest six bits: shows that most keys are new.
  var seen: UInt64 = 0
  /// Whether no key equals another, they are not too many, and nothing was cut inside of values.
  var isSettled = true
  /// The path of the object that the next fields come from (``SourcePlaces``).
  var place = SourcePlaces.none
  /// Whether its fields are operations on a profile; none of these is cut or omitted.
  var hasOperations = false
}

/// One field of a drafted object: its source, and its key.
struct ForeignMember: BitwiseCopyable {
  var key: TapeEntry
  /// Tape index of the key in the source, for paths; none when the dialect created it.
  let source: Node
  /// That of the object around it, whose key its own begins with, in attributes of profiles.
  var outer = Node.none
  /// Tape index of the written key.
  var drafted: Node
  /// What was cut inside the value, in the batch's findings.
  var losses = ReasonRange()
  /// The type that the key gives the value.
  var form = KeyForm.plain
  /// Where its object is (``SourcePlaces``), or its value without a key; none for the draft.
  var place = SourcePlaces.none
  /// Whether it is kept if there are too many, whatever its key.
  var staysFirst = false
  /// Whether the field is omitted: its value has no content, or a later one of its name counts.
  var isAbsent = false
  /// Whether a later one of its name counts.
  var isOverwritten = false
}

/// Scratch memory of one ``DialectReader`` for foreign events; one thread at a time.
final class ForeignScratch {
  /// The fields of the open objects, those of an inner one after those of the outer.
  var members = PlainList<ForeignMember>()
  /// Indices in `members`, to sort.
  var order = PlainList<Node>()
  /// The fields of open objects of the line, by bytes of their keys.
  var sorted = MemberOrder()
  let fold = KeyFold()
  let names: ForeignNames
  let search = IdentitySearch()
  let places = SourcePlaces()
  var json = SortedJSON()
  /// The texts that are not ids.
  let placeholders: Placeholders

  /// With the names `keys` under which ids are searched for.
  init(_ keys: IdentityKeys, _ placeholders: Placeholders = .standard) {
    (names, self.placeholders) = (ForeignNames(keys), placeholders)
  }

  /// Begins a record, and releases excess capacity.
  func begin() {
    members.recycle()
    order.recycle()
    places.begin()
    json.shrink(to: RetainedCapacity.elements)
    sorted.shrink(to: RetainedCapacity.elements)
  }
}

/// Equal keys, and objects with too many fields (dialects 4).
extension ForeignDraft {
  /// Revises the fields of the innermost object, at `path`: makes their keys different, and removes
  /// omitted and repeated ones and those above the limit. The losses inside of values come after
  /// those of the object itself. Complexity: O(n log n), O(n) when only values were cut.
  func settle(at path: FieldPath) {
    let members = object.firstMember..<scratch.members.count
    let (losses, firstLoss) = takeLosses(of: members)
    resolveKeys(of: members, at: path)
    var end = object.node + 1
    for index in members where !scratch.members[index].isAbsent {
      let member = scratch.members[index]
      let first = Int(member.losses.start) - firstLoss
      if member.losses.count > 0 {
        batch.findings.append(losses[first..<first + Int(member.losses.count)])
      }
      let key = member.drafted.index
      let next = Int(tape[key].next)
      // Only known now: content was overwritten by a value without content.
      if isEmptyContainer(key + 1), !object.hasOperations { continue }
      tape.move(key..<next, to: end)
      var name = drafted(member.key, as: member.form)
      name.next = tape[end].next
      tape[end] = name
      end += next - key
    }
    tape.truncate(to: end)
  }

  /// Removes the losses inside the values of `members` that later ones overwrite, and with
  /// `ofContent` of those with content. Returns what was there, and the index of the first one.
  @discardableResult
  func takeLosses(
    of members: Range<Int>, ofContent: Bool = true
  ) -> (losses: [Reason], first: Int) {
    guard let first = members.first(where: { scratch.members[$0].losses.count > 0 }) else {
      return ([], batch.findings.count)
    }
    if members.contains(where: {
      scratch.members[$0].losses.count > 0 && (!ofContent || scratch.members[$0].isAbsent)
    }) {
      order(members)
      markRepeated()
    }
    let start = scratch.members[first].losses.indices.lowerBound
    let losses = batch.findings.remove(from: start)
    var position = start
    for index in members where scratch.members[index].losses.count > 0 {
      let member = scratch.members[index]
      guard member.isOverwritten || ofContent && !member.isAbsent else { continue }
      let range = scratch.members[index].losses.indices
      batch.findings.append(losses[position - start..<range.lowerBound - start])
      position = range.upperBound
    }
    batch.findings.append(losses[(position - start)...])
    return (losses, start)
  }

  private func order(_ members: Range<Int>) {
    scratch.order.removeAll()
    for index in members { scratch.order.append(Node(index)) }
  }

  /// Makes the keys of the fields different, and marks those that are omitted.
  private func resolveKeys(of members: Range<Int>, at path: FieldPath) {
    scratch.fold.begin()
    var (present, areDifferent) = (0, true)
    for index in members {
      if isTaken(index) { areDifferent = false }
      if !scratch.members[index].isAbsent { present += 1 }
    }
    let most = object.hasOperations ? Int.max : Limits.v2.attributes
    if areDifferent, present <= most { return }
    order(members)
    if !areDifferent { present = separate(at: path) }
    if present > most { cut(present, at: path) }
  }

  /// Of repeated fields the last counts; of others with one key the first by source gets it, the
  /// next get numbers. Returns how many are left.
  private func separate(at path: FieldPath) -> Int {
    // Of operations only the last ones are drafted.
    if !object.hasOperations { markRepeated() }
    scratch.order.removeAll { scratch.members[$0.index].isAbsent }
    scratch.order.sort { a, b in
      let (first, second) = (scratch.members[a.index], scratch.members[b.index])
      let (x, y) = (tape.bytes(first.key), tape.bytes(second.key))
      if x != y { return x < y }
      let areOfObjects = object.hasOperations && first.place != second.place
      return areOfObjects ? a < b : isBefore(first, second, a < b)
    }
    // All keys of the sources are registered before numbers, so that a number never takes the key
    // of another field.
    scratch.fold.begin()
    for position in scratch.order.indices { _ = isTaken(scratch.order[position].index) }
    var name = TapeEntry(kind: .key)
    var (number, holder) = (1, 0)
    for position in scratch.order.indices {
      let index = scratch.order[position].index
      let key = scratch.members[index].key
      guard position > 0, tape.bytes(key) == tape.bytes(name) else {
        // Names with the same beginning have the same text before a number, and share the numbers.
        let length = ForeignName.cutLength(number: 1)
        let isLong = min(Int(key.length), Int(name.length)) >= length
        if !isLong || tape.bytes(key)[0..<length] != tape.bytes(name)[0..<length] { number = 1 }
        (name, holder) = (key, index)
        continue
      }
      let first = scratch.members[holder]
      if object.hasOperations, first.place != scratch.members[index].place {
        // Of objects that describe one person the first counts.
        scratch.members[index].isAbsent = true
        if tape.isOverwrittenLoss(scratch.members[index].drafted.index, by: first.drafted.index) {
          note(.valueOverwritten, member: scratch.members[index], at: path)
        }
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
    return scratch.order.count
  }

  /// Marks each field that a later one with the same source key in the same object repeats.
  private func markRepeated() {
    scratch.order.sort { a, b in
      let (first, second) = (scratch.members[a.index], scratch.members[b.index])
      let isEarlier = first.place != second.place ? first.place < second.place : a < b
      return isBefore(first, second, isEarlier)
    }
    for position in scratch.order.indices.dropLast() {
      let index = scratch.order[position].index
      let (member, next) = (
        scratch.members[index], scratch.members[scratch.order[position + 1].index]
      )
      if member.source.exists, next.source.exists, member.place == next.place,
        tape.bytes(source(of: member)) == tape.bytes(source(of: next))
      {
        (scratch.members[index].isAbsent, scratch.members[index].isOverwritten) = (true, true)
      }
    }
  }

  /// Whether `a` is before `b` by the source keys, outer ones first; `isEarlier` decides between
  /// equals.
  private func isBefore(_ a: ForeignMember, _ b: ForeignMember, _ isEarlier: Bool) -> Bool {
    let (x, y) = (tape.bytes(source(of: a)), tape.bytes(source(of: b)))
    guard x == y, a.outer.exists, b.outer.exists else { return x < y || x == y && isEarlier }
    let (inner, other) = (tape.bytes(at: a.source), tape.bytes(at: b.source))
    return inner < other || inner == other && isEarlier
  }

  /// The key in the source, by which fields with equal keys differ; the outer one of two.
  private func source(of member: ForeignMember) -> TapeEntry {
    let node = member.outer.exists ? member.outer : member.source
    return node.exists ? tape[node] : member.key
  }

  /// Whether another field has the key of the one at `index`; marks it as taken.
  private func isTaken(_ index: Int) -> Bool {
    let key = tape.bytes(scratch.members[index].key)
    return scratch.fold.add(KeyFold.tag(key), item: index) {
      tape.bytes(scratch.members[$0].key) == key
    } != nil
  }

  /// Keeps the first ones by key of `present` fields.
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
      guard kept > Limits.v2.attributes else { continue }
      scratch.members[index].isAbsent = true
      note(.attributesTruncated, member: scratch.members[index], at: path)
    }
  }

  /// Notes a loss of a field of the object at `path`.
  private func note(_ code: ReasonCode, member: ForeignMember, at path: FieldPath) {
    var path = member.place == SourcePlaces.none ? path : scratch.places.path(of: member.place)
    for key in [member.outer, member.source] where key.exists { path.push(key: key.index) }
    lose(code, at: path)
  }
}
