package import Pipeline

extension Mutation.Kind {
  package static var set: Self { Self(4, .attribute, isSeen: true) }
  package static var unset: Self { Self(5, .attribute, isSeen: true) }
  /// The item with the text `value` was added.
  package static var addItem: Self { Self(6, .attribute, isSeen: true) }
  package static var removeItem: Self { Self(7, .attribute, isSeen: true) }
}

/// The latest `$add` or `$remove` of one item of an array attribute (data-model 13.1); the merge
/// keeps the winner of a total order.
package struct ItemMark: BitwiseCopyable, Equatable, Sendable {
  /// Milliseconds since 1970.
  package var time: Int
  /// Whether the item was removed, else it was added.
  package var isRemoval: Bool

  package init(time: Int, isRemoval: Bool) {
    self.time = time
    self.isRemoval = isRemoval
  }

  /// Whether a merge of the two keeps this one: the later time, then remove before add.
  package func wins(over other: ItemMark) -> Bool {
    time != other.time ? time > other.time : isRemoval && !other.isRemoval
  }
}

/// One item of an array attribute with its mark.
package struct MarkedItem {
  /// The plain text of the item.
  package let text: ByteView
  package let mark: ItemMark

  package init(text: ByteView, mark: ItemMark) {
    self.text = text
    self.mark = mark
  }
}

/// The merged knowledge of one attribute, from one or more states (data-model 13.1).
///
/// Call `merge` any number of times in any order, then `settle` once, then read. Reusable: `reset`
/// keeps the capacity.
package struct AttributeRegister {
  /// The winner of all bases merged.
  package private(set) var base = AttributeBase.none
  /// After `settle`: the effective marks, one per item, sorted by the bytes of the items.
  package private(set) var items: [MarkedItem] = []

  package init() {}

  /// Removes everything.
  package mutating func reset() {
    base = .none
    items.removeAll(keepingCapacity: true)
  }

  /// Adds a record of the attribute.
  package mutating func merge(_ record: Mutation) {
    switch record.kind {
    case .addItem, .removeItem:
      let mark = ItemMark(time: record.time, isRemoval: record.kind == .removeItem)
      items.append(MarkedItem(text: record.value, mark: mark))
    default:
      let other =
        record.kind == .set
        ? AttributeBase(time: record.time, kind: .set, form: record.form, value: record.value)
        : .unset(at: record.time)
      if other.wins(over: base) { base = other }
    }
  }

  /// Drops what is overruled: a base older than `clear`, and marks older than `clear` or the base.
  ///
  /// This can wait until here because both thresholds only ever rise: what one merge drops, every
  /// further merge would drop as well. Complexity: O(n log n) for n items.
  package mutating func settle(clear: Int) {
    let threshold = max(clear, base.time)
    if base.time < clear { base = .none }
    items.removeAll { $0.mark.time < threshold }
    guard items.count > 1 else { return }
    items.sort {
      if $0.text != $1.text { return $0.text < $1.text }
      return $0.mark.wins(over: $1.mark)
    }
    var kept = 1
    for index in 1..<items.count where items[index].text != items[kept - 1].text {
      items[kept] = items[index]
      kept += 1
    }
    items.removeLast(items.count - kept)
  }

  /// The times of the base and of all marks.
  var seen: Seen {
    var seen = Seen.never
    if base.kind != .none { seen.merge(base.time) }
    for item in items { seen.merge(item.mark.time) }
    return seen
  }

  /// Whether nothing is left for a state to store.
  package var isForgotten: Bool { base.kind == .none && items.isEmpty }
}

/// The attributes of a key, by attribute key.
struct AttributesRegister: Register {
  private struct Row {
    /// Rank of the attribute key.
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
    Rules.isTime(record.time) && (record.kind != .set || ArrayText.isValue(record.value))
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
    forEach { _, register in seen.merge(register.seen) }
    return seen
  }

  func forEachRecord(_ body: (Mutation) -> Void) {
    forEach { name, register in
      let base = register.base
      switch base.kind {
      case .none: break
      case .unset: body(Mutation(.unset, name: name, time: base.time))
      case .set:
        body(Mutation(.set, name: name, time: base.time, form: base.form, value: base.value))
      }
      for item in register.items {
        let kind = item.mark.isRemoval ? Mutation.Kind.removeItem : .addItem
        body(Mutation(kind, name: name, time: item.mark.time, value: item.text))
      }
    }
  }

  func describe(in line: StateLines) {
    var isEmpty = true
    forEach { _, _ in isEmpty = false }
    if isEmpty { return }
    line.object("attributes") { json in
      forEach { name, register in
        json.object(line.names.attributes[name]) { json in
          let base = register.base
          register.describeItems("add", areRemovals: false, in: &json)
          if base.form != .plain { json.member("form", base.form == .date ? "date" : "url") }
          register.describeItems("remove", areRemovals: true, in: &json)
          if base.kind == .none { return }
          if base.kind == .set { json.member("set", JSONText(base.value)) }
          json.member("time", base.time)
          if base.kind == .unset { json.member("unset", true) }
        }
      }
    }
  }

  func render(in profile: inout ProfileText) {
    members.removeAll()
    forEach { name, register in
      let base = register.base
      let needsItems = base.kind == .set && !register.items.isEmpty
      let key = profile.names.attributes[name]
      switch register.value(baseItems: needsItems ? decoded.items(of: base.value) : nil) {
      case .absent: break
      case .base:
        members.begin(key, base.form)
        members.append(base.value)
      case .items(let items, let overflow):
        members.begin(key, .plain)
        members.append(items)
        if overflow { profile.arrayOverflow += 1 }
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
    let items = items.filter { $0.mark.isRemoval == areRemovals }
    if items.isEmpty { return }
    json.object(field) { json in
      for item in items { json.member(item.text, item.mark.time) }
    }
  }
}
