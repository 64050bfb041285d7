import Pipeline

/// The properties that the modifications of a `write` payload changed, as `Class.property`: the
/// first by bytes, each once (dialects 6). The library writes only new values that changed, so a
/// property that is only in the old object is unchanged. Null equals absence, numbers are compared
/// by their text, the order of fields does not matter. Bounded: it keeps one name more than are
/// reported. One thread at a time.
struct ChangedProperties: ~Copyable {
  /// One property: tape indices of two keys.
  struct Name: BitwiseCopyable {
    let classKey: Node
    let property: Node
  }

  /// The names so far, by bytes; one more than ``Limits/array`` when there are more.
  private var names = PlainList<Name>()
  /// Those of one class, by bytes of the property: names of classes may be as long as the line, and
  /// must not be compared for each modification.
  private var ofClass = PlainList<Node>()
  private var members = MemberOrder()
  /// The normal forms of two values.
  private var json = SortedJSON()
  private var text = ByteBuffer()

  /// Number of names that are kept: one more than ``Limits/array`` when there are too many.
  var count: Int { names.count }

  /// The name at index `position`, by bytes.
  subscript(position: Int) -> Name { names[position] }

  /// Removes everything, and releases excess capacity.
  mutating func removeAll() {
    names.removeAll()
    members.shrink(to: RetainedCapacity.elements)
    json.shrink(to: RetainedCapacity.elements)
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
  }

  /// Adds the changes of the modifications of a class.
  mutating func add(_ change: RealmWrite.Class, of tape: Tape) {
    guard change.lists[1].exists else { return }
    ofClass.removeAll()
    tape.forEachItem(of: change.lists[1].index) { item, _ in
      if let pair = RealmWrite.Modification(item, of: tape) { add(pair, of: tape) }
    }
    for position in ofClass.indices {
      let name = Name(classKey: change.key, property: ofClass[position])
      Self.insert(name, into: &names) { Self.isBefore($0, $1, of: tape) }
    }
  }

  private mutating func add(_ pair: RealmWrite.Modification, of tape: Tape) {
    let old = members.push(pair.old, of: tape)
    let new = members.push(pair.new, of: tape)
    var position = old.lowerBound
    for newName in new {
      let key = members[newName]
      let name = tape.bytes(at: key)
      while position < old.upperBound, tape.bytes(at: members[position]) < name { position += 1 }
      let isKnown = position < old.upperBound && tape.bytes(at: members[position]) == name
      let isSame =
        isKnown
        ? isSameValue(members[position] + 1, key + 1, of: tape) : tape[key + 1].kind == .null
      if isSame { continue }
      Self.insert(Node(key), into: &ofClass) { tape.bytes(at: $0) < tape.bytes(at: $1) }
    }
    members.pop(new)
    members.pop(old)
  }

  /// Whether two values are equal: they have the same normal form.
  private mutating func isSameValue(_ a: Int, _ b: Int, of tape: Tape) -> Bool {
    let kind = tape[a].kind
    guard kind == tape[b].kind else { return false }
    if tape.bytes(at: a) == tape.bytes(at: b) { return true }
    guard kind == .object || kind == .array else { return false }
    text.removeAll()
    json.append(a, of: tape, atMost: .max, to: &text)
    let end = text.count
    json.append(b, of: tape, atMost: .max, to: &text)
    return text.view[0..<end] == text.view.dropFirst(end)
  }

  /// Inserts an element into a sorted list of the first ones, unless it has an equal one.
  private static func insert<Element: BitwiseCopyable>(
    _ element: Element, into list: inout PlainList<Element>,
    _ isBefore: (Element, Element) -> Bool
  ) {
    let position = list.indices.binarySearch { isBefore(list[$0], element) }
    guard position <= Limits.array,
      position == list.count || isBefore(element, list[position])
    else { return }
    list.insert(element, at: position)
    if list.count > Limits.array + 1 { list.truncate(to: Limits.array + 1) }
  }

  /// Whether the text `Class.property` of `a` is before that of `b`. The texts are not built: names
  /// of classes may be as long as the line.
  private static func isBefore(_ a: Name, _ b: Name, of tape: Tape) -> Bool {
    let (property, otherProperty) = (tape.bytes(at: a.property), tape.bytes(at: b.property))
    if a.classKey == b.classKey { return property < otherProperty }
    let (one, other) = (tape.bytes(at: a.classKey), tape.bytes(at: b.classKey))
    let shared = min(one.count, other.count)
    let (head, otherHead) = (one[0..<shared], other[0..<shared])
    if head != otherHead { return head < otherHead }
    // The name of one class is a prefix of the other: the bytes after it decide.
    var position = shared
    while true {
      let byte = Self.byte(position, of: one, property)
      let otherByte = Self.byte(position, of: other, otherProperty)
      if byte != otherByte { return byte < otherByte }
      if byte < 0 { return false }
      position += 1
    }
  }

  /// The byte at `position` of `Class.property`, -1 after its end.
  private static func byte(_ position: Int, of name: ByteView, _ property: ByteView) -> Int {
    if position < name.count { return Int(name[position]) }
    if position == name.count { return Int(UInt8(ascii: ".")) }
    let position = position - name.count - 1
    return position < property.count ? Int(property[position]) : -1
  }
}
