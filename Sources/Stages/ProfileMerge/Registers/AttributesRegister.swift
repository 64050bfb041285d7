import Pipeline

extension FactKind {
  package static var set: Self { Self(4, .attribute, isSeen: true) }
  package static var unset: Self { Self(5, .attribute, isSeen: true) }
  package static var addItem: Self { Self(6, .attribute, isSeen: true) }
  package static var removeItem: Self { Self(7, .attribute, isSeen: true) }
}

/// The part of a total order by which one record of a fact wins over another (data-model 13): the
/// first part in which they differ.
package enum MergeRule: Sendable {
  case time
  /// A set before an unset, a removal before an addition.
  case kind
  /// The greater bytes; of earliest links the smaller ones.
  case bytes
  /// That of the key that comes first (``KeyForm``).
  case form
}

/// The order of sets and unsets of an attribute, of records of one item, and of values of a
/// register. A merge keeps the winner, so that it is associative, commutative and idempotent.
extension Mutation {
  /// The rule that decides between the two; nil when they are equal.
  @inline(__always)
  package func rule(against other: Mutation) -> MergeRule? {
    if time != other.time { return .time }
    if kind != other.kind { return .kind }
    if value != other.value { return .bytes }
    return form != other.form ? .form : nil
  }

  package func wins(over other: Mutation) -> Bool {
    switch rule(against: other) {
    case .time: time > other.time
    case .kind: kind == .set || isRemoval
    case .bytes: other.value < value
    case .form: form.rawValue < other.form.rawValue
    case nil: false
    }
  }

  package var isRemoval: Bool { kind == .removeItem }
}

/// The merged knowledge of one attribute, from one or more states (data-model 13.1).
///
/// Call `merge` any number of times in any order, then `settle` once, then read. Reusable: `reset`
/// keeps the capacity.
package struct AttributeRegister {
  /// The longest published array; longer ones are cut and counted as `array_overflow`.
  static let mostItems = 25

  /// The latest set or unset; nil without one.
  package private(set) var base: Mutation?
  /// After `settle`: the effective additions and removals, one per item, sorted by their bytes.
  package private(set) var items: [Mutation] = []

  package init() {}

  package mutating func reset() {
    base = nil
    items.removeAll(keepingCapacity: true)
  }

  package mutating func merge(_ record: Mutation) {
    if record.kind == .addItem || record.isRemoval {
      items.append(record)
    } else if base.map({ record.wins(over: $0) }) ?? true {
      base = record
    }
  }

  /// Drops what is overruled: a base older than `clear`, and items older than `clear` or the base.
  ///
  /// This can wait until here because both thresholds only ever rise: what one merge drops, every
  /// further merge would drop as well. Complexity: O(n log n) for n items.
  package mutating func settle(clear: Int) {
    let threshold = max(clear, base?.time ?? .min)
    if let base, base.time < clear { self.base = nil }
    items.removeAll { $0.time < threshold }
    guard items.count > 1 else { return }
    items.sort { $0.value != $1.value ? $0.value < $1.value : $0.wins(over: $1) }
    var kept = 1
    for index in 1..<items.count where items[index].value != items[kept - 1].value {
      items[kept] = items[index]
      kept += 1
    }
    items.removeLast(items.count - kept)
  }

  var seen: Seen {
    var seen = Seen.never
    if let base { seen.merge(base.time) }
    for item in items { seen.merge(item.time) }
    return seen
  }

  /// Whether nothing is left for a state to store.
  package var isForgotten: Bool { base == nil && items.isEmpty }

  /// The base, if it is a set.
  package var value: Mutation? { base.flatMap { $0.kind == .set ? $0 : nil } }

  /// The published items, under a plain key; nil if the ``value`` is published as it is, if there
  /// is one. Complexity: O(n log n) for n items and items of the value together.
  func published(by decoder: ArrayText) -> [ByteView]? {
    if items.isEmpty { return nil }
    let known = value.flatMap { decoder.items(of: $0.value) }
    if known == nil, value != nil, items.allSatisfy(\.isRemoval) { return nil }
    var published: [ByteView] = []
    var present = [Bool](repeating: false, count: items.count)
    for text in known ?? [] {
      if let position = position(of: text) {
        if items[position].isRemoval { continue }
        present[position] = true
      }
      published.append(text)
    }
    let added = items.indices.filter { !items[$0].isRemoval && !present[$0] }
      // `items` is sorted by bytes, so comparing indices compares texts.
      .sorted { (items[$0].time, $0) < (items[$1].time, $1) }
    return published + added.map { items[$0].value }
  }

  private func position(of text: ByteView) -> Int? {
    let position = items.indices.binarySearch { items[$0].value < text }
    return position < items.count && items[position].value == text ? position : nil
  }
}

struct AttributesRegister: Register {
  private struct Row {
    let rank: UInt32
    let record: Mutation
  }

  /// After `settle`: those of one attribute are consecutive, in the order of the keys.
  private var rows: [Row] = []
  /// Values before this time were cleared.
  private var clear = Int.min
  /// Decodes the items of an array.
  private let decoded = ArrayText()
  private let members = SortedMembers()

  static var kinds: Mutation.Kinds { Mutation.Kinds(.set, .unset, .addItem, .removeItem) }
  static var heard: Mutation.Kinds { kinds.union(Mutation.Kinds(.clear)) }

  static func isSound(_ record: Mutation, _ place: inout RecordPlace) -> Bool {
    guard Rules.isTime(record.time) else { return false }
    if record.kind == .set { return ArrayText.isValue(record.value) }
    return record.form == .plain && (record.kind != .unset || record.value.isEmpty)
  }

  mutating func removeAll() {
    rows.removeAll(keepingCapacity: true)
    clear = .min
  }

  mutating func add(_ record: Mutation, rank: UInt32) {
    if record.kind == .clear {
      clear = max(clear, record.time)
    } else {
      rows.append(Row(rank: rank, record: record))
    }
  }

  mutating func settle() { if rows.count > 1 { rows.sort { $0.rank < $1.rank } } }
  mutating func erase(through mark: Int) {
    rows.removeAll { $0.record.time <= mark }
    if clear <= mark { clear = .min }
  }

  var isEmpty: Bool { rows.isEmpty }

  /// Calls `body` with each attribute that is not forgotten, in the order of their keys.
  func forEach(_ body: (_ name: UInt32, borrowing AttributeRegister) -> Void) {
    var register = AttributeRegister()
    var position = 0
    while position < rows.count {
      let first = rows[position]
      register.reset()
      while position < rows.count, rows[position].rank == first.rank {
        register.merge(rows[position].record)
        position += 1
      }
      register.settle(clear: clear)
      if !register.isForgotten { body(first.record.name, register) }
    }
  }

  var seen: Seen {
    var seen = Seen.never
    forEach { seen.merge($1.seen) }
    return seen
  }

  func forEachRecord(_ body: (Mutation) -> Void) {
    forEach { _, register in
      if let base = register.base { body(base) }
      register.items.forEach(body)
    }
  }

  func describe(in line: StateLines) {
    var isEmpty = true
    forEach { _, _ in isEmpty = false }
    if isEmpty { return }
    line.object("attributes") { json in
      forEach { name, register in
        json.object(line.names.attributes[name]) { json in
          register.describeItems("add", areRemovals: false, in: &json)
          if let value = register.value, value.form != .plain {
            json.member("form", value.form.name)
          }
          register.describeItems("remove", areRemovals: true, in: &json)
          if let value = register.value { json.member("set", JSONText(value.value)) }
          guard let base = register.base else { return }
          json.member("time", base.time)
          if base.kind == .unset { json.member("unset", true) }
        }
      }
    }
  }

  func render(in profile: inout ProfileText) {
    members.removeAll()
    forEach { name, register in
      let key = profile.names.attributes[name]
      if let items = register.published(by: decoded) {
        if items.isEmpty { return }
        members.begin(key, .plain)
        members.append(items.prefix(AttributeRegister.mostItems))
        if items.count > AttributeRegister.mostItems { profile.arrayOverflow += 1 }
      } else if let value = register.value {
        members.begin(key, value.form)
        members.append(value.value)
      }
    }
    guard !members.isEmpty else { return }
    profile.text.append(",\"attributes\":{")
    members.append(to: &profile.text)
    profile.text.append(UInt8(ascii: "}"))
  }
}

extension AttributeRegister {
  fileprivate func describeItems(
    _ field: StaticString, areRemovals: Bool, in json: inout JSONWriter
  ) {
    let items = items.filter { $0.isRemoval == areRemovals }
    if items.isEmpty { return }
    json.object(field) { json in for item in items { json.member(item.value, item.time) } }
  }
}
